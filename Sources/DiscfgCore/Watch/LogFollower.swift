import Synchronization

/// Follows the log of one config for all its watchers, and tells each of the commits that concern it.
///
/// Watchers are calls that wait (`wait`) and watches that stay (`add`). Both are found by the keys that a commit changes;
/// no other watcher is resumed. It hands over no commits: a watcher reads them itself, from its own position, as a rule from
/// the view. So nothing is kept for a slow reader, and a reader that is too late gets `compacted`.
///
/// Appends of this process are announced after their writers were answered. For those of others it reads the log's end
/// while, and only while, there are watchers: one look for all of them, often after something was found and ever less often
/// while nothing is. One task looks, and one sleeps between two looks; no watcher has a task here.
package final class LogFollower: Sendable {
    /// Reads the commits beyond a revision of the log that is meant; the newest may be missing.
    typealias Read = @Sendable (_ after: Revision, _ incarnation: String?) async throws -> LogPage

    struct State {
        var watchers = WatcherRegistry()
        var isPolling = false
        /// Whether a look is due at once.
        var isHurried = false
        /// Whether to look as often as after something was found, because of the first watch.
        var isQuick = false
        /// Sleeps until the next look or deadline; cancelled to look earlier.
        var sleeper: (task: Task<Void, Never>, until: ContinuousClock.Instant)?
        /// Whether notices are on their way: those that come after them must not overtake them.
        var isAnnouncing = false
        var mustAnnounceAgain = false
        /// Pages to announce; those of callers that came while others were announced.
        var pages: [LogPage] = []
        /// Whether to look at once if the log continues beyond what is being announced.
        var mustHurry = false
        /// All commits of the log up to this revision were announced: the notices were delivered.
        var announced: (revision: Revision, log: String) = (0, "")
        /// Watches that wait until a revision was announced.
        var milestones: [(revision: Revision, log: String, watch: any LogWatch)] = []
    }

    /// How many failures in a row are waited out before calls that wait are told.
    static let patience = 4

    let state = Mutex(State())
    let view: ConfigView
    let pace: ClosedRange<Duration>
    let time: TimeSource
    let read: Read

    /// Follows the log of a view; looks with `read`, and the time between two looks is within `pace`.
    init(view: ConfigView, pace: ClosedRange<Duration>, time: TimeSource, read: @escaping Read) {
        self.view = view
        self.pace = pace
        self.time = time
        self.read = read
    }

    /// How many times a watcher was told of commits.
    var announcements: Int { state.withLock { $0.watchers.announcements } }

    /// How many watchers there are.
    var count: Int { state.withLock { $0.watchers.count } }

    /// Applies what was read of the log to the view, and announces it.
    func note(_ page: LogPage) {
        view.note(page)
        announce(page)
        hurry()
    }

    /// Announces what the view has by now.
    func wake() {
        announce()
        hurry()
    }

    /// The commits beyond a revision, if they are remembered and there is a poller that finds newer ones; `nil` means read
    /// the store.
    func recent(after revision: Revision, limit: Int, incarnation: String? = nil) -> LogPage? {
        guard state.withLock({ $0.isPolling }) else { return nil }
        return view.page(after: revision, limit: limit, log: incarnation)
    }
}

