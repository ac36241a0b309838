import AWSClient

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The names of the attributes that a `VersionedTable` keeps beside those of the item's own type.
public struct VersionAttributes: Sendable, Hashable {
    /// A number that grows by one with each write.
    public var version: String
    /// A string that differs for each write and each life of an item.
    public var stamp: String
    /// A number, the writer's time in milliseconds since 1970, which never goes back; `nil` for none.
    public var modified: String?

    /// The names `version` and `stamp` and no time, unless others are given.
    public init(version: String = "version", stamp: String = "stamp", modified: String? = nil) {
        self.version = version
        self.stamp = stamp
        self.modified = modified
    }
}

/// An item, and which version of it this is.
///
/// Change `item`, and hand the whole to `VersionedTable.save`.
public struct Versioned<Item: Codable & Sendable>: Sendable {
    /// The item, to be changed at will, its key excepted.
    public var item: Item
    /// The key under which it is stored.
    public let key: PrimaryKey
    /// Grows by one with each write; 0 for an item that was never written with a version.
    public let version: Int64
    /// When it was written, by the writer's clock; `nil` if the table keeps no such time.
    public let modified: Date?
    /// The version and the stamp as they are stored: what a write compares.
    let mark: StoredItem
    let stamp: VersionStamp?
    /// What is stored beside them, and how the item's type writes that.
    var content: StoredAttributes
}

/// An item is not what it was when it was loaded: it was changed, deleted or inserted by somebody else.
///
/// Nothing was written, unless `mayHaveTakenEffect` says that this is not known.
public struct Conflict<Item: Codable & Sendable>: Error {
    /// The table's name.
    public let table: String
    /// The key of the item.
    public let key: PrimaryKey
    /// The item as it is now, to decide anew; `nil` if it was deleted.
    public let newer: Versioned<Item>?
    /// Whether the write may have been carried out all the same, and have been overwritten since.
    ///
    /// That happens only when an answer was lost and several others wrote before the write was tried again.
    public let mayHaveTakenEffect: Bool
    /// Whether the item was to be inserted.
    var isInsertion = false
}

extension Conflict: CustomStringConvertible {
    /// What became of the item, and in which table; no key and no content.
    public var description: String {
        "conflict: an item of the table “\(table)” "
            + state
            + (mayHaveTakenEffect ? " An answer was lost: the write may have been carried out before." : "")
    }

    private var state: String {
        guard let newer else { return "does not exist any more." }
        return isInsertion
            ? "has this key already; it is at version \(newer.version)." : "is at version \(newer.version) by now."
    }
}
