import AWSClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Historic {
    /// What happened to an item, newest first.
    ///
    /// The lives of an item come in the order of their writers' clocks. Costs a strongly consistent read of what the
    /// page holds.
    ///
    /// - Parameters:
    ///   - key: The item's key.
    ///   - start: The page before's `next`; `nil` for the newest entries.
    ///   - limit: How many entries at most, from 1 to 1,000; a page also ends at 1 MB.
    /// - Returns: A page.
    /// - Throws: `AWSError`; `PatternError` with code `corrupt`, or `invalidArgument` if no page begins at `start`.
    public func history(
        of key: PrimaryKey, from start: String? = nil, limit: Int = 100
    ) async throws -> HistoricPage<Item> {
        guard start.map({ VersionPlace($0) != nil }) ?? true else {
            throw PatternError(.invalidArgument, "A page of a history begins where the one before says: at its `next`.")
        }
        return try await page(of: try partition(key), before: start, limit: min(max(limit, 1), 1000))
    }

    /// Entries, newest first, that come after a page or whose lives are older than one, and not below a sort key.
    func page(
        of partition: String, before end: String?, notBefore start: String = " ", limit: Int
    ) async throws -> HistoricPage<Item> {
        let answer = try await table.api.query(
            QueryRequest(
                tableName: table.name, keyConditionExpression: "#p = :p AND #s BETWEEN :a AND :b",
                expressionAttributeNames: ["#p": PatternTable.Attribute.partition, "#s": PatternTable.Attribute.sort],
                expressionAttributeValues: [
                    ":p": .string(partition), ":a": .string(start), ":b": .string(end ?? "~"),
                ],
                consistentRead: true, scanIndexForward: false, limit: limit,
                exclusiveStartKey: end.flatMap { VersionPlace($0) == nil ? nil : $0 }.map {
                    ItemKey(partition: partition, sort: $0).attributes
                }))
        let next = answer.lastEvaluatedKey.flatMap(ItemKey.init(of:))?.sort
        return HistoricPage(entries: try (answer.items ?? []).map(entry), next: next)
    }

    private func entry(of stored: StoredItem) throws(PatternError) -> HistoricEntry<Item> {
        guard let place = ItemKey(of: stored).flatMap({ VersionPlace($0.sort) }),
            let kind = stored[HistoricAttribute.kind]?.string.flatMap(HistoricKind.init)
        else { throw PatternError(.corrupt, "The history “\(name)” has an entry that it did not write.") }
        let image = stored[HistoricAttribute.image]?.map
        let streamTime = stored[HistoricAttribute.time]?.int64
        let modified = try image.flatMap { image throws(PatternError) in try source.origin(of: image).modified }
        return HistoricEntry(
            kind: kind, version: place.version, life: place.life,
            time: modified ?? streamTime.map(Date.init(milliseconds:)),
            recordedAt: stored[HistoricAttribute.recordedAt]?.int64.map(Date.init(milliseconds:)),
            by: stored[HistoricAttribute.author]?.string, eventID: stored[HistoricAttribute.eventID]?.string,
            attributes: image, streamTime: streamTime, decoder: source.decoder)
    }

    /// The item as it is stored in its own table, and which version that is.
    func current(_ key: PrimaryKey) async throws -> (place: VersionPlace, stored: StoredItem)? {
        let request = GetItemRequest(
            tableName: source.name, key: try key.attributes(by: source.key), consistentRead: true)
        guard let stored = try await source.api.getItem(request).item else { return nil }
        let origin = try source.origin(of: stored)
        return (VersionPlace(life: origin.life, version: origin.version ?? 0), stored)
    }
}
