import Logging

extension PatternClock {
    /// The loop of a worker: works again and again until it has to stop.
    ///
    /// - Parameters:
    ///   - pause: How long at most where there was nothing to do, and after a failure; up to half of it is left to chance.
    ///   - patience: How long what is under way may go on after a graceful shutdown began.
    ///   - logger: Is told of failures, which are tried again.
    ///   - metadata: Whose.
    ///   - work: Returns whether there may be more to do at once.
    /// - Throws: What ends the clock's pauses, other than a stop; never `CancellationError`.
    func repeatedly(
        every pause: Duration, patience: Duration, _ logger: Logger, _ metadata: Logger.Metadata,
        _ work: @escaping @Sendable () async throws -> Bool
    ) async throws {
        do {
            try await untilStopped(patience: patience) {
                while !WorkerStop.isAskedFor {
                    do {
                        if try await work() { continue }
                    } catch {
                        // A cancellation of the work's own, such as of a group that it cancelled, ends nothing.
                        if error is CancellationError, Task.isCancelled { return }
                        logger.warn("A worker could not go on, and tries again.", of: error, metadata)
                    }
                    let longest = max(pause.milliseconds, 1)
                    try await rest(.milliseconds(longest / 2 + Int64(random() % UInt64(longest / 2 + 1))))
                }
            }
        } catch is CancellationError {}
    }
}
