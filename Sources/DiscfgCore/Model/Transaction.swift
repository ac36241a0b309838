/// Changes that take effect together or not at all, and the conditions under which they do.
///
/// When every precondition holds, `success` is carried out, otherwise `failure`; either as one commit.
public struct Transaction: Sendable, Hashable {
    public var preconditions: [Precondition]
    public var success: [Operation]
    public var failure: [Operation]
    /// Who makes the commit; empty where that is not known.
    public var author: String
    /// Why; at most 1024 bytes.
    public var message: String

    public init(
        if preconditions: [Precondition] = [], then success: [Operation], else failure: [Operation] = [],
        author: String = "",
        message: String = ""
    ) {
        self.preconditions = preconditions
        self.success = success
        self.failure = failure
        self.author = author
        self.message = message
    }
}

/// Something that must be true of a key before a transaction's changes are made.
public struct Precondition: Sendable, Hashable {
    /// What must be true.
    public enum Test: Sendable, Hashable {
        case absent
        case present
        /// The key has been set that often since it came to be; 0 means that it is absent.
        case version(Int64)
        /// The key was last changed by that revision; 0 means that it is absent.
        case revision(Revision)
        /// The key holds exactly these bytes.
        case value([UInt8])
    }

    public var key: Key
    public var test: Test

    public init(_ key: Key, _ test: Test) {
        self.key = key
        self.test = test
    }

    /// Whether it holds for the key's item, `nil` where the key is absent.
    public func holds(for item: Item?) -> Bool {
        switch test {
        case .absent: item == nil
        case .present: item != nil
        case .version(let version): (item?.version ?? 0) == version
        case .revision(let revision): (item?.modified ?? 0) == revision
        case .value(let bytes): item?.value.bytes == bytes
        }
    }

    /// The condition as a phrase that ends “…, but”; shows no value.
    var phrase: String {
        switch test {
        case .absent: "“\(key)” to be absent"
        case .present: "“\(key)” to be present"
        case .version(let version): "“\(key)” to have version \(version)"
        case .revision(let revision): "“\(key)” to be at revision \(revision)"
        case .value: "“\(key)” to hold the given value"
        }
    }
}

/// One thing that a transaction does.
public enum Operation: Sendable, Hashable {
    /// Sets a key.
    case set(Key, Value, expiry: Expiry = .never)
    /// Changes the members that a JSON merge patch (RFC 7396) names; an absent key counts as an empty document.
    case patch(Key, JSONValue)
    /// Removes a key; an absent one is left alone.
    case delete(Key)
    /// Removes every selected key.
    case deleteAll(KeySelection)
    /// Reads a key, as it stands after the operations before this one.
    case get(Key)

    /// When a key that is set ceases to be.
    public enum Expiry: Sendable, Hashable {
        case never
        /// As before: a key that had a time to live keeps it.
        case unchanged
        /// That long after the commit.
        case after(Duration)
        /// At that moment.
        case at(Timestamp)
    }
}

/// What came of a transaction.
public struct TransactionResult: Sendable, Hashable {
    /// What came of one operation.
    public struct Outcome: Sendable, Hashable {
        /// The item after the operation; `nil` where it is absent then.
        public var item: Item?
        /// The items that the operation replaced or removed, in the order of their keys.
        public var previous: [Item]

        public init(item: Item? = nil, previous: [Item] = []) {
            self.item = item
            self.previous = previous
        }
    }

    /// The first precondition that failed; `nil` when all held.
    public var failed: Precondition?
    /// With a failed precondition, its key's item; `nil` where the key is absent.
    public var current: Item?
    /// One for each operation of the branch that was carried out.
    public var outcomes: [Outcome]
    /// The commit's revision, or the config's, when nothing changed.
    public var revision: Revision
    /// Whether a commit was made.
    public var changed: Bool

    public init(
        failed: Precondition? = nil, current: Item? = nil, outcomes: [Outcome] = [], revision: Revision, changed: Bool
    ) {
        self.failed = failed
        self.current = current
        self.outcomes = outcomes
        self.revision = revision
        self.changed = changed
    }

    /// The result, unless a precondition failed.
    ///
    /// - Throws: `DiscfgError` with code `conditionFailed`, and the current item.
    public func orThrow() throws(DiscfgError) -> TransactionResult {
        guard let failed else { return self }
        let actual = current.map { "it has version \($0.version) at revision \($0.modified)" } ?? "it is absent"
        throw DiscfgError(
            .conditionFailed, "The write asks for \(failed.phrase), but \(actual).",
            hint: "Read the key again, and decide on what you see.", current: current)
    }
}
