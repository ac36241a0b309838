/// One entry of a config's log: changes that were made as one, with an author, a time and a reason.
public struct Commit: Sendable, Hashable {
    /// Shows whether an append whose reply was lost has taken effect; 32 lower-case hexadecimal digits.
    public var id: String
    /// One more than the revision of the commit before; 1 for the commit that created the config.
    public var revision: Revision
    /// The time of the commit, never before that of the commit before.
    public var time: Timestamp
    /// The author; empty if unknown.
    public var author: String
    /// The reason; empty if none was given.
    public var message: String
    /// In the order of their keys; at most one for each key.
    public var changes: [Change]

    /// A commit with a new id, unless one is given.
    public init(
        id: String = Commit.newID(), revision: Revision, time: Timestamp, author: String, message: String,
        changes: [Change]
    ) {
        self.id = id
        self.revision = revision
        self.time = time
        self.author = author
        self.message = message
        self.changes = changes
    }

    /// A new id, which no other commit of any process has.
    public static func newID() -> String { UniqueID.next() }

    /// The commit with only the changes to the selected keys, or `nil` if none is left.
    public func selecting(_ selection: KeySelection) -> Commit? {
        if selection == .all { return self }
        var commit = self
        commit.changes.removeAll { !selection.contains($0.key) }
        return commit.changes.isEmpty ? nil : commit
    }
}

extension Commit {
    /// The number of bytes of its keys and values, before and after.
    package var weight: Int {
        changes.reduce(0) {
            $0 + $1.key.bytes.count + ($1.item?.value.bytes.count ?? 0) + ($1.previous?.value.bytes.count ?? 0)
        }
    }

    /// The leases to which a key is newly attached.
    package var newLeases: Set<Int64> {
        var leases: Set<Int64> = []
        for change in changes {
            if let lease = change.item?.lease, lease != change.previous?.lease { leases.insert(lease) }
        }
        return leases
    }
}

/// The change of one key in a commit.
///
/// A change contains the item before and after it, so that it can be undone, shown and watched without another read,
/// even if older entries of the log are gone.
public struct Change: Sendable, Hashable {
    /// The kind of a change.
    public enum Kind: String, Sendable, Hashable {
        case set, delete
        /// A deletion because the time to live is over.
        case expire
    }

    /// Whether the key was set, deleted, or removed because its time to live was over.
    public var kind: Kind
    /// The key that the commit changed.
    public var key: Key
    /// The item after the change; `nil` unless it was set.
    public var item: Item?
    /// The item before the change; `nil` if the key was absent.
    public var previous: Item?

    /// The key was set.
    public static func set(_ item: Item, previous: Item?) -> Change {
        Change(kind: .set, key: item.key, item: item, previous: previous)
    }

    /// The key was deleted, or expired.
    public static func removed(_ previous: Item, kind: Kind = .delete) -> Change {
        Change(kind: kind, key: previous.key, item: nil, previous: previous)
    }

    /// A change; `item` and `previous` must be consistent with the kind, as in `set` and `removed`.
    public init(kind: Kind, key: Key, item: Item?, previous: Item?) {
        self.kind = kind
        self.key = key
        self.item = item
        self.previous = previous
    }
}
