import Synchronization

/// Lets any number of readers wait for a config's log to grow.
///
/// Appends of this process are announced at once. For those of others it reads the log's end while, and only while, somebody
/// waits: one look for all waiters, however many there are, often after something was found and ever less often while nothing
/// is. What it has seen lately it keeps, so that readers who keep up never cause a read of the store.
final class LogFollower: Sendable {
    /// Reads the commits beyond a revision of the log that is meant; the newest may be missing.
    typealias Read = @Sendable (_ after: Revision, _ incarnation: String?) async throws -> LogPage

    private struct Waiter {
        let revision: Revision
        /// The log that it follows; empty where it does not say.
        let incarnation: String
        let deadline: ContinuousClock.Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var recent = RecentCommits()
        var waiters: [Int: Waiter] = [:]
        var nextID = 0
        var isPolling = false

        /// Takes out the waiters for which the test holds; they are resumed outside the lock.
        mutating func takeWaiters(where test: (Waiter) -> Bool) -> [CheckedContinuation<Void, any Error>] {
            // In the order in which they came.
            let fitting = waiters.filter { test($0.value) }.sorted { $0.key < $1.key }
            for (id, _) in fitting { waiters[id] = nil }
            return fitting.map(\.value.continuation)
        }
    }

    /// How many failures in a row are waited out before those who wait are told.
    private static let patience = 4

    private let state = Mutex(State())
    private let pace: ClosedRange<Duration>
    private let time: TimeSource
    private let read: Read

    /// Looks with `read`; the time between two looks is within `pace`.
    init(pace: ClosedRange<Duration>, time: TimeSource, read: @escaping Read) {
        self.pace = pace
        self.time = time
        self.read = read
    }

    /// Takes in what was appended, or read with strong consistency.
    func note(_ page: LogPage) {
        let (woken, strayed) = state.withLock { state in
            state.recent.add(page)
            let (last, incarnation) = (state.recent.last, state.recent.incarnation)
            // The log that they follow has ended: what comes now is another's.
            let strayed = state.takeWaiters { !$0.incarnation.isEmpty && $0.incarnation != incarnation }
            return (state.takeWaiters { $0.revision < last }, strayed)
        }
        for waiter in woken { waiter.resume() }
        for waiter in strayed { waiter.resume(throwing: DiscfgError.madeAnew(oldest: 1)) }
    }

    /// The commits beyond a revision, where they are remembered and somebody looks for newer ones; `nil` means look yourself.
    func recent(after revision: Revision, limit: Int, incarnation: String? = nil) -> LogPage? {
        state.withLock { state in
            guard state.isPolling, incarnation ?? state.recent.incarnation == state.recent.incarnation else {
                return nil
            }
            return state.recent.page(after: revision, limit: limit)
        }
    }

    /// Waits until the log has gone beyond a revision, or the time is over; the caller looks which.
    ///
    /// - Throws: What reading the log threw, or `CancellationError`.
    func wait(beyond revision: Revision, incarnation: String = "", atMost duration: Duration) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        let deadline = time.instant() + duration
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let outcome: (resume: Bool, poll: Bool) = state.withLock { state in
                    if state.recent.last > revision || Task.isCancelled { return (true, false) }
                    state.waiters[id] = Waiter(
                        revision: revision, incarnation: incarnation, deadline: deadline, continuation: continuation)
                    defer { state.isPolling = true }
                    return (false, !state.isPolling)
                }
                if outcome.resume { continuation.resume() }
                // Not of the caller: others wait with it.
                if outcome.poll { Task.detached(executorPreference: time.executor) { await self.poll() } }
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
            waiter?.continuation.resume(throwing: CancellationError())
        }
        try Task.checkCancellation()
    }

    private func poll() async {
        var interval = pace.lowerBound
        var failures = 0
        var nextLook = time.instant()
        while let position = nextPosition() {
            // Waking for a deadline is no reason to ask the store.
            if time.instant() >= nextLook {
                do {
                    let page = try await read(position.revision, position.incarnation)
                    interval = page.commits.isEmpty ? min(interval * 2, pace.upperBound) : pace.lowerBound
                    failures = 0
                    note(page)
                } catch let error as DiscfgError where error.code == .storeUnavailable && failures < Self.patience {
                    // One failure must not send everybody to the store at once.
                    failures += 1
                    interval = min(interval * 2, pace.upperBound)
                } catch {
                    failures = 0
                    fail(with: error)
                }
                nextLook = time.instant() + interval
            }
            let now = time.instant()
            for waiter in state.withLock({ $0.takeWaiters { $0.deadline <= now } }) { waiter.resume() }
            let deadline = state.withLock { $0.waiters.values.map(\.deadline).min() } ?? now
            // The sleep of a task that nobody cancels does not throw.
            try? await time.sleep(max(.milliseconds(1), min(nextLook, deadline) - now))
        }
    }

    /// Where to look; `nil` ends the polling, because nobody waits.
    private func nextPosition() -> (revision: Revision, incarnation: String?)? {
        state.withLock { state in
            state.isPolling = !state.waiters.isEmpty
            guard let oldest = state.waiters.values.map(\.revision).min() else { return nil }
            return state.recent.incarnation.isEmpty ? (oldest, nil) : (state.recent.last, state.recent.incarnation)
        }
    }

    /// Tells all who wait, and forgets what was seen: it may be of a log that is gone.
    private func fail(with error: any Error) {
        let woken = state.withLock { state in
            state.recent = RecentCommits()
            return state.takeWaiters { _ in true }
        }
        for waiter in woken { waiter.resume(throwing: error) }
    }
}

/// The newest commits of one log, without gaps.
private struct RecentCommits {
    static let maximumCount = 1000
    static let maximumBytes = 8 << 20

    private(set) var incarnation = ""
    /// The one before: what is still said of it comes late.
    private var ended = ""
    /// The newest revision that was seen; 0 where none was.
    private(set) var last: Revision = 0
    private var commits: ArraySlice<Commit> = []
    private var bytes = 0

    mutating func add(_ page: LogPage) {
        if page.incarnation == ended { return }
        if page.incarnation != incarnation {
            let ended = incarnation
            self = RecentCommits()
            (incarnation, self.ended) = (page.incarnation, ended)
        }
        guard page.tail > last else { return }
        let new = page.commits.drop { $0.revision <= last }
        if new.first.map({ $0.revision != last + 1 }) ?? true { (commits, bytes) = ([], 0) }
        commits += new
        bytes += new.reduce(0) { $0 + $1.weight }
        last = page.tail
        if commits.last.map({ $0.revision != last }) ?? false { (commits, bytes) = ([], 0) }
        while commits.count > Self.maximumCount || bytes > Self.maximumBytes, let first = commits.popFirst() {
            bytes -= first.weight
        }
    }

    /// The commits beyond a revision; `nil` where not all of them are here.
    func page(after revision: Revision, limit: Int) -> LogPage? {
        guard revision <= last, revision == last || commits.first.map({ $0.revision <= revision + 1 }) ?? false else {
            return nil
        }
        let start = commits.endIndex - Int(clamping: last - revision)
        return LogPage(commits: Array(commits[start...].prefix(limit)), tail: last, incarnation: incarnation)
    }
}
