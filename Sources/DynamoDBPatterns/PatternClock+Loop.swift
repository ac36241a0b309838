import Logging

extension PatternClock {
    /// The loop of a worker: works again and again until its task is cancelled.
    ///
    /// - Parameters:
    ///   - pause: How long at most where there was nothing to do, and after a failure; up to half of it is left to chance.
    ///   - logger: Is told of failures, which are tried again.
    ///   - metadata: Whose.
    ///   - work: Answers whether there may be more to do at once.
    /// - Throws: `CancellationError`, and what ends the clock's pauses.
    func repeatedly(
        every pause: Duration, _ logger: Logger, _ metadata: Logger.Metadata, _ work: () async throws -> Bool
    ) async throws {
        while true {
            try Task.checkCancellation()
            do {
                if try await work() { continue }
            } catch {
                // One of the work's own, such as of a group that it cancelled, ends nothing.
                if error is CancellationError { try Task.checkCancellation() }
                logger.warn("A worker could not go on, and tries again.", of: error, metadata)
            }
            let longest = max(pause.milliseconds, 1)
            try await sleep(.milliseconds(longest / 2 + Int64(random() % UInt64(longest / 2 + 1))))
        }
    }
}
