import AWSClient

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Historic {
    /// Makes an old version the newest one: its content is written as a new version, which the history gets as well.
    ///
    /// An item that was deleted is inserted again, and one that cannot be read any more is mended. An attribute for
    /// DynamoDB's expiry is restored as it was: one in the past lets the item expire again.
    ///
    /// - Parameter entry: The version, from `history(of:)`.
    /// - Returns: The item at its new version.
    /// - Throws: `Conflict` if somebody else changed the item meanwhile; `PatternError` with code `invalidArgument`
    ///   for a deletion, which has nothing to restore; what `VersionedTable.save` throws.
    @discardableResult
    public func restore(_ entry: HistoricEntry<Item>) async throws -> Versioned<Item> {
        guard let attributes = entry.attributes else {
            throw PatternError(
                .invalidArgument, "A deletion has no content to restore.", hint: "Restore the version before it.")
        }
        var old = try source.versioned(attributes)
        old.content.stored[HistoricAttribute.deletion] = nil
        guard let current = try await source.stored(old.key) else {
            return try await source.carryOut(try source.draft(inserting: old.item, content: old.content))
        }
        return try await source.save(try source.versioned(current, holding: old.item, content: old.content))
    }

    /// Makes what an item was at a moment the newest version; see `restore(_:)` and `item(_:at:)`.
    ///
    /// - Parameters:
    ///   - key: The item's key.
    ///   - moment: When.
    /// - Returns: The item at its new version.
    /// - Throws: `PatternError` with code `notFound` if there was no item, or nobody knows; what `restore(_:)` throws.
    @discardableResult
    public func restore(_ key: PrimaryKey, at moment: Date) async throws -> Versioned<Item> {
        switch try await find(key, at: moment.milliseconds) {
        case .entry(let entry) where entry.kind != .removed: return try await restore(entry)
        case .entry, .notYet: throw PatternError(.notFound, "There was no item at that moment.")
        case .unknown:
            throw PatternError(
                .notFound, "The history “\(name)” lacks what would tell what the item was at that moment.",
                hint: "Look at history(of:) and gaps(of:), and restore one of the entries.")
        }
    }
}
