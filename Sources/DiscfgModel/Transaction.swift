/// Changes that take effect together or not at all, and the conditions under which they do.
///
/// If every precondition holds, `success` is carried out, otherwise `failure`; either as one commit.
public struct Transaction: Sendable, Hashable {
    /// The conditions, all of which must hold for `success`; without any, `success` is carried out.
    public var preconditions: [Precondition]
    /// What is done if every precondition holds.
    public var success: [Operation]
    /// What is done if a precondition does not hold.
    public var failure: [Operation]
    /// The author of the commit; empty if unknown.
    public var author: String
    /// The reason; at most 1024 bytes.
    public var message: String

    /// A transaction; without an `else` branch it does nothing if a precondition does not hold.
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

/// The result of a transaction.
public struct TransactionResult: Sendable, Hashable {
    /// The result of one operation.
    public struct Outcome: Sendable, Hashable {
        /// The item after the operation; `nil` if it is absent then.
        public var item: Item?
        /// The items that the operation replaced or removed, in the order of their keys.
        public var previous: [Item]
        /// The items of a range that was read, in the order of their keys.
        public var found: [Item]
        /// The result of a nested transaction.
        public var nested: TransactionResult?

        /// The result of an operation; what does not apply to its kind is left out.
        public init(
            item: Item? = nil, previous: [Item] = [], found: [Item] = [], nested: TransactionResult? = nil
        ) {
            self.item = item
            self.previous = previous
            self.found = found
            self.nested = nested
        }
    }

    /// The first precondition that failed; `nil` if all held.
    public var failed: Precondition?
    /// With a failed precondition, its key's item; `nil` if the key is absent.
    public var current: Item?
    /// The results of the branch that was carried out, one for each operation.
    public var outcomes: [Outcome]
    /// The commit's revision, or the config's revision if nothing changed.
    public var revision: Revision
    /// Whether a commit was made.
    public var changed: Bool

    /// A result, as a store or the reader of an answer fills it in.
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
        if case .unchanged = failed.test {
            throw DiscfgError(
                .conditionFailed, "The write asks for \(failed.phrase), but the config is at revision \(revision).",
                hint: "Read again what changed since, and decide on what you see.")
        }
        let actual = current.map { "it has version \($0.version) at revision \($0.modified)" } ?? "it is absent"
        throw DiscfgError(
            .conditionFailed, "The write asks for \(failed.phrase), but \(actual).",
            hint: "Read the key again, and decide on what you see.", current: current)
    }
}
