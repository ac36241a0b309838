/// Works out what proposals do, in memory and without a store: given the items that they look at, it gives the commits.
///
/// It begins with a state of the config, adds what was loaded besides, and moves on with each commit that it proposes or that others
/// have appended. What a proposal looks at and is not known counts as absent at first, and is noted in `missing`: then it must be
/// loaded, and the proposal is carried out again.
package struct Evaluator {
    /// The state that it began with; `items` and `ranges` come before it.
    private let base: ViewState
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
    /// Keys that were loaded or changed since; a `nil` is known to be absent.
    private(set) var items: [Key: Item?] = [:]
    /// Ranges that were loaded: every item in them is in `items`.
    private(set) var ranges: Set<KeyRange> = []
    /// The keys that the newest commits of the log have changed, as far as they were loaded.
    private var recent: RecentChanges?
    /// What was looked at without being known.
    private(set) var missing = Touched()
    /// Leases of which an append has said that they are not there.
    var endedLeases: Set<Int64> = []
    let config: ConfigName
    package private(set) var now: Timestamp
    /// The commit in the making.
    private var draft = Draft()

    /// Begins with a state of a config.
    init(config: ConfigName, state: ViewState, now: Timestamp) {
        self.config = config
        self.base = state
        self.tail = state.tail
        self.now = now
    }

    /// Takes over what was loaded, as it stands at `tail`; what was proposed is void.
    ///
    /// - Parameters:
    ///   - items: Items; a `nil` is known to be absent.
    ///   - ranges: Ranges of which every item is in `items`, or was known before.
    ///   - recent: The keys that the newest commits have changed, if they were loaded.
    ///   - now: The time after everything was loaded: what the store has answered may have corrected the clock.
    mutating func learn(_ items: [Key: Item?], ranges: Set<KeyRange>, recent: RecentChanges?, now: Timestamp) {
        self.items.merge(items) { $1 }
        self.ranges.formUnion(ranges)
        self.recent = recent ?? self.recent
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

    /// Proposes commits that remove what is overdue among some keys and in some ranges, before anything else looks at it.
    ///
    /// There is one for each key, as each is an event of its own; a directory goes together with what is below it.
    /// - Returns: Whether there is more than may be removed at once.
    mutating func expireOverdue(among keys: Set<Key>, in ranges: Set<KeyRange> = [], limits: StorageLimits) -> Bool {
        for item in overdue(among: keys, in: ranges) {
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
    package var revision: Revision { tail.revision + (hasChanges ? 1 : 0) }
    /// The revision that the proposal's commit will have.
    package var nextRevision: Revision { tail.revision + 1 }
    /// When the commit is made; time never runs backwards along a log, whatever the clocks of its writers say.
    package var time: Timestamp { isPlanted(.clockRunsBack) ? now : max(now, tail.time) }
    /// Whether the proposal has changed anything yet.
    var hasChanges: Bool { !draft.changes.isEmpty }

    /// The key's item, with the proposal's own changes; `nil` where the key is absent.
    package mutating func item(_ key: Key) -> Item? {
        if let change = draft.changes[key] { return change.item }
        guard let known = known(key) else {
            missing.keys.insert(key)
            return nil
        }
        return known
    }

    /// The key's item as it was before the proposal.
    func committedItem(_ key: Key) -> Item? { known(key) ?? nil }

    /// The key's item before the proposal; the inner `nil` if it is absent, the outer one if it is not known.
    func known(_ key: Key) -> Item?? {
        items[key] ?? (ranges.contains { $0.contains(key) } ? .some(nil) : base.known(key))
    }

    /// Whether every item of a range is known.
    func isKnown(_ range: KeyRange) -> Bool { base.covers(range) || ranges.contains { $0.covers(range) } }

    /// The number of items of a range in the state that it began with.
    func baseCount(in range: KeyRange) -> Int { base.items.count(in: range) }

    /// The commits after a revision that the state it began with has; `nil` if there are not all of them.
    func baseCommits(after revision: Revision) -> [Commit]? {
        revision < base.tail.trimmed ? nil : base.window.commits(after: revision, through: base.tail.revision)
    }

    /// What is overdue among some keys and in some ranges, before the proposals.
    private func overdue(among keys: Set<Key>, in ranges: Set<KeyRange>) -> [Item] {
        // Without ranges, the number of keys that end does not matter.
        let candidates = ranges.isEmpty ? keys : keys.union(base.overdueKeys(at: now)).union(items.keys)
        let overdue = candidates.compactMap { key -> Item? in
            guard keys.contains(key) || ranges.contains(where: { $0.contains(key) }) else { return nil }
            return committedItem(key).flatMap { $0.isExpired(at: now) ? $0 : nil }
        }
        return overdue.sorted { ($0.expiry ?? now, $0.key) < ($1.expiry ?? now, $1.key) }
    }

    /// The items of a range in the order of their keys, with the proposal's own changes.
    package mutating func items(in range: KeyRange) -> [Item] {
        if let key = range.onlyKey { return item(key).map { [$0] } ?? [] }
        if !isKnown(range) { missing.ranges.insert(range) }
        return knownItems(in: range, of: base.items.items(in: range)).sorted { $0.key < $1.key }
    }

    /// Whether there is any item in a range, with the proposal's own changes.
    package mutating func hasItems(in range: KeyRange) -> Bool {
        // More than were changed, so that one is left if any is.
        let some = base.items.items(in: range, limit: items.count + draft.changes.count + 1)
        if !knownItems(in: range, of: some).isEmpty { return true }
        if !isKnown(range) { missing.probes.insert(range) }
        return false
    }

    /// Whether no commit after a revision has changed any of the selected keys.
    mutating func isUnchanged(_ selection: KeySelection, since revision: Revision) -> Bool {
        guard revision < tail.revision, selection != .all else { return revision == tail.revision }
        for commit in proposed where commit.revision > revision {
            if commit.changes.contains(where: { selection.contains($0.key) }) { return false }
        }
        return recentChanges(since: revision)?.isUnchanged(selection, since: revision) ?? false
    }

    /// Whether no commit after a revision has changed a key for which the test holds.
    mutating func isUnchanged(since revision: Revision, where isSelected: (Key) -> Bool) -> Bool {
        guard revision < tail.revision else { return revision == tail.revision }
        for commit in proposed where commit.revision > revision {
            if commit.changes.contains(where: { isSelected($0.key) }) { return false }
        }
        return recentChanges(since: revision)?.isUnchanged(since: revision, where: isSelected) ?? false
    }

    private mutating func recentChanges(since revision: Revision) -> RecentChanges? {
        if let recent, recent.since <= revision || recent.isOldest { return recent }
        missing.demandChanges(since: revision)
        return nil
    }

    /// Forgets what was missing, and gives it.
    mutating func takeMissing() -> Touched {
        defer { missing = Touched() }
        return missing
    }

    /// The items of a range: of some of the state that it began with, those that were not changed since, and those that were.
    private func knownItems(in range: KeyRange, of base: [Item]) -> [Item] {
        var found = base
        if !items.isEmpty || !draft.changes.isEmpty {
            found.removeAll { items.keys.contains($0.key) || draft.changes.keys.contains($0.key) }
        }
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
    package mutating func record(_ change: Change) { draft.record(change) }

    /// Counts what the proposal's caller will be sent.
    ///
    /// - Throws: `tooLarge`.
    package mutating func noteOutcome(bytes: Int) throws(DiscfgError) {
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
