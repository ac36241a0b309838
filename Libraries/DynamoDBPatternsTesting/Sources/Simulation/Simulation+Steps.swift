import Synchronization

extension Simulation {
    /// One step of a run: a process goes on after a call or a pause, or something happens to it.
    public struct Step: Sendable, Hashable, CustomStringConvertible {
        /// Microseconds since 1970.
        public var time: Int64
        /// The process's name.
        public var process: String
        /// What it waited for, or what happened: `UpdateItem`, `sleep`, `crash`.
        public var event: String

        /// The time since the run's first moment in milliseconds, the process and the event.
        public var description: String {
            let milliseconds = (time - 1_767_225_600_000_000) / 1000
            return "\(milliseconds) ms  \(process)  \(event)"
        }
    }

    /// A process that waits.
    struct Waiter {
        var id: Int
        var process: String
        var event: String
        var wake: Int64
        /// Decides between those that wake at the same time.
        var chance: UInt64
        var continuation: CheckedContinuation<Void, any Error>
    }

    /// Waits for some simulated time, in which others go on.
    ///
    /// - Parameters:
    ///   - microseconds: How long.
    ///   - process: Who waits.
    ///   - event: What for.
    /// - Throws: `CancellationError` when the task or the run was cancelled.
    package func park(_ microseconds: Int64, process: String, event: String) async throws {
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isKept = state.withLock { state in
                    guard state.isRunning, state.failure == nil, !Task.isCancelled else { return false }
                    state.waiters.append(
                        Waiter(
                            id: id, process: process, event: event, wake: state.now + max(microseconds, 0),
                            chance: state.generator.next(), continuation: continuation))
                    return true
                }
                if !isKept { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
            }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }

    /// A pause of a clock; outside of a run the time just moves.
    func pause(_ duration: Duration, by process: String?) async throws {
        guard process != nil || state.withLock({ $0.isRunning }) else { return advance(by: duration) }
        // Nobody wakes on time: a little late always, and sometimes much.
        let late =
            chance(percent: 80)
            ? state.withLock { $0.generator.microseconds(in: .zero...(.milliseconds(2))) } : latency()
        try await park(max(duration.microseconds, 0) + late, process: process ?? "the test", event: "sleep")
    }

    /// Writes down what happened to a process.
    package func note(_ event: String, of process: String) {
        state.withLock { $0.steps.append(Step(time: $0.now, process: process, event: event)) }
    }
}
