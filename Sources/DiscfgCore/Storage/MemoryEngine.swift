import Synchronization

/// An engine in the memory of this process, gone when it ends: for tests, trials and as the clearest form of the contract.
public final class MemoryEngine: StorageEngine {
    struct Log {
        var record: ConfigRecord
        var commits: [Commit]
        var items: [Key: Item] = [:]
        var leases: [Int64: StoredLease] = [:]
        var cells: [String: Cell] = [:]
        /// The keys of `items`, in order.
        var order: [Key] = []

        mutating func apply(_ commit: Commit) {
            for change in commit.changes {
                let position = order.partitioningIndex { $0 >= change.key }
                let isPresent = position < order.count && order[position] == change.key
                items[change.key] = change.item
                if change.item != nil, !isPresent { order.insert(change.key, at: position) }
                if change.item == nil, isPresent { order.remove(at: position) }
            }
            commits.append(commit)
            record.tail.revision = commit.revision
            record.tail.time = commit.time
        }

        /// The commits beyond a revision.
        func suffix(after revision: Revision) -> ArraySlice<Commit> {
            commits[commits.partitioningIndex { $0.revision > revision }...]
        }
    }

    private let logs = Mutex<[ConfigName: Log]>([:])

    /// An engine without configs; what is written is lost with it.
    public init() {}

    /// What the engine does itself, and how it is best used.
    public let traits = StorageTraits(StorageDescription(name: "memory"))

    /// Adds the config with its first commit, and a new incarnation.
    public func createConfig(_ name: ConfigName, settings: ConfigSettings, first: Commit) async throws {
        try logs.withLock { logs in
            guard logs[name] == nil else {
                throw DiscfgError(
                    .configExists, "There is a config named “\(name)” already.", hint: "Choose another name.")
            }
            let tail = LogTail(
                revision: first.revision, time: first.time, trimmed: first.revision - 1, incarnation: UniqueID.next())
            let record = ConfigRecord(name: name, settings: settings, created: first.time, tail: tail)
            logs[name] = Log(record: record, commits: [first])
        }
    }

    /// The record, as of now.
    public func config(_ name: ConfigName) async throws -> ConfigRecord? { logs.withLock { $0[name]?.record } }

    /// The names of the configs after `after`, in order, at most `limit`.
    public func configNames(after: ConfigName?, limit: Int) async throws -> [ConfigName] {
        logs.withLock { logs in
            Array(logs.keys.sorted().drop { name in after.map { name <= $0 } ?? false }.prefix(limit))
        }
    }

    /// Compares the settings and replaces them under the lock.
    public func updateConfig(
        _ name: ConfigName, settings: ConfigSettings, replacing old: ConfigSettings
    ) async throws -> Bool {
        try withLog(name) { log in
            guard log.record.settings == old else { return false }
            log.record.settings = settings
            return true
        }
    }

    /// Removes the config with everything in it.
    public func removeConfig(_ name: ConfigName) async throws -> Bool {
        logs.withLock { $0.removeValue(forKey: name) != nil }
    }

    /// The end of the log.
    public func tail(of config: ConfigName, knowing known: LogTail?) async throws -> LogTail {
        try withLog(config) { $0.record.tail }
    }

    /// Checks the tail and the leases, and applies the commits under the lock.
    public func append(_ commits: [Commit], to config: ConfigName, incarnation: String?) async throws -> AppendOutcome {
        try withLog(config) { log in
            guard incarnation == nil || incarnation == log.record.tail.incarnation else { return .replaced }
            guard let first = commits.first?.revision, first == log.record.tail.revision + 1 else {
                let known = (commits.first?.revision ?? 1) - 1
                try log.record.tail.checkReadable(after: known)
                return .conflict(newer: Array(log.suffix(after: known)))
            }
            for id in commits.flatMap(\.newLeases) where log.leases[id]?.lease.isEnding != false {
                return .leaseNotFound(id)
            }
            for commit in commits { log.apply(commit) }
            return .appended
        }
    }

