#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import AWSClient

/// One change of one item, from a DynamoDB stream.
///
/// A change can be delivered more than once, and an old one again after newer ones: see `StreamProcessor`.
public struct StreamChange<Item: Decodable & Sendable>: Sendable {
    /// What happened to the item, with its images as far as the stream's view has them.
    public enum Kind: Sendable {
        case inserted(new: Item?)
        case modified(old: Item?, new: Item?)
        case removed(old: Item?)
    }

    /// The same however often the change is delivered; `eventID` in records.
    public var id: String
    /// What happened to the item.
    public var kind: Kind
    /// The item's key.
    public var keys: [String: AttributeValue]
    /// Grows with each change of one item.
    ///
    /// Those of different shards say nothing about each other.
    public var sequenceNumber: String
    /// When it was changed, rounded down to seconds.
    public var time: Date?
    /// Who changed it, where that was AWS itself.
    public var identity: StreamRecord.Identity?
    /// The record that this was decoded from.
    public var record: StreamRecord

    /// The item after the change; `nil` if it was removed, or the stream's view has no new images.
    public var new: Item? {
        switch kind {
        case .inserted(let new), .modified(_, let new): new
        case .removed: nil
        }
    }

    /// The item before the change; `nil` if it was inserted, or the stream's view has no old images.
    public var old: Item? {
        switch kind {
        case .removed(let old), .modified(let old, _): old
        case .inserted: nil
        }
    }

    /// Whether the item was deleted because its time to live was over, and not by a caller.
    public var isExpiry: Bool {
        guard case .removed = kind else { return false }
        return identity?.principalID == "dynamodb.amazonaws.com" && identity?.type == "Service"
    }

    /// A change as a record says it.
    ///
    /// - Parameters:
    ///   - record: From Lambda's event or from the streams' API.
    ///   - decoder: How items are decoded.
    /// - Throws: `PatternError` with code `poison` for what is no record of a change, or whose images are no `Item`.
    public init(_ record: StreamRecord, decoder: AttributeDecoder = AttributeDecoder()) throws(PatternError) {
        guard let id = record.eventID, let name = record.eventName, let change = record.change,
            let keys = change.keys, let sequenceNumber = change.sequenceNumber
        else { throw PatternError(.poison, "The record lacks its id, its name, its keys or its sequence number.") }
        let new: Item?
        let old: Item?
        do {
            new = try change.newImage.map { try decoder.decode(from: $0) }
            old = try change.oldImage.map { try decoder.decode(from: $0) }
        } catch {
            throw PatternError(.poison, "An image of record \(id) cannot be decoded.", cause: error)
        }
        switch name {
        case .insert: kind = .inserted(new: new)
        case .modify: kind = .modified(old: old, new: new)
        case .remove: kind = .removed(old: old)
        default: throw PatternError(.poison, "Record \(id) is neither an insertion, a modification nor a removal.")
        }
        self.id = id
        self.keys = keys
        self.sequenceNumber = sequenceNumber
        time = change.approximateCreationDateTime.map(Date.init(timeIntervalSince1970:))
        identity = record.userIdentity
        self.record = record
    }
}
