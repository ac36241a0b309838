import Synchronization

/// Work against a moment: whichever is first decides.
enum Race {
    /// What the work comes to, or `nil` when the moment comes first; the work is cancelled then, and not waited for.
    ///
    /// The work is done on the executor: a task of its own does not stay where its maker is by itself.
    /// - Throws: What the work throws.
    static func first<Value: Sendable>(
        until deadline: ContinuousClock.Instant, on executor: (any TaskExecutor)?,
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        let finish = Finish<Value>()
        let working = Task(executorPreference: executor) {
            do { finish.settle(.success(try await work())) } catch { finish.settle(.failure(error)) }
        }
        let waiting = Task(executorPreference: executor) {
            try? await Task.sleep(until: deadline, clock: .continuous)
            finish.settle(.success(nil))
        }
        defer {
            working.cancel()
            waiting.cancel()
        }
        return try await finish.value()
    }
}

/// Something that is decided once, and waited for once.
private final class Finish<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Value?, any Error>)
        case settled(Result<Value?, any Error>)
        case over
    }

    private let state = Mutex(State.open)

    /// Decides, unless that is done.
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
