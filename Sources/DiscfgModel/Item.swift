/// A number that every commit of a config raises by exactly one; the commit that creates the config is revision 1.
public typealias Revision = Int64

/// A key with its value at a revision.
public struct Item: Sendable, Hashable {
    /// The key, which is unique in its config.
    public var key: Key
    /// The bytes and their content type.
    public var value: Value
    /// The number of times that the key was set since it was created: 1, 2, and so on.
    public var version: Int64
    /// The revision that created the key.
    public var created: Revision
    /// The revision of the last change.
    public var modified: Revision
    /// The time of the last change.
    public var modifiedAt: Timestamp
    /// The author of the last change; empty if unknown.
    public var author: String
    /// The time at which the key expires; `nil` for never.
    public var expiry: Timestamp?
    /// The lease that the key is attached to; `nil` for none.
    public var lease: Int64?

    /// An item, by default of version 1 without an author, an expiry or a lease.
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

    /// Whether the item represents a directory of etcd's v2 API, and not a key.
    public var isDirectory: Bool { key.bytes.last == UInt8(ascii: "/") && value.contentType == Value.directory }

    /// The number of bytes of its key and value.
    package var weight: Int { key.bytes.count + value.bytes.count }
}
