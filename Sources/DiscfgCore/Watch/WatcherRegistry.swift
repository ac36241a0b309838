/// The watchers of one config, and the revision up to which they were told of its log.
///
/// It decides who is to be told what, and tells nobody: `LogFollower` does that, outside its lock.
struct WatcherRegistry: Sendable {
    private var watchers: [Int: Watcher] = [:]
    /// When the calls among them end.
    private var deadlines: [Int: ContinuousClock.Instant] = [:]
    private var index = WatcherIndex()
    private var lastID = 0
    /// The log that is followed; empty if its name is not known yet.
    ///
    /// Neither it nor `position` has a meaning without a watcher.
    private(set) var log = ""
    /// Every watcher was told of the commits up to this revision that concern it.
    private(set) var position: Revision = 0
    /// A moment before which no call ends; `nil` if no call waits.
    private(set) var earliestDeadline: ContinuousClock.Instant?
    /// Whether there may be watchers of another log.
    private var hasStrays = false
    /// How many watchers were told of commits since the beginning.
    private(set) var announcements = 0

    var isEmpty: Bool { watchers.isEmpty }
    var count: Int { watchers.count }

    /// A number for a watcher to be added.
    mutating func newID() -> Int {
        lastID += 1
        return lastID
    }

    /// Adds a watcher, given the incarnation that the view has, which is empty if it is not known.
    mutating func add(_ watcher: Watcher, as id: Int, in viewLog: String) {
        // A position has a meaning only in its own log.
        let named = watcher.log.isEmpty ? viewLog : watcher.log
        if watchers.isEmpty {
            (log, position, hasStrays, earliestDeadline) = (named, watcher.position, false, nil)
        } else if log.isEmpty {
            log = named
        } else if !viewLog.isEmpty, viewLog != log, watcher.log.isEmpty || watcher.log == viewLog {
            // The others follow a log that has ended, and will be told so.
            (log, position, hasStrays) = (viewLog, watcher.position, true)
        }
        if !watcher.log.isEmpty, watcher.log != log { hasStrays = true }
        // Those who were told of some commits already are told again: they know how far they are.
        if !isStray(watcher) { position = min(position, watcher.position) }
        if case .call(_, let deadline) = watcher.listener {
            deadlines[id] = deadline
            earliestDeadline = min(earliestDeadline ?? deadline, deadline)
        }
        watchers[id] = watcher
        index.insert(id, of: watcher.selection)
    }

    /// Removes a watcher, if it is there.
    @discardableResult
    mutating func remove(_ id: Int) -> Watcher? {
        guard let watcher = watchers.removeValue(forKey: id) else { return nil }
        deadlines[id] = nil
        index.remove(id, of: watcher.selection)
        return watcher
    }

    /// Takes note of the incarnation that the view has; the watchers of others are told that theirs has ended.
    mutating func follow(_ viewLog: String) -> [Notice] {
        guard !watchers.isEmpty, !viewLog.isEmpty else { return [] }
        if log.isEmpty { log = viewLog }
        guard viewLog != log || hasStrays else { return [] }
        let isOther = viewLog != log
        (log, hasStrays) = (viewLog, false)
        let notices = take(watchers.filter { $0.value.log != viewLog }.keys) { watcher in
            // A watcher that names no log continues with this one.
            watcher.log.isEmpty
                ? .nothing(through: watcher.position) : .failure(DiscfgError.createdAgain(oldest: 1))
        }
        if isOther { position = watchers.values.map(\.position).min() ?? 0 }
        return notices
    }

    /// Goes through the next commits of the log that is followed, in their order; those that were announced are skipped.
    ///
    /// A call gets one notice and is removed, a watch one notice for all the commits.
    mutating func announce(_ commits: some Sequence<Commit>) -> [Notice] {
        var concerned: [Int: (first: Revision, last: Revision)] = [:]
        for commit in commits where commit.revision > position {
            position = commit.revision
            if isPlanted(.losesWakeUps), commit.revision % 10 == 0 { continue }
            index.forEach(concernedBy: commit) { id in
                guard let watcher = watchers[id], watcher.position < commit.revision else { return }
                concerned[id] = (concerned[id]?.first ?? commit.revision, commit.revision)
            }
        }
        announcements += concerned.count
        // In the order in which they came.
        return concerned.sorted { $0.key < $1.key }.compactMap { id, revisions in
            guard let watcher = watchers[id] else { return nil }
            if case .call = watcher.listener { remove(id) }
            return Notice(
                id: id, watcher: watcher, content: .commits(first: revisions.first, last: revisions.last))
        }
    }

    /// Takes out the calls whose time is over.
    mutating func expire(at now: ContinuousClock.Instant) -> [Notice] {
        guard let earliestDeadline, earliestDeadline <= now else { return [] }
        let (log, position) = (log, position)
        let notices = take(deadlines.filter { $0.value <= now }.keys) { watcher in
            let isFollowed = watcher.log.isEmpty || watcher.log == log
            return .nothing(through: isFollowed ? max(watcher.position, position) : watcher.position)
        }
        self.earliestDeadline = deadlines.values.min()
        return notices
    }

    /// Takes out all watchers, or the calls alone, with an error.
    mutating func fail(_ error: any Error, callsOnly: Bool) -> [Notice] {
        let ids = callsOnly ? Array(deadlines.keys) : Array(watchers.keys)
        return take(ids) { _ in .failure(error) }
    }

    private mutating func take(
        _ ids: some Sequence<Int>, telling content: (Watcher) -> Notice.Content
    ) -> [Notice] {
        // In the order in which they came.
        ids.sorted().compactMap { id in
            remove(id).map { Notice(id: id, watcher: $0, content: content($0)) }
        }
    }

    private func isStray(_ watcher: Watcher) -> Bool { !watcher.log.isEmpty && watcher.log != log }
}