// The watchers.
extension LogFollower {
    /// Waits for a commit that concerns the selected keys.
    ///
    /// - Parameters:
    ///   - selection: The keys.
    ///   - revision: The caller knows all commits up to here.
    ///   - log: The incarnation that is meant; empty for whichever.
    ///   - duration: When to return at the latest, if nothing comes.
    /// - Returns: A revision up to which no commit after `revision` concerns the keys: read on from there. It is the one before
    ///   the first commit that does, or the newest if the time is over.
    /// - Throws: What reading the log threw, `compacted` if the log has ended, or `CancellationError`.
    @discardableResult
    func wait(
        for selection: KeySelection, beyond revision: Revision, log: String = "", atMost duration: Duration
    ) async throws -> Revision {
        let id = state.withLock { $0.watchers.newID() }
        let deadline = time.instant() + duration
        let reached = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Revision, any Error>) in
                let watcher = Watcher(
                    selection: selection, log: log, position: revision,
                    listener: .call(continuation, deadline: deadline))
                let rejected: Notice.Content? = state.withLock { state in
                    let (newest, viewLog) = view.announced
                    // Looked at and added under one lock: a commit is either here already, or will find the watcher.
                    if newest > revision || Task.isCancelled { return .nothing(through: revision) }
                    if !log.isEmpty, !viewLog.isEmpty, log != viewLog {
                        return .failure(DiscfgError.createdAgain(oldest: 1))
                    }
                    register(watcher, as: id, in: viewLog, &state)
                    return nil
                }
                if let rejected { Notice(id: id, watcher: watcher, content: rejected).deliver() }
            }
        } onCancel: {
            let watcher = state.withLock { $0.watchers.remove(id) }
            if let watcher { Notice(id: id, watcher: watcher, content: .failure(CancellationError())).deliver() }
        }
        try Task.checkCancellation()
        return reached
    }

    /// Adds a watch of some keys, which stays until it is removed or fails.
    ///
    /// - Parameters:
    ///   - watch: What is told of commits.
    ///   - selection: The keys.
    ///   - tail: The end of the log, which `note` was told of.
    /// - Returns: The number of the watch, and a revision: all later commits that concern the watch are announced to it.
    package func add(
        _ watch: any LogWatch, of selection: KeySelection, at tail: LogTail
    ) -> (id: Int, position: Revision) {
        state.withLock { state in
            let viewLog = view.announced.log
            let isFirst = state.watchers.isEmpty
            let isFollowed = !isFirst && state.watchers.log == tail.incarnation
            var position = isFollowed ? state.watchers.position : tail.revision
            // So that a promise of progress also holds for this watch.
            if isFollowed, state.announced.log == tail.incarnation {
                position = max(position, state.announced.revision)
            }
            let id = state.watchers.newID()
            let watcher = Watcher(
                selection: selection, log: tail.incarnation, position: position, listener: .watch(watch))
            if isFirst, state.isPolling {
                // The poller may sleep for long, because it found nothing for the watchers before. Calls do not shorten
                // that: a client makes the next call when one has ended, and each look at a table has a price.
                state.isQuick = true
                state.sleeper?.task.cancel()
            }
            register(watcher, as: id, in: viewLog, &state)
            return (id, position)
        }
    }

    /// Removes a watch; does nothing if it has failed.
    package func remove(_ id: Int) {
        state.withLock { state in
            state.watchers.remove(id)
            // Nothing is announced to no watchers.
            if state.watchers.isEmpty { state.milestones = [] }
        }
    }

    /// The revision of a log up to which all commits were announced to every watch; 0 if the log is not followed.
    package func announced(of log: String) -> Revision {
        state.withLock { $0.announced.log == log ? $0.announced.revision : 0 }
    }

    /// Wakes the watch when a revision of a log was announced, or the log is not followed any more.
    package func callBack(_ watch: any LogWatch, at revision: Revision, of log: String) {
        let isReached = state.withLock { state in
            if state.announced.log != log || state.announced.revision >= revision { return true }
            state.milestones.append((revision, log, watch))
            return false
        }
        if isReached { watch.wake() }
    }

    /// Adds a watcher, and starts to look for what others append.
    private func register(_ watcher: Watcher, as id: Int, in viewLog: String, _ state: inout State) {
        let isFirst = state.watchers.isEmpty
        state.watchers.add(watcher, as: id, in: viewLog)
        if isFirst || state.announced.log != state.watchers.log {
            state.announced = (state.watchers.position, state.watchers.log)
        }
        if let deadline = state.watchers.earliestDeadline, let sleeper = state.sleeper, deadline < sleeper.until {
            sleeper.task.cancel()
        }
        guard !state.isPolling else { return }
        state.isPolling = true
        // Not of the caller: its limits must not apply to others that wait.
        Task.detached(executorPreference: time.executor) { await self.poll() }
    }
}
