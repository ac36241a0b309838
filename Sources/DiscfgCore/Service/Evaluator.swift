/// Works out what proposals do, in memory and without a store: given the items that they look at, it gives the commits.
///
/// It holds what a config looks like at the tail of its log, as far as it was loaded, and moves on with each commit that it
/// proposes or is told of. What a proposal looks at and was not loaded counts as absent at first, and is noted in `missing`:
/// then it must be loaded, and the proposal be carried out anew.
struct Evaluator {
    /// The end of the log, with the commits proposed so far.
    private(set) var tail: LogTail
    /// The commits to append, in order.
    private(set) var proposed: [Commit] = []
    /// What they weigh, against the engine's limits: each commit but the first counts as one more change, each lease that
    /// something is newly attached to as well.
    var changeCount: Int { changes + max(0, proposed.count - 1) }
    private(set) var byteCount = 0
    private var changes = 0
    /// The bytes of the values in all outcomes, which their readers are sent.
    private(set) var outcomeBytes = 0
    /// The most bytes of values in what a transaction answers.
    static let maximumOutcomeBytes = 64 << 20
    /// Every key that was loaded or changed; a `nil` is known to be absent.
    private(set) var items: [Key: Item?]
    /// Ranges of which every item is among `items`.
    private let ranges: Set<KeyRange>
    /// The keys that the newest commits of the log have changed, as far as they were loaded.
    private var recent: RecentChanges?
    /// What was looked at without being known.
    private(set) var missing = Touched()
    /// Leases of which an append has said that they are not there.
    var endedLeases: Set<Int64> = []
    let config: ConfigName
    let now: Timestamp
    /// The commit in the making.
    private var draft = Draft()

    /// Begins at the tail of a log, with what was loaded of the config.
    init(
        config: ConfigName, items: [Key: Item?], ranges: Set<KeyRange> = [], recent: RecentChanges? = nil,
        tail: LogTail, now: Timestamp
    ) {
        self.config = config
        self.items = items
        self.ranges = ranges
        self.recent = recent
        self.tail = tail
        self.now = now
    }

    /// What was proposed is in the log.
    mutating func settle() {
        recent?.note(proposed)
        withdraw()
    }

    private mutating func withdraw() { (proposed, changes, byteCount, outcomeBytes) = ([], 0, 0, 0) }

    /// Takes over what others committed; what was proposed is void.
    mutating func advance(over newer: [Commit]) {
        let base = proposed.isEmpty ? tail.revision : proposed[0].revision - 1
        // The newest first: what a key was before the oldest of them is what it was.
        for commit in proposed.reversed() { revert(commit) }
        withdraw()
        tail.revision = base
        for commit in newer where commit.revision == tail.revision + 1 {
            for change in commit.changes where !isPlanted(.forgetsOthersChanges) {
                items[change.key] = .some(change.item)
            }
            recent?.note([commit])
            tail.revision = commit.revision
            tail.time = commit.time
        }
    }

    /// Carries out a proposal, and proposes its commit when it changes anything.
    ///
    /// - Throws: `DiscfgError` when it cannot be carried out; nothing is proposed then.
    mutating func evaluate<P: Proposal>(_ proposal: P) throws(DiscfgError) -> P.Outcome {
        draft = Draft(author: proposal.author, message: proposal.message)
        // What a proposal did before it was refused must not be seen by what comes after it.
        defer { draft = Draft() }
        let outcome = try proposal.carryOut(on: &self)
        outcomeBytes += draft.outcomeBytes
        propose()
        return outcome
    }

    /// Takes back the last commit that was proposed: it did not fit the engine's limits.
    mutating func retractLast() {
        guard let commit = proposed.popLast() else { return }
        revert(commit)
        changes -= commit.changes.count + commit.newLeases.count
        byteCount -= commit.weight
        tail.revision -= 1
    }

    private mutating func revert(_ commit: Commit) {
        for change in commit.changes { items[change.key] = .some(change.previous) }
    }

    private mutating func propose() {
        guard hasChanges else { return }
        var commit = Commit(
            revision: revision, time: time, author: draft.author, message: draft.message,
            changes: draft.changes.values.sorted { $0.key < $1.key })
        if isPlanted(.halfTransactions), !proposed.isEmpty { commit.changes = [commit.changes[0]] }
        draft = Draft()
        for change in commit.changes { items[change.key] = .some(change.item) }
        changes += commit.changes.count + commit.newLeases.count
        byteCount += commit.weight
        (tail.revision, tail.time) = (commit.revision, commit.time)
        proposed.append(commit)
    }

    /// Proposes commits that remove what is overdue among some keys, before anything else looks at them.
    ///
    /// There is one for each key, as each is an event of its own; a directory goes together with what is below it.
    /// - Returns: Whether there is more than may be removed at once.
    mutating func expireOverdue(among keys: some Sequence<Key>, limits: StorageLimits) -> Bool {
        let overdue = keys.compactMap { item($0) }.filter { $0.isExpired(at: now) }
        for item in overdue.sorted(by: { ($0.expiry ?? now, $0.key) < ($1.expiry ?? now, $1.key) }) {
            // A directory that was overdue before may have taken it along.
            guard let victim = self.item(item.key) else { continue }
            let victims = (victim.isDirectory ? items(in: .below(victim.key)) : []) + [victim]
            draft = Draft()
            var weight = byteCount
            for victim in victims {
                weight += victim.weight
                let count = changeCount + draft.changes.count + (proposed.isEmpty ? 0 : 1)
                let isFull = count >= limits.changes || weight > limits.bytes
                if isFull, hasChanges || !proposed.isEmpty {
                    propose()
                    return true
                }
                record(.removed(victim, kind: .expire))
            }
            propose()
        }
        return false
    }
}

