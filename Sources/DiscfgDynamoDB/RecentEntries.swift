import DiscfgCore
import Synchronization

/// The states of keys in the newest entries of the logs, as far as this process has read them.
///
/// DynamoDB commits a transaction item by item: the entry of the log may be visible while an item that it sets still
/// has its old state. So an item that is read is compared with the entries that were read before, and the newer state
/// is used. Entries are kept for a minute, which is far longer than DynamoDB needs to commit a transaction.
///
/// The memory of the process is bounded: beyond 32 MiB the oldest entries are dropped.
final class RecentEntries: Sendable {
    /// The state of a key in the newest entry that changes it.
    struct State: Sendable {
        var revision: Revision
        /// `nil` if the entry removes the key.
        var item: StoredItem?
    }

    fileprivate struct Entry {
        var config: ConfigName
        var incarnation: String
        var revision: Revision
        var keys: [Key]
        var weight: Int
        var since: ContinuousClock.Instant
    }

    fileprivate struct Log {
        var incarnation: String
        var states: [Key: State] = [:]
        /// A range of consecutive revisions whose entries were read; no entry before it can still be in progress.
        var run: ClosedRange<Revision>?
    }

    fileprivate struct Store {
        var logs: [ConfigName: Log] = [:]
        /// Oldest first, beginning at `first`.
        var entries: [Entry] = []
        var first = 0
        var weight = 0
    }

    private static let age: Duration = .seconds(60)
    private static let maximumWeight = 32 << 20
    private let store = Mutex(Store())

    /// Records entries that were read, in their order and without gaps.
    ///
    /// - Parameters:
    ///   - drafts: The entries.
    ///   - config: The config.
    ///   - incarnation: The incarnation of the config.
    ///   - isAnchor: Whether no entry before the first can still be in progress.
    func note(
        _ drafts: some Collection<CommitAttributes.Draft>, of config: ConfigName, _ incarnation: String,
        isAnchor: Bool = false
    ) {
        guard let first = drafts.first?.commit.revision else { return }
        let last = first + Int64(drafts.count) - 1
        store.withLock { store in
            store.begin(config, incarnation)
            for draft in drafts { store.insert(draft, of: config, incarnation) }
            store.logs[config]?.extend(over: first...last, isAnchor: isAnchor)
            store.dropOld(before: .now - Self.age, beyond: Self.maximumWeight)
        }
    }

    /// Records that an append of this process was acknowledged: its items are visible, so its entries need not be read.
    ///
    /// The recorded states of its keys stay: a read in progress may have found the old items.
    func settle(_ commits: [Commit], of config: ConfigName, _ incarnation: String) {
        guard let first = commits.first?.revision, let last = commits.last?.revision else { return }
        store.withLock { store in
            guard store.logs[config]?.incarnation == incarnation else { return }
            store.logs[config]?.extend(over: first...last, isAnchor: false)
        }
    }

    /// Records that everything up to a revision was committed long ago.
    func anchor(at revision: Revision, of config: ConfigName, _ incarnation: String) {
        store.withLock { store in
            store.begin(config, incarnation)
            store.logs[config]?.extend(over: revision...revision, isAnchor: true)
        }
    }

    /// The last revision up to which every entry that can still be in progress was read; 0 if there is none.
    func lastRead(of config: ConfigName, _ incarnation: String) -> Revision {
        store.withLock { store in
            guard let log = store.logs[config], log.incarnation == incarnation else { return 0 }
            return log.run?.upperBound ?? 0
        }
    }

    /// The known states of some keys.
    func states(of keys: some Sequence<Key>, in config: ConfigName, _ incarnation: String) -> [Key: State] {
        store.withLock { store in
            guard let log = store.logs[config], log.incarnation == incarnation, !log.states.isEmpty else { return [:] }
            var found: [Key: State] = [:]
            for key in keys { found[key] = log.states[key] }
            return found
        }
    }

    /// The known states of the keys in a range.
    func states(in range: KeyRange, of config: ConfigName, _ incarnation: String) -> [Key: State] {
        store.withLock { store in
            guard let log = store.logs[config], log.incarnation == incarnation else { return [:] }
            return log.states.filter { range.contains($0.key) }
        }
    }
}

extension RecentEntries.Log {
    fileprivate mutating func extend(over revisions: ClosedRange<Revision>, isAnchor: Bool) {
        if let run, revisions.lowerBound <= run.upperBound + 1 {
            if revisions.upperBound >= run.lowerBound {
                self.run = run.lowerBound...max(run.upperBound, revisions.upperBound)
            }
        } else if isAnchor {
            run = revisions
        }
    }
}

extension RecentEntries.Store {
    /// Starts with no states, unless this log is known.
    fileprivate mutating func begin(_ config: ConfigName, _ incarnation: String) {
        guard logs[config]?.incarnation != incarnation else { return }
        if logs.count >= 1000 { logs = logs.filter { !$0.value.states.isEmpty } }
        logs[config] = RecentEntries.Log(incarnation: incarnation)
    }

    fileprivate mutating func insert(
        _ draft: CommitAttributes.Draft, of config: ConfigName, _ incarnation: String
    ) {
        let commit = draft.commit
        var weight = 0
        for (index, change) in commit.changes.enumerated() {
            if let state = logs[config]?.states[change.key], state.revision >= commit.revision { continue }
            let blob = draft.blobs.first { $0.change == index && !$0.isPrevious }?.reference
            logs[config]?.states[change.key] = RecentEntries.State(
                revision: commit.revision, item: change.item.map { (item: $0, blob: blob) })
            weight += 200 + 2 * change.key.bytes.count + (change.item?.value.bytes.count ?? 0)
        }
        guard weight > 0 else { return }
        self.weight += weight
        entries.append(
            RecentEntries.Entry(
                config: config, incarnation: incarnation, revision: commit.revision,
                keys: commit.changes.map(\.key), weight: weight, since: .now))
    }

    fileprivate mutating func dropOld(before moment: ContinuousClock.Instant, beyond maximum: Int) {
        while first < entries.count, entries[first].since < moment || weight > maximum {
            let entry = entries[first]
            first += 1
            weight -= entry.weight
            guard logs[entry.config]?.incarnation == entry.incarnation else { continue }
            for key in entry.keys {
                if let state = logs[entry.config]?.states[key], state.revision == entry.revision {
                    logs[entry.config]?.states[key] = nil
                }
            }
        }
        guard first > 1000, first * 2 > entries.count else { return }
        entries.removeFirst(first)
        first = 0
    }
}