    /// The commits after the revision, at most `limit`.
    public func log(
        of config: ConfigName, after: Revision, limit: Int, incarnation: String?, consistency: Consistency
    ) async throws -> LogPage {
        try withLog(config) { log in
            var tail = log.record.tail
            // What is kept is there for those who name the log.
            if incarnation == tail.incarnation, let first = log.commits.first?.revision {
                tail.trimmed = min(tail.trimmed, first - 1)
            }
            try tail.checkReadable(after: after, incarnation: incarnation)
            return LogPage(
                commits: Array(log.suffix(after: after).prefix(limit)), tail: tail.revision,
                incarnation: tail.incarnation)
        }
    }

    /// The selected commits from the newest on, at most `limit`.
    public func history(
        of config: ConfigName, selection: KeySelection, _ part: LogPart, limit: Int
    ) async throws -> HistoryPage {
        try withLog(config) { log in
            let tail = log.record.tail
            let found: [Commit]
            switch part {
            case .through(let last):
                let commits = log.suffix(after: tail.trimmed).reversed().lazy.drop { $0.revision > last }
                found = Array(commits.compactMap { $0.selecting(selection) }.prefix(limit))
            case .after(let revision):
                try tail.checkReadable(after: revision)
                found = Array(log.suffix(after: revision).lazy.compactMap { $0.selecting(selection) }.prefix(limit))
            }
            return HistoryPage(found, of: part, isLast: found.count < limit, tail: tail)
        }
    }

    /// Removes the commits at once, so that it always returns `true`.
    public func trim(_ config: ConfigName, through: Revision, keepingSince moment: Timestamp) async throws -> Bool {
        try withLog(config) { log in
            let trimmed = max(log.record.tail.trimmed, min(through, log.record.tail.revision))
            log.record.tail.trimmed = trimmed
            log.commits.removeAll { $0.revision <= trimmed && $0.time < moment }
            log.record.hasRemains = log.commits.first.map { $0.revision <= trimmed } ?? false
            return true
        }
    }

    /// The items with the tail of the same moment.
    public func items(_ keys: [Key], in config: ConfigName, consistency: Consistency) async throws -> ItemBatch {
        try withLog(config) { log in
            let found = keys.compactMap { key in log.items[key].map { (key, $0) } }
            return ItemBatch(items: Dictionary(found) { first, _ in first }, tail: log.record.tail)
        }
    }

    /// A page of exactly `limit` items, if there are so many, with the tail of the same moment.
    public func items(
        _ range: KeyRange, in config: ConfigName, limit: Int, values: Bool, consistency: Consistency
    ) async throws -> ItemPage {
        try withLog(config) { log in
            let start = log.order.partitioningIndex { !$0.bytes.lexicographicallyPrecedes(range.lower) }
            let keys = log.order[start...].prefix(limit + 1).prefix { range.contains($0) }
            let items = keys.prefix(limit).compactMap { log.items[$0] }
            return ItemPage(
                items: values ? items : items.map(\.withoutValue), hasMore: keys.count > limit, tail: log.record.tail)
        }
    }

    /// Searches all items, and returns the keys by the time at which they expired.
    public func overdueKeys(in config: ConfigName, at now: Timestamp, limit: Int) async throws -> [Key] {
        try withLog(config) { log in
            let overdue = log.items.values.filter { $0.isExpired(at: now) }
            return overdue.sorted { ($0.expiry ?? now, $0.key) < ($1.expiry ?? now, $1.key) }.prefix(limit).map(\.key)
        }
    }

    /// Searches the commits that are not trimmed; 0 if none is before the time.
    public func lastRevision(of config: ConfigName, before time: Timestamp) async throws -> Revision {
        try withLog(config) { log in
            log.suffix(after: log.record.tail.trimmed).last { $0.time < time }?.revision ?? 0
        }
    }

    func withLog<Result>(_ name: ConfigName, _ body: (inout Log) throws -> Result) throws -> Result {
        try logs.withLock { logs in
            // Taken out and put back, so that there is one owner: a copy would cost as much as the whole config.
            guard var log = logs.removeValue(forKey: name) else { throw DiscfgError.noConfig(name) }
            defer { logs[name] = log }
            return try body(&log)
        }
    }
}

extension Item {
    /// The item with its content type, but no bytes.
    package var withoutValue: Item {
        var item = self
        item.value.bytes = []
        return item
    }
}

extension Array {
    /// The index of the first element for which the test holds, in an array where it holds from some element on.
    package func partitioningIndex(where test: (Element) -> Bool) -> Int {
        var low = startIndex
        var high = endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if test(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
