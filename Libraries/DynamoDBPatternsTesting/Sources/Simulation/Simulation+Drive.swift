import DynamoDBPatterns
import Synchronization

extension Simulation {
    /// Lets one process after the other go on, until none is left; cancels all when one fails.
    func drive(_ group: inout TaskGroup<Void>) {
        while true {
            startNew(in: &group)
            executor.drain()
            if Task.isCancelled { fail(CancellationError()) }
            guard !hasFailed else { break }
            if endsNow() {
                group.cancelAll()
            } else if let next = takeNext() {
                next.continuation.resume()
            } else if state.withLock({ $0.specifications.isEmpty }) {
                break
            }
        }
        let unfinished = state.withLock { $0.waiters.isEmpty ? $0.unfinished : [] }
        if !unfinished.isEmpty {
            fail(
                SimulationStuck(
                    "\(unfinished.joined(separator: ", ")): waits for something that is not the simulation's."
                        + " Has each PatternTable and VersionedTable the clock of its process (`clock: process.clock`)?"
                ))
        }
        guard hasFailed else { return }
        // Those who wait clean up; what then is left belongs to no simulation any more.
        group.cancelAll()
        executor.drain()
        // What a cancellation does not reach, such as a worker's write that gives back what it has.
        while let waiter = state.withLock({ $0.waiters.popLast() }) {
            waiter.continuation.resume(throwing: CancellationError())
            executor.drain()
        }
        executor.close()
    }

    /// Starts the processes that were added since.
    private func startNew(in group: inout TaskGroup<Void>) {
        let new = state.withLock { state in
            defer { state.specifications = [] }
            state.unfinished += state.specifications.map(\.name)
            state.foreground += state.specifications.count { !$0.isBackground }
            return state.specifications
        }
        for specification in new {
            group.addTask(executorPreference: executor) {
                await Uncancelled.$executor.withValue(self.executor) { await self.live(specification) }
            }
        }
    }

    /// Whether only those are left that the run does not wait for; says so once.
    private func endsNow() -> Bool {
        state.withLock { state in
            guard !state.isEnding, state.foreground == 0, state.specifications.isEmpty, !state.unfinished.isEmpty else {
                return false
            }
            state.isEnding = true
            return true
        }
    }

    private var hasFailed: Bool { state.withLock { $0.failure != nil } }

    /// Who goes on, now that all wait; the time moves to that moment.
    private func takeNext() -> Waiter? {
        let waiting = state.withLock { state in
            state.steps.count - state.firstStep < timing.maximumSteps
                ? [] : state.waiters.map { "\($0.process): \($0.event)" }
        }
        guard waiting.isEmpty else {
            fail(
                SimulationStuck(
                    "\(timing.maximumSteps) steps were not enough. Now waiting: \(waiting.joined(separator: ", "))."))
            return nil
        }
        return state.withLock { state in
            guard
                let index = state.waiters.indices.min(by: {
                    (state.waiters[$0].wake, state.waiters[$0].chance)
                        < (state.waiters[$1].wake, state.waiters[$1].chance)
                })
            else { return nil }
            let waiter = state.waiters.remove(at: index)
            state.now = max(state.now, waiter.wake)
            state.steps.append(Step(time: state.now, process: waiter.process, event: waiter.event))
            return waiter
        }
    }

    /// Ends the run; the first failure counts.
    func fail(_ error: any Error) {
        state.withLock { state in
            if state.failure == nil { state.failure = error }
        }
    }
}
