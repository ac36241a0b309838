import Synchronization

/// Lets any number of readers wait for a config's log to grow.
///
/// Appends of this process are announced at once. For those of others it reads the log's end while, and only while, a reader
/// waits: one look for all waiters, however many there are, often after something was found and ever less often while nothing
/// is. The view keeps the newest commits, so readers that keep up never cause a read of the store.
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
    private let view: ConfigView
    private let pace: ClosedRange<Duration>
    private let time: TimeSource
    private let read: Read

    /// Follows the log of a view; looks with `read`, and the time between two looks is within `pace`.
    init(view: ConfigView, pace: ClosedRange<Duration>, time: TimeSource, read: @escaping Read) {
        self.view = view
        self.pace = pace
        self.time = time
        self.read = read
    }

    /// Applies what was read of the log to the view, and wakes those who wait for it.
    func note(_ page: LogPage) {
        view.note(page)
        wake()
    }

    /// Wakes those who wait for what the view has by now.
    func wake() {
        let (woken, strayed) = state.withLock { state in
            let (last, log) = view.announced
            // The log that they follow has ended: what comes now is another's.
            let strayed = state.takeWaiters { !log.isEmpty && !$0.incarnation.isEmpty && $0.incarnation != log }
            return (state.takeWaiters { $0.revision < last }, strayed)
        }
        for waiter in woken { waiter.resume() }
        for waiter in strayed { waiter.resume(throwing: DiscfgError.madeAnew(oldest: 1)) }
    }

    /// The commits beyond a revision, where they are remembered and somebody looks for newer ones; `nil` means look yourself.
    func recent(after revision: Revision, limit: Int, incarnation: String? = nil) -> LogPage? {
        guard state.withLock({ $0.isPolling }) else { return nil }
        return view.page(after: revision, limit: limit, log: incarnation)
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
                    if view.announced.revision > revision || Task.isCancelled { return (true, false) }
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
            guard let oldest = state.waiters.values.min(by: { $0.revision < $1.revision }) else { return nil }
            if let tail = view.current?.tail { return (tail.revision, tail.incarnation) }
            // With the log's name a store also returns what was compacted a moment ago.
            let log = [view.announced.log, oldest.incarnation].first { !$0.isEmpty }
            return (oldest.revision, log)
        }
    }

    /// Tells all who wait; if the log is gone, or not all of it can be read, the view begins again.
    private func fail(with error: any Error) {
        if let error = error as? DiscfgError, [.compacted, .futureRevision, .configNotFound].contains(error.code) {
            view.reset()
        }
        let woken = state.withLock { $0.takeWaiters { _ in true } }
        for waiter in woken { waiter.resume(throwing: error) }
    }
}
