/// One entry of a config's log: some changes made as one, by someone, at some time, for some reason.
public struct Commit: Sendable, Hashable {
    /// Tells whether an append whose reply was lost took effect; 32 lower-case hexadecimal digits.
    public var id: String
    public var revision: Revision
    public var time: Timestamp
    /// Who made it; empty where that is not known.
    public var author: String
    /// Why; empty where nothing was said.
    public var message: String
    /// In the order of their keys; at most one for each key.
    public var changes: [Change]

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

    /// A new identity: no other process, and nothing else in this one, has it.
    public static func newID() -> String { UniqueID.next() }

    /// The commit with only the changes to the selected keys, or `nil` when none is left.
    public func selecting(_ selection: KeySelection) -> Commit? {
        if selection == .all { return self }
        var commit = self
        commit.changes.removeAll { !selection.contains($0.key) }
        return commit.changes.isEmpty ? nil : commit
    }
}

extension Commit {
    /// The bytes of its keys and values, before and after.
    package var weight: Int {
        changes.reduce(0) {
            $0 + $1.key.bytes.count + ($1.item?.value.bytes.count ?? 0) + ($1.previous?.value.bytes.count ?? 0)
        }
    }

    /// The leases to which something is attached that was not before.
    package var newLeases: Set<Int64> {
        var leases: Set<Int64> = []
        for change in changes {
            if let lease = change.item?.lease, lease != change.previous?.lease { leases.insert(lease) }
        }
        return leases
    }
}

/// What a commit did to one key.
///
/// A change carries the item before and after, so that it can be undone, shown and watched without another read, also
/// when older entries of the log are gone.
public struct Change: Sendable, Hashable {
    /// What kind of change it was.
    public enum Kind: String, Sendable, Hashable {
        case set, delete
        /// A deletion because the time to live ran out.
        case expire
    }

    public var kind: Kind
    public var key: Key
    /// The item after the change; `nil` unless it was set.
    public var item: Item?
    /// The item before the change; `nil` where the key was absent.
    public var previous: Item?

    /// The key was set.
    public static func set(_ item: Item, previous: Item?) -> Change {
        Change(kind: .set, key: item.key, item: item, previous: previous)
    }

    /// The key was deleted, or expired.
    public static func removed(_ previous: Item, kind: Kind = .delete) -> Change {
        Change(kind: kind, key: previous.key, item: nil, previous: previous)
    }

    public init(kind: Kind, key: Key, item: Item?, previous: Item?) {
        self.kind = kind
        self.key = key
        self.item = item
        self.previous = previous
    }
}
