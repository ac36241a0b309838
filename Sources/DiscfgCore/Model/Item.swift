/// A number that every commit of a config raises by exactly one; the commit that made the config is revision 1.
public typealias Revision = Int64

/// A key with its value, as it stands at some revision.
public struct Item: Sendable, Hashable {
    public var key: Key
    public var value: Value
    /// How often the key was set since it last came to be: 1, 2, and so on.
    public var version: Int64
    /// The revision at which the key last came to be.
    public var created: Revision
    /// The revision of the last change.
    public var modified: Revision
    /// When the last change was made.
    public var modifiedAt: Timestamp
    /// Who made the last change; empty where it is not known.
    public var author: String
    /// When the key ceases to be; `nil` for never.
    public var expiry: Timestamp?
    /// The lease that the key is attached to; `nil` for none.
    public var lease: Int64?

    public init(
        key: Key, value: Value, version: Int64 = 1, created: Revision, modified: Revision, modifiedAt: Timestamp,
        author: String = "", expiry: Timestamp? = nil, lease: Int64? = nil
    ) {
        self.key = key
        self.value = value
        self.version = version
        self.created = created
        self.modified = modified
        self.modifiedAt = modifiedAt
        self.author = author
        self.expiry = expiry
        self.lease = lease
    }

    /// Whether the key is overdue, and so absent for every reader.
    public func isExpired(at now: Timestamp) -> Bool { expiry.map { $0 <= now } ?? false }

    /// Whether it stands for a directory, and so is no key of anybody's: what etcd's v2 API calls one.
    public var isDirectory: Bool { key.bytes.last == UInt8(ascii: "/") && value.contentType == Value.directory }

    /// The bytes of its key and value.
    package var weight: Int { key.bytes.count + value.bytes.count }
}
