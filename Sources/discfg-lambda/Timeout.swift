import Synchronization

/// Work with a deadline.
enum Timeout {
    /// The result of the work; `nil` if the deadline comes first.
    ///
    /// The work is cancelled at the deadline, and not waited for. It runs on the executor, which a new task does not
    /// inherit.
    /// - Throws: What the work throws.
    static func run<Value: Sendable>(
        until deadline: ContinuousClock.Instant, on executor: (any TaskExecutor)?,
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        let first = FirstResult<Value>()
        let working = Task(executorPreference: executor) {
            do { first.settle(.success(try await work())) } catch { first.settle(.failure(error)) }
        }
        let waiting = Task(executorPreference: executor) {
            try? await Task.sleep(until: deadline, clock: .continuous)
            first.settle(.success(nil))
        }
        defer {
            working.cancel()
            waiting.cancel()
        }
        return try await first.value()
    }
}

/// The first of several results, for one caller that waits for it.
private final class FirstResult<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Value?, any Error>)
        case settled(Result<Value?, any Error>)
        case over
    }

    private let state = Mutex(State.open)

    /// Sets the result, unless there is one already.
    func settle(_ result: Result<Value?, any Error>) {
        let waiter: CheckedContinuation<Value?, any Error>? = state.withLock { state in
            switch state {
            case .open: state = .settled(result)
            case .awaited(let continuation):
                state = .over
                return continuation
            case .settled, .over: break
            }
            return nil
        }
        waiter?.resume(with: result)
    }

    func value() async throws -> Value? {
        try await withCheckedThrowingContinuation { continuation in
            let result: Result<Value?, any Error>? = state.withLock { state in
                guard case .settled(let result) = state else {
                    state = .awaited(continuation)
                    return nil
                }
                state = .over
                return result
            }
            if let result { continuation.resume(with: result) }
        }
    }
}
