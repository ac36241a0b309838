import Synchronization

extension Simulation {
    /// Adds a process, which the next `run()` starts, or the one under way: a process may spawn others.
    ///
    /// - Parameters:
    ///   - name: Its name, for failures and steps.
    ///   - skew: How far its clock is ahead of the right time.
    ///   - restarts: How often it is started again after a crash or an error that a fault explains; then it stays away.
    ///   - isBackground: Whether the run ends without waiting for it: a worker that never ends by itself is cancelled
    ///     when all others have ended, and what it throws then is not looked at.
    ///   - body: What it does, from its beginning each time that it is started.
    public func spawn(
        _ name: String, skew: Duration = .zero, restarts: Int = .max, isBackground: Bool = false,
        _ body: @escaping @Sendable (SimulatedProcess) async throws -> Void
    ) {
        let process = ProcessSpecification(
            name: name, skew: skew, restarts: restarts, isBackground: isBackground, body: body)
        state.withLock { $0.specifications.append(process) }
    }

    /// Runs the processes that were added, until all have ended.
    ///
    /// - Throws: What a process threw and no fault explains; `SimulationStuck`, when the steps that are allowed were not
    ///   enough, or a process waits for something outside of the simulation; `CancellationError`.
    public func run() async throws {
        let isFirst = state.withLock { state in
            defer { state.isRunning = true }
            state.firstStep = state.steps.count
            state.isEnding = false
            return !state.isRunning
        }
        guard isFirst else { throw SimulationStuck("A simulation that is running cannot be run.") }
        await withTaskGroup(of: Void.self) { drive(&$0) }
        let failure = state.withLock { state in
            state.isRunning = false
            return state.failure
        }
        if let failure { throw failure }
    }

    /// A process from its first start to its end.
    func live(_ specification: ProcessSpecification) async {
        var start = 1
        while true {
            let process = SimulatedProcess(specification, start: start, in: self)
            do {
                try await process.begin()
                try await specification.body(process)
                if !process.hasCrashed { break }
            } catch {
                let isFault = Fault.explains(error) || process.hasCrashed && !(error is InvariantViolation)
                let isCancelled = error is CancellationError && Task.isCancelled
                if !isFault && !state.withLock({ $0.isEnding }) {
                    fail(isCancelled ? error : ProcessFailure(process: specification.name, cause: error))
                }
                if !isFault || Task.isCancelled { break }
            }
            if start > specification.restarts { break }
            start += 1
        }
        state.withLock { state in
            if !specification.isBackground { state.foreground -= 1 }
            state.unfinished.firstIndex(of: specification.name).map { _ = state.unfinished.remove(at: $0) }
        }
    }
}
