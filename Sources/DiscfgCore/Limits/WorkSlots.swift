import Synchronization

/// Lets a bounded number of tasks work at the same time; the next ones wait, first come, first served.
package final class WorkSlots: Sendable {
    private struct State {
        var free: Int
        /// In the order in which they came.
        var waiters: [(id: Int, continuation: CheckedContinuation<Bool, Never>)] = []
        var nextID = 0
    }

    private let state: Mutex<State>
    private let maximumWaiters: Int

    package init(count: Int, maximumWaiters: Int) {
        state = Mutex(State(free: count))
        self.maximumWaiters = maximumWaiters
    }

    /// The number of tasks that wait for a slot.
    package var waiting: Int { state.withLock { $0.waiters.count } }

    /// Waits for a slot, which the caller must release.
    ///
    /// - Throws: `CancellationError`, and `DiscfgError` with code `overloaded` when too many wait already.
    package func acquire() async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        let isOverloaded = Mutex(false)
        let hasSlot = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock { state in
                    if Task.isCancelled { return false }
                    if state.free > 0 {
                        state.free -= 1
                        return true
                    }
                    if state.waiters.count >= maximumWaiters {
                        isOverloaded.withLock { $0 = true }
                        return false
                    }
                    state.waiters.append((id, continuation))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0).continuation }
            }
            waiter?.resume(returning: false)
        }
        if hasSlot { return }
        if isOverloaded.withLock({ $0 }) {
            throw DiscfgError(
                .overloaded, "\(maximumWaiters) large bodies or files wait to be read or written already.",
                hint: "Try again later.")
        }
        throw CancellationError()
    }

    /// Gives the slot back, to the first task that waits.
    package func release() {
        let next: CheckedContinuation<Bool, Never>? = state.withLock { state in
            if state.waiters.isEmpty {
                state.free += 1
                return nil
            }
            return state.waiters.removeFirst().continuation
        }
        next?.resume(returning: true)
    }
}
