import Synchronization

/// Runs the jobs of a simulation's processes, one after the other, on the thread that calls `drain`.
///
/// When it has none left, every process waits: that is how the simulation knows, without counting, and child tasks of a
/// process are no exception.
package final class SimulationExecutor: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var next = 0
        var isClosed = false
    }

    private let state = Mutex(State())

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isKept = state.withLock { state in
            if !state.isClosed { state.jobs.append(job) }
            return !state.isClosed
        }
        if !isKept { globalConcurrentExecutor.enqueue(ExecutorJob(job)) }
    }

    /// Runs jobs until there are none.
    func drain() {
        while let job = takeNext() { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    /// Leaves all further jobs to the threads that others use: nothing is simulated any more.
    func close() {
        let left = state.withLock { state in
            state.isClosed = true
            let left = state.jobs[state.next...]
            state.jobs = []
            state.next = 0
            return left
        }
        for job in left { globalConcurrentExecutor.enqueue(ExecutorJob(job)) }
    }

    private func takeNext() -> UnownedJob? {
        state.withLock { state in
            guard state.next < state.jobs.count else {
                state.jobs.removeAll(keepingCapacity: true)
                state.next = 0
                return nil
            }
            state.next += 1
            return state.jobs[state.next - 1]
        }
    }
}