/// What a proposal sees and does.
extension Evaluator {
    /// The revision of the proposal's commit, if it makes one; otherwise the config's.
    var revision: Revision { tail.revision + (hasChanges ? 1 : 0) }
    /// The revision that the proposal's commit will have.
    var nextRevision: Revision { tail.revision + 1 }
    /// When the commit is made; time never runs backwards along a log, whatever the clocks of its writers say.
    var time: Timestamp { isPlanted(.clockRunsBack) ? now : max(now, tail.time) }
    /// Whether the proposal has changed anything yet.
    var hasChanges: Bool { !draft.changes.isEmpty }

    /// The key's item, with the proposal's own changes; `nil` where the key is absent.
    mutating func item(_ key: Key) -> Item? {
        if let change = draft.changes[key] { return change.item }
        guard let known = items[key] else {
            if !ranges.contains(where: { $0.contains(key) }) { missing.keys.insert(key) }
            return nil
        }
        return known
    }

    /// The key's item as it was before the proposal.
    func committedItem(_ key: Key) -> Item? { items[key] ?? nil }

    /// The items of a range in the order of their keys, with the proposal's own changes.
    mutating func items(in range: KeyRange) -> [Item] {
        if let key = range.onlyKey { return item(key).map { [$0] } ?? [] }
        if !isKnown(range) { missing.ranges.insert(range) }
        return knownItems(in: range).sorted { $0.key < $1.key }
    }

    /// Whether there is any item in a range, with the proposal's own changes.
    mutating func hasItems(in range: KeyRange) -> Bool {
        if !knownItems(in: range).isEmpty { return true }
        if !isKnown(range) { missing.probes.insert(range) }
        return false
    }

    /// Whether no commit after a revision has changed any of the selected keys.
    mutating func isUnchanged(_ selection: KeySelection, since revision: Revision) -> Bool {
        guard revision < tail.revision, selection != .all else { return revision == tail.revision }
        for commit in proposed where commit.revision > revision {
            if commit.changes.contains(where: { selection.contains($0.key) }) { return false }
        }
        guard let recent, recent.since <= revision || recent.isOldest else {
            missing.demandChanges(since: revision)
            return false
        }
        return recent.isUnchanged(selection, since: revision)
    }

    /// Forgets what was missing, and gives it.
    mutating func takeMissing() -> Touched {
        defer { missing = Touched() }
        return missing
    }

    private func isKnown(_ range: KeyRange) -> Bool { ranges.contains { $0.covers(range) } }

    private func knownItems(in range: KeyRange) -> [Item] {
        var found: [Item] = []
        for case let (key, item?) in items where range.contains(key) && draft.changes[key] == nil { found.append(item) }
        for case let item? in draft.changes.values.lazy.map(\.item) where range.contains(item.key) {
            found.append(item)
        }
        return found
    }

    /// The item that a key becomes when it is set.
    func successor(of previous: Item?, key: Key, value: Value, _ end: (expiry: Timestamp?, lease: Int64?)) -> Item {
        Item(
            key: key, value: value, version: (previous?.version ?? 0) + 1, created: previous?.created ?? nextRevision,
            modified: nextRevision, modifiedAt: time, author: draft.author, expiry: end.expiry, lease: end.lease)
    }

    /// When a key that is set now expires: a time to live counts from the writer's clock, whatever the log's time is.
    ///
    /// - Throws: `leaseNotFound`.
    func deadline(_ expiry: Operation.Expiry, of previous: Item?) throws(DiscfgError) -> (
        expiry: Timestamp?, lease: Int64?
    ) {
        switch expiry {
        case .never: (nil, nil)
        case .unchanged, .kept: (previous?.expiry, previous?.lease)
        case .after(let duration): ((isPlanted(.ttlFromLogTime) ? time : now) + duration, nil)
        case .at(let moment): (moment, nil)
        case .lease(let id) where endedLeases.contains(id): throw .noLease(id, in: config)
        case .lease(let id): (nil, id)
        }
    }

    /// Records a change to one key.
    mutating func record(_ change: Change) { draft.record(change) }

    /// Counts what the proposal's caller will be sent.
    ///
    /// - Throws: `tooLarge`.
    mutating func noteOutcome(bytes: Int) throws(DiscfgError) {
        draft.outcomeBytes += bytes
        guard draft.outcomeBytes <= Self.maximumOutcomeBytes else {
            throw DiscfgError(
                .tooLarge, "The transaction reads and replaces more than \(Self.maximumOutcomeBytes) bytes of values.",
                hint: "Split it into smaller ones.")
        }
    }
}

/// A commit in the making: at most one change for each key, which sums up all that happened to it.
private struct Draft {
    var author = ""
    var message = ""
    var changes: [Key: Change] = [:]
    var outcomeBytes = 0

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
