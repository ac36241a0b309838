import AWSClient

extension Processor {
    /// Turns a process back: what began of it is undone, the last step first, as after a failure.
    ///
    /// A worker that is in the middle of a step is overtaken: it can write nothing any more, and its step counts as one
    /// that began. A process that is stuck on its way forward is turned back as well. One request.
    ///
    /// - Parameters:
    ///   - id: The process.
    ///   - reason: Why, for `ProcessStatus.failure`; up to 500 Unicode scalars are kept.
    /// - Returns: Whether it is turned back by this call, or one with the same reason; `false` where it has ended, or
    ///   was on its way back.
    /// - Throws: `AWSError`, `PatternError` with the code `.notFound` where there is no such process.
    @discardableResult
    public func cancel(_ id: String, because reason: String = "It was cancelled.") async throws -> Bool {
        let key = headKey(id)
        let token = clock.token()
        var update = ItemUpdate()
        update.set(ProcessItem.token, .string(token))
        update.set(ProcessItem.deadline, .integer(clock.milliseconds))
        update.set(ProcessItem.cancellation, .string(reason.shortened))
        // The fence behind which a worker stands that has the process now.
        update.increment(ProcessItem.version)
        setRest(.ready, of: key, in: &update)
        let isForward = Condition.equals(ProcessItem.status, .string(ProcessPhase.running.rawValue))
        switch try await table.carryOut(table.write(key, update, if: isForward)) {
        case .done: return true
        case .refused(nil, _): throw PatternError(.notFound, "There is no process “\(id)”.")
        case .refused(let item?, let inDoubt):
            return inDoubt && item[ProcessItem.cancellation]?.string == reason.shortened
        }
    }
}
