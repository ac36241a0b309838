import ServiceLifecycle
import Synchronization

/// Something that happens once, and that any number of tasks can wait for.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var nextID = 0
    }

    private let state = Mutex(State())

    /// Lets everybody through, now and later.
    func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits for the gate to open, or for the task to be cancelled.
    func wait() async {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.isOpen || Task.isCancelled { return true }
                    state.waiters[id] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.resume()
        }
    }

    /// Runs something, and cancels it when the gate opens.
    ///
    /// - Returns: `nil` when the gate was open before it was done.
    /// - Throws: What the body throws, or `CancellationError`.
    func bound<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value? {
        let value = try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                await self.wait()
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
        try Task.checkCancellation()
        return value
    }
}

/// Runs something that waits; gives `nil` when the server shuts down first.
///
/// A server that is asked to stop must not be held up by those who wait for a change. ServiceLifecycle's own
/// `cancelWhenGracefulShutdown` would do, but may hang for good when what it runs is over at once.
func untilShutdown<Result: Sendable>(_ wait: @escaping @Sendable () async throws -> Result) async throws -> Result? {
    let shutdown = Gate()
    return try await withGracefulShutdownHandler {
        try await shutdown.bound(wait)
    } onGracefulShutdown: {
        shutdown.open()
    }
}
