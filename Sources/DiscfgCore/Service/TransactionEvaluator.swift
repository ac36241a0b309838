/// Works out what transactions do, in memory and without a store: given the items that they touch, it gives the commits.
///
/// It holds what a config looks like at the tail of its log, as far as it was loaded, and moves on with each commit that it
/// proposes or is told of.
struct TransactionEvaluator {
    /// The end of the log, with the commits proposed so far.
    private(set) var tail: LogTail
    /// The commits to append, in order.
    private(set) var proposed: [Commit] = []
    /// What they weigh, against the engine's limits: each commit but the first counts as one more change.
    var changeCount: Int { changes + max(0, proposed.count - 1) }
    private(set) var byteCount = 0
    private var changes = 0
    /// The bytes of the values in all outcomes, which their readers are sent.
    private(set) var outcomeBytes = 0
    /// The most bytes of values in what a transaction answers.
    static let maximumOutcomeBytes = 64 << 20
    /// Every key that was loaded or changed; a `nil` is known to be absent.
    private(set) var items: [Key: Item?]
    private let now: Timestamp
    /// Time never runs backwards along a log, whatever the clocks of its writers say.
    private var time: Timestamp { max(now, tail.time) }

    /// Begins at the tail of a log, with the items of every key and range that the transactions touch.
    init(items: [Key: Item?], tail: LogTail, now: Timestamp) {
        self.items = items
        self.tail = tail
        self.now = now
    }

    /// What was proposed is in the log.
    mutating func settle() { (proposed, changes, byteCount, outcomeBytes) = ([], 0, 0, 0) }

    /// Takes over what others committed; what was proposed is void.
    mutating func advance(over newer: [Commit]) {
        let base = proposed.isEmpty ? tail.revision : proposed[0].revision - 1
        // The newest first: what a key was before the oldest of them is what it was.
        for commit in proposed.reversed() {
            for change in commit.changes { items[change.key] = .some(change.previous) }
        }
        settle()
        tail.revision = base
        for commit in newer where commit.revision == tail.revision + 1 {
            for change in commit.changes { items[change.key] = .some(change.item) }
            tail.revision = commit.revision
            tail.time = commit.time
        }
    }

    /// Proposes a commit that removes what is overdue among some keys, before anything else looks at them.
    ///
    /// - Returns: Whether there are more than it may remove at once.
    mutating func expireOverdue(among keys: some Sequence<Key>, limits: StorageLimits) -> Bool {
        var draft = Draft(revision: tail.revision + 1)
        var weight = 0
        for item in keys.compactMap({ item($0) }) where item.isExpired(at: now) {
            weight += item.key.bytes.count + item.value.bytes.count
            let isFull = draft.changes.count >= limits.changes || weight > limits.bytes
            if isFull, !draft.changes.isEmpty {
                propose(draft, author: "", message: "")
                return true
            }
            draft.record(.removed(item, kind: .expire))
        }
        propose(draft, author: "", message: "")
        return false
    }

    /// Carries out one transaction, and proposes its commit when it changes anything.
    ///
    /// - Throws: `DiscfgError` when an operation cannot be carried out; nothing is proposed then.
    mutating func evaluate(_ transaction: Transaction) throws(DiscfgError) -> TransactionResult {
        let failed = transaction.preconditions.first { !$0.holds(for: item($0.key)) }
        var draft = Draft(revision: tail.revision + 1)
        var outcomes: [TransactionResult.Outcome] = []
        var weight = 0
        for operation in failed == nil ? transaction.success : transaction.failure {
            let outcome = try carryOut(operation, author: transaction.author, in: &draft)
            weight += outcome.weight
            guard weight <= Self.maximumOutcomeBytes else {
                throw DiscfgError(
                    .tooLarge,
                    "The transaction reads and replaces more than \(Self.maximumOutcomeBytes) bytes of values.",
                    hint: "Split it into smaller ones.")
            }
            outcomes.append(outcome)
        }
        outcomeBytes += weight
        let current = failed.flatMap { item($0.key) }
        let changed = propose(draft, author: transaction.author, message: transaction.message)
        return TransactionResult(
            failed: failed, current: current, outcomes: outcomes, revision: tail.revision, changed: changed)
    }

