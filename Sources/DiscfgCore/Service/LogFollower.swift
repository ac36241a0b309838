import Synchronization

/// Lets any number of readers wait for a config's log to grow.
///
/// Appends of this process are announced at once. For those of others it looks at the tail while, and only while, somebody
/// waits: one look for all waiters, however many there are.
final class LogFollower: Sendable {
    private struct Waiter {
        let revision: Revision
        let deadline: ContinuousClock.Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        /// The greatest revision that was announced and not yet looked for.
        var known: Revision = 0
        var waiters: [Int: Waiter] = [:]
        var nextID = 0
        var isPolling = false
    }

    private let state = Mutex(State())
    private let interval: Duration
    private let time: TimeSource
    private let tail: @Sendable () async throws -> Revision

    /// Looks at the tail with `tail`, with `interval` between two looks.
    init(interval: Duration, time: TimeSource, tail: @escaping @Sendable () async throws -> Revision) {
        self.interval = interval
        self.time = time
        self.tail = tail
    }

    /// Says that the log has this revision now.
    func announce(_ revision: Revision) {
        wake { state in
            state.known = max(state.known, revision)
            return .success(())
        } where: { state, waiter in
            waiter.revision < state.known
        }
    }

    /// Waits until the log has gone beyond a revision, or the time is over; the caller looks which.
    func wait(beyond revision: Revision, atMost duration: Duration) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        let deadline = ContinuousClock.now + duration
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let outcome: (resume: Bool, poll: Bool) = state.withLock { state in
                    if state.known > revision || Task.isCancelled {
                        // Believed once: after a config was made anew, its log is shorter than what was announced.
                        state.known = revision
                        return (true, false)
                    }
                    state.waiters[id] = Waiter(revision: revision, deadline: deadline, continuation: continuation)
                    defer { state.isPolling = true }
                    return (false, !state.isPolling)
                }
                if outcome.resume { continuation.resume() }
                if outcome.poll { Task { await poll() } }
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
            waiter?.continuation.resume(throwing: CancellationError())
        }
        try Task.checkCancellation()
    }

    private func poll() async {
        while state.withLock({ state in
            state.isPolling = !state.waiters.isEmpty
            return state.isPolling
        }) {
            do {
                announce(try await tail())
            } catch {
                wake { _ in
                    .failure(error)
                } where: { _, _ in
                    true
                }
            }
            let now = ContinuousClock.now
            wake { _ in
                .success(())
            } where: { _, waiter in
                waiter.deadline <= now
            }
            // The sleep of a task that nobody cancels does not throw.
            try? await time.sleep(interval)
        }
    }

    /// Changes the state, then resumes the waiters that fit, outside the lock.
    private func wake(
        _ change: (inout State) -> Result<Void, any Error>, where fits: (State, Waiter) -> Bool
    ) {
        let (result, woken) = state.withLock { state in
            let result = change(&state)
            let woken = state.waiters.filter { fits(state, $0.value) }
            for id in woken.keys { state.waiters[id] = nil }
            return (result, woken.values.map(\.continuation))
        }
        for continuation in woken { continuation.resume(with: result) }
    }
}
