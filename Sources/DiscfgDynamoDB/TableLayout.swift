import AWSClient
import DiscfgCore

/// The keys of each kind of record in the table.
///
/// The partition key `pk` is text. The sort key `sk` is bytes, which DynamoDB compares as etcd compares keys. The
/// partition keys of a config begin with `C#<config>`, so that an IAM policy can name them as leading keys.
struct TableLayout: Sendable {
    let config: ConfigName

    /// The partition that lists all configs by name.
    static let catalog = "C"
    /// The index of the items that expire: config, then expiry.
    static let expiryIndex = "expiry"

    /// The config's record.
    var record: [String: AttributeValue] { Self.key("C#\(config)", [UInt8(ascii: "!")]) }
    /// The config's entry in the catalog.
    var catalogEntry: [String: AttributeValue] { Self.key(Self.catalog, Array(config.description.utf8)) }
    /// The partition of the current items.
    var items: String { "C#\(config)#K" }
    /// The partition that lists large values by their digests: for this incarnation alone, as for the log.
    func blobs(_ incarnation: String) -> String { "C#\(config)#B#\(incarnation)" }

    func item(_ key: Key) -> [String: AttributeValue] { Self.key(items, key.bytes) }
    /// The partition of the log: for this incarnation alone, so that a late writer cannot change the log of another.
    func log(_ incarnation: String) -> String { "C#\(config)#L#\(incarnation)" }
    func entry(_ revision: Revision, _ incarnation: String) -> [String: AttributeValue] {
        Self.key(log(incarnation), Self.bytes(of: revision))
    }
    /// The partition of the leases: for this incarnation alone, as for the log.
    func leases(_ incarnation: String) -> String { "C#\(config)#E#\(incarnation)" }
    func lease(_ id: Int64, _ incarnation: String) -> [String: AttributeValue] {
        Self.key(leases(incarnation), Self.bytes(of: id))
    }
    /// The partition of the cells: for this incarnation alone, as for the log.
    func cells(_ incarnation: String) -> String { "C#\(config)#N#\(incarnation)" }
    func cell(_ name: String, _ incarnation: String) -> [String: AttributeValue] {
        Self.key(cells(incarnation), Array(name.utf8))
    }
    /// The partition of the parts of one large value; no two uploads have the same name.
    func parts(of blob: BlobReference) -> String { "C#\(config)#V#\(blob.digest)#\(blob.upload)" }

    static func key(_ partition: String, _ sort: [UInt8]) -> [String: AttributeValue] {
        [Name.partition: .string(partition), Name.sort: .binary(sort)]
    }

    /// Eight bytes, big-endian: revisions and the ids of leases are sorted as numbers, which are never negative.
    static func bytes(of number: Int64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }
}

/// The names of attributes.
///
/// They are short words: they count as bytes of each item, and people read them in the console.
enum Name {
    static let partition = "pk"
    static let sort = "sk"
    /// The time in seconds after which DynamoDB may remove the record: for garbage only, never for items.
    static let garbage = "ttl"

    // Items; the names of their other attributes are `ItemAttributes.Names`.
    static let key = "key"
    static let blob = "blob"
    static let time = "at"
    static let author = "by"
    static let expiry = "expiry"
    /// The config's name, on items that expire and on the record of a config that has had leases: the partition key of
    /// the index.
    static let due = "due"

    // Commits.
    static let revision = "rev"
    static let id = "id"
    static let message = "msg"
    static let changes = "changes"
    /// Marks the rest of a trimmed entry, which prevents a late writer from taking its revision.
    static let stub = "stub"
    /// On a stub, marks that it still contains its commit; on a config's record, that there may be such stubs.
    static let kept = "kept"
    /// The entry that ends the log of a config that was removed.
    static let end = "end"

    // Configs.
    static let name = "name"
    static let settings = "settings"
    static let created = "created"
    static let trimmed = "trimmed"
    static let purged = "purged"
    /// The incarnation.
    static let log = "log"
    /// A revision near the tail, and its time: the start for writers that have read nothing yet.
    static let hint = "hint"
    static let hintTime = "hintAt"
    static let removed = "removed"
    /// A mark of the call that removes the config, by which the call recognises its own write if the answer was lost.
    static let remover = "remover"

    // Changes inside a commit: single letters, because each of them occurs twice.
    static let changedKey = "k"
    static let kind = "t"
    static let item = "i"
    static let previous = "p"

    // Leases.
    /// The time to live, in milliseconds.
    static let span = "span"
    static let ending = "ending"
    /// Every key that was ever attached.
    static let keys = "keys"
    /// Bytes that a renewal may need: attaching fills them, and renewing removes them.
    static let room = "room"
    /// Shows whether an existing lease was created by an attempt whose answer was lost.
    static let mark = "mark"

    // Cells, which an older discfg called notes.
    static let cell = "note"
    /// Also of leases.
    static let version = "ver"

    // Large values.
    static let upload = "up"
    static let size = "size"
    static let ready = "ready"
    /// An upload that is being removed.
    static let dead = "dead"
    static let bytes = "bytes"
}