    /// Takes back the last commit that was proposed: it did not fit the engine's limits.
    mutating func retractLast() {
        guard let commit = proposed.popLast() else { return }
        for change in commit.changes { items[change.key] = .some(change.previous) }
        changes -= commit.changes.count
        byteCount -= commit.weight
        tail.revision -= 1
    }

    private func item(_ key: Key, in draft: Draft? = nil) -> Item? {
        if let draft, let change = draft.changes[key] { return change.item }
        return items[key] ?? nil
    }

    private func carryOut(_ operation: Operation, author: String, in draft: inout Draft) throws(DiscfgError)
        -> TransactionResult.Outcome
    {
        switch operation {
        case .get(let key):
            return .init(item: item(key, in: draft))
        case .set(let key, let value, let expiry):
            let previous = item(key, in: draft)
            let item = successor(
                of: previous, key: key, value: value, expiry: expiry, author: author, revision: draft.revision)
            draft.record(.set(item, previous: previous))
            return .init(item: item, previous: previous.map { [$0] } ?? [])
        case .patch(let key, let patch):
            let previous = item(key, in: draft)
            let document = try previous?.value.parsedJSON() ?? .object(JSONObject())
            let type = previous?.value.contentType ?? Value.json
            let value = Value(bytes: document.merging(patch).bytes, contentType: type)
            try value.validate()
            return try carryOut(.set(key, value, expiry: .unchanged), author: author, in: &draft)
        case .delete(let key):
            return remove([item(key, in: draft)].compactMap { $0 }, in: &draft)
        case .deleteAll(let selection):
            let keys = Set(items.keys).union(draft.changes.keys).filter { selection.contains($0) }
            return remove(keys.sorted().compactMap { item($0, in: draft) }, in: &draft)
        }
    }

    private func remove(_ victims: [Item], in draft: inout Draft) -> TransactionResult.Outcome {
        for victim in victims { draft.record(.removed(victim)) }
        return .init(previous: victims)
    }

    private func successor(
        of previous: Item?, key: Key, value: Value, expiry: Operation.Expiry, author: String, revision: Revision
    ) -> Item {
        let deadline: Timestamp? =
            switch expiry {
            case .never: nil
            case .unchanged: previous?.expiry
            case .after(let duration): time + duration
            case .at(let moment): moment
            }
        return Item(
            key: key, value: value, version: (previous?.version ?? 0) + 1, created: previous?.created ?? revision,
            modified: revision, modifiedAt: time, author: author, expiry: deadline, lease: nil)
    }

    @discardableResult
    private mutating func propose(_ draft: Draft, author: String, message: String) -> Bool {
        let changes = draft.changes.values.sorted { $0.key < $1.key }
        guard !changes.isEmpty else { return false }
        for change in changes { items[change.key] = .some(change.item) }
        let commit = Commit(revision: draft.revision, time: time, author: author, message: message, changes: changes)
        self.changes += changes.count
        byteCount += commit.weight
        proposed.append(commit)
        (tail.revision, tail.time) = (commit.revision, commit.time)
        return true
    }
}

/// The changes of a commit in the making: at most one for each key, which sums up all that happened to it.
private struct Draft {
    let revision: Revision
    var changes: [Key: Change] = [:]

    mutating func record(_ change: Change) {
        guard let earlier = changes[change.key] else {
            changes[change.key] = change
            return
        }
        // What came to be and ceased to be within one commit never was.
        if change.item == nil, earlier.previous == nil {
            changes[change.key] = nil
        } else {
            changes[change.key]?.kind = change.kind
            changes[change.key]?.item = change.item
        }
    }
}

extension TransactionResult.Outcome {
    /// The bytes of its values.
    fileprivate var weight: Int { (item?.value.bytes.count ?? 0) + previous.reduce(0) { $0 + $1.value.bytes.count } }
}

extension Commit {
    /// The bytes of its keys and values, before and after.
    var weight: Int {
        changes.reduce(0) {
            $0 + $1.key.bytes.count + ($1.item?.value.bytes.count ?? 0) + ($1.previous?.value.bytes.count ?? 0)
        }
    }
}
