public import AWSClient

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a change did to an item.
public enum HistoricKind: String, Sendable {
    case inserted, modified, removed
}

/// One change of an item, as its history has it.
public struct HistoricEntry<Item: Codable & Sendable>: Sendable {
    /// Whether the item was inserted, modified or removed.
    public let kind: HistoricKind
    /// The item's version; for a deletion, one more than that of what was deleted.
    public let version: Int64
    /// Names the item's life, from its insertion to its deletion; lives sort as they began, by their writers' clocks.
    public let life: String
    /// When the change was made: by the writer's clock where the table keeps such times, otherwise by the stream, to
    /// the second; `nil` if that is not known, because it was recovered.
    public let time: Date?
    /// When it was put into the history.
    public let recordedAt: Date?
    /// Who made the change: the item's author, or the service that deleted it, such as `dynamodb.amazonaws.com` for an
    /// item that expired; `nil` if nobody said.
    public let by: String?
    /// The stream's name of the change; `nil` for what was recovered.
    public let eventID: String?
    /// The item's attributes as they were; `nil` for a deletion.
    public let attributes: [String: AttributeValue]?
    /// The time by the stream, for comparison with other lives.
    let streamTime: Int64?
    let decoder: AttributeDecoder

    /// Whether it was not recorded from a record of its own, but from what the next one said was before it.
    public var isRecovered: Bool { eventID == nil }

    /// The item as it was; `nil` for a deletion.
    ///
    /// Throws `PatternError` with code `corrupt` if it cannot be read as the type is now; see `attributes`.
    public var item: Item? {
        get throws(PatternError) {
            guard let attributes else { return nil }
            do {
                return try decoder.decode(Item.self, from: attributes)
            } catch {
                throw PatternError(.corrupt, "Version \(version) cannot be read as \(Item.self).", cause: error)
            }
        }
    }
}

extension HistoricEntry {
    var place: VersionPlace { VersionPlace(life: life, version: version) }

    /// The time in milliseconds since 1970.
    var moment: Int64? { time?.milliseconds }

    /// Whether nothing can have been before it in its life.
    var isBeginning: Bool { kind == .inserted }
}

/// Some of an item's entries, newest first.
public struct HistoricPage<Item: Codable & Sendable>: Sendable {
    /// The entries of the page, by version, the highest first.
    public let entries: [HistoricEntry<Item>]
    /// Where the next page begins; `nil` on the last one.
    public let next: String?
}

/// Versions of an item that its history does not have.
public struct HistoricGap: Sendable, Hashable {
    /// The life of the item in which they are missing.
    public let life: String
    /// The version after which they are missing; 0 where the beginning is.
    public let after: Int64
    /// The first version that is there again; `nil` if the rest is missing, the deletion with it.
    public let before: Int64?
}

/// What an item was at a moment.
public enum HistoricState<Item: Codable & Sendable>: Sendable {
    case found(Item, version: Int64)
    /// There was none; when it was deleted, and by whom, where that is known.
    case deleted(at: Date, by: String?)
    /// There was none yet.
    case didNotExistYet
    /// The history lacks what would tell.
    case unknown(HistoricGap)
}
