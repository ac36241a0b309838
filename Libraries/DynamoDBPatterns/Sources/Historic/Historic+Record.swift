public import AWSClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A change of an item, as a record of the stream tells it.
private struct RecordedChange {
    var key: PrimaryKey
    var place: VersionPlace
    /// What was before it, where the record has it.
    var before: (place: VersionPlace, image: StoredItem)?
    /// What goes into the history.
    var content: StoredItem
}

extension Historic {
    /// Puts one change into the history: the handler for the records of the table's stream.
    ///
    /// A record may come again, and the records of one item have to come in their order. Costs one write of the item's
    /// size and an eventually consistent read of the version before; two writes where that was missing.
    ///
    /// - Parameter record: From a stream with the view `NEW_AND_OLD_IMAGES`.
    /// - Throws: `AWSError`, after which the record has to come again; `PatternError` with code `poison` if it will
    ///   never succeed: the item has no version, was changed without a new one, or is too large.
    public func record(_ record: StreamRecord) async throws {
        let change = try change(of: record)
        if let (place, image) = change.before, place != change.place {
            let key = try self.place(place, of: change.key)
            let request = GetItemRequest(
                tableName: table.name, key: key.attributes, projectionExpression: "#k",
                expressionAttributeNames: ["#k": HistoricAttribute.kind])
            if try await table.api.getItem(request).item == nil {
                do {
                    try await recover(image, at: place, of: change.key)
                } catch let error as PatternError where error.code == .poison {
                    // What the history cannot store stays a gap, and takes no other entry with it.
                }
            }
        }
        try await append(change.content, at: change.place, of: change.key, eventID: record.eventID)
    }

    /// Stores what is known of a version without a record of its own, where it is missing.
    func recover(_ image: StoredItem, at place: VersionPlace, of key: PrimaryKey) async throws {
        let isFirst = place.version == 1 && place.life != VersionStamp.unstamped
        var content: StoredItem = [
            HistoricAttribute.kind: .string((isFirst ? HistoricKind.inserted : .modified).rawValue),
            HistoricAttribute.image: .map(image), HistoricAttribute.recovered: .bool(true),
        ]
        content[HistoricAttribute.author] = writer(of: image).map(AttributeValue.string)
        _ = try await put(content, at: place, of: key, if: .absent(PatternTable.Attribute.partition))
    }

    private func append(
        _ content: StoredItem, at place: VersionPlace, of key: PrimaryKey, eventID: String?
    ) async throws {
        let isFree = Condition.any([.absent(PatternTable.Attribute.partition), .exists(HistoricAttribute.recovered)])
        guard case .refused(let item, _) = try await put(content, at: place, of: key, if: isFree) else { return }
        guard item?[HistoricAttribute.eventID] == content[HistoricAttribute.eventID] else {
            throw poison(
                "is the second one that makes version \(place.version) of an item: it was changed, or inserted again, "
                    + "by something that does not count versions.")
        }
    }

    private func put(
        _ content: StoredItem, at place: VersionPlace, of key: PrimaryKey, if condition: Condition
    ) async throws -> WriteOutcome {
        let key = try self.place(place, of: key)
        var item = content.merging(key.attributes) { _, new in new }
        item[HistoricAttribute.recordedAt] = .integer(table.clock.milliseconds)
        do {
            return try await table.carryOut(table.put(item, if: condition))
        } catch let error as AWSError where error.code == .validation {
            // All else in the request is ours: what is wrong is the item, most likely its size.
            throw poison("holds an item that the history cannot store, with 400 KB at most.", cause: error)
        }
    }

    private func change(of record: StreamRecord) throws -> RecordedChange {
        guard let change = record.change, let kind = record.kind, let eventID = record.eventID,
            let key = PrimaryKey(of: change.keys ?? change.newImage ?? change.oldImage ?? [:], by: source.key)
        else { throw poison("is no record of the stream of “\(source.name)”.") }
        guard (kind == .removed || change.newImage != nil) && (kind == .inserted || change.oldImage != nil) else {
            throw poison("has not both images.", hint: "The stream needs the view NEW_AND_OLD_IMAGES.")
        }
        guard key.text.utf8.count <= Self.longestKey else { throw poison("has a key that is too long.") }
        let before = try change.oldImage.flatMap { image in try self.place(of: image).map { (place: $0, image: image) }
        }
        var content: StoredItem = [
            HistoricAttribute.kind: .string(kind.rawValue), HistoricAttribute.eventID: .string(eventID),
        ]
        content[HistoricAttribute.time] = change.approximateCreationDateTime.map {
            .integer(Date(timeIntervalSince1970: $0).milliseconds)
        }
        let place: VersionPlace?
        if kind == .removed {
            place = before.map { VersionPlace(life: $0.place.life, version: $0.place.version + 1) }
            let who = record.userIdentity?.principalID ?? change.oldImage.flatMap(deleter)
            content[HistoricAttribute.author] = who.map(AttributeValue.string)
        } else {
            let image = change.newImage ?? [:]
            place = try self.place(of: image)
            content[HistoricAttribute.image] = .map(image)
            content[HistoricAttribute.author] = writer(of: image).map(AttributeValue.string)
        }
        guard let place else {
            throw poison(
                "has an item without the attribute “\(source.attributes.version)”.",
                hint: "Whatever writes to the table has to count versions, as VersionedTable does.")
        }
        if let old = before?.place, old.life == place.life, old.version >= place.version {
            throw poison("is a change of version \(old.version) that has no new version.")
        }
        return RecordedChange(key: key, place: place, before: before, content: content)
    }

    /// Which version an image is; `nil` if it has none.
    func place(of image: StoredItem) throws(PatternError) -> VersionPlace? {
        let origin: ItemOrigin
        do {
            origin = try source.origin(of: image)
        } catch {
            throw poison("has an item whose version or stamp is not what VersionedTable writes.", cause: error)
        }
        return origin.version.map { VersionPlace(life: origin.life, version: $0) }
    }

    private func poison(_ what: String, hint: String? = nil, cause: (any Error)? = nil) -> PatternError {
        PatternError(.poison, "A record for the history “\(name)” \(what)", hint: hint, cause: cause)
    }
}

extension StreamRecord {
    /// What the change did.
    fileprivate var kind: HistoricKind? {
        switch eventName {
        case .insert: .inserted
        case .modify: .modified
        case .remove: .removed
        default: nil
        }
    }
}
