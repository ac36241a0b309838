import Synchronization

/// A call that all its callers share: callers that arrive while one call is under way share the next.
///
/// So each caller gets the result of a call that began after the caller had arrived, and there is at most one call at a time. The
/// first of those that wait carries the call out, in its own task. If that task is cancelled, another takes over.
final class SharedCall<Value: Sendable>: Sendable {
    private enum Role {
        /// Carry out the call.
        case lead
        /// Another caller has carried it out.
        case result(Result<Value, any Error>)
    }

    private struct State {
        var isRunning = false
        var waiting: [CheckedContinuation<Role, Never>] = []
    }

    private let state = Mutex(State())

    /// Carries out `call` for all that wait, or waits for the caller that does.
    func callAsFunction(_ call: () async throws -> Value) async throws -> Value {
        if case .result(let result) = await join() { return try result.get() }
        if Task.isCancelled {
            pass(on: [])
            throw CancellationError()
        }
        let followers = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        do {
            let value = try await call()
            pass(on: [])
            for follower in followers { follower.resume(returning: .result(.success(value))) }
            return value
        } catch  where error is CancellationError || Task.isCancelled {
            pass(on: followers)
            throw error
        } catch {
            pass(on: [])
            for follower in followers { follower.resume(returning: .result(.failure(error))) }
            throw error
        }
    }

    private func join() async -> Role {
        let isFirst = state.withLock { state in
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if isFirst { return .lead }
        return await withCheckedContinuation { continuation in
            let isFirst = state.withLock { state in
                if state.isRunning { state.waiting.append(continuation) }
                defer { state.isRunning = true }
                return !state.isRunning
            }
            if isFirst { continuation.resume(returning: .lead) }
        }
    }

    /// Lets the next of those that wait carry out a call; with `followers`, who wait for a call that was not carried out, first.
    private func pass(on followers: [CheckedContinuation<Role, Never>]) {
        let next = state.withLock { state in
            state.waiting = followers + state.waiting
            guard !state.waiting.isEmpty else {
                state.isRunning = false
                return nil as CheckedContinuation<Role, Never>?
            }
            return state.waiting.removeFirst()
        }
        next?.resume(returning: .lead)
    }
}
