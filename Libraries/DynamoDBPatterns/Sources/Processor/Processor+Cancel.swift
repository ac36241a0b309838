import AWSClient

extension Processor {
    /// Turns a process back: what began of it is undone, the last step first, as after a failure.
    ///
    /// A worker that is in the middle of a step ends it first; what the step wanted written is not, and it is undone with
    /// the state as it was before, also where only its success needs that. Where that worker has died, another one goes
    /// back when the lease is over. One request, two where a worker has the process.
    ///
    /// - Parameters:
    ///   - id: The process.
    ///   - reason: Why, for `ProcessStatus.failure`; up to 500 Unicode scalars are kept.
    /// - Returns: Whether it will be turned back; `false` if it has ended, or is on its way back. One whose item
    ///   cannot be read stays stuck all the same.
    /// - Throws: `AWSError`, `PatternError` with the code `.notFound` where there is no such process.
    @discardableResult
    public func cancel(_ id: String, because reason: String = "It was cancelled.") async throws -> Bool {
        let key = headKey(id)
        var update = ItemUpdate()
        update.set(ProcessItem.cancellation, .string(reason.shortened))
        var waking = update
        waking.remove(ProcessItem.unknownSince)
        setRest(.ready, of: key, in: &waking)
        let isForward = Condition.equals(ProcessItem.status, .string(ProcessPhase.running.rawValue))
        let free = table.write(key, waking, if: .all([isForward, .absent(ProcessItem.claimed)]))
        let held = table.write(key, update, if: .all([isForward, .exists(ProcessItem.claimed)]))
        // Which of the two holds may change between the tries, as workers come and go.
        var isInDoubt = false
        for _ in 0..<20 {
            for write in [free, held] {
                guard case .refused(let item, let inDoubt) = try await table.carryOut(write) else { return true }
                isInDoubt = isInDoubt || inDoubt
                guard let item else { throw PatternError(.notFound, "There is no process “\(id)”.") }
                guard item[ProcessItem.status]?.string == ProcessPhase.running.rawValue else {
                    return isInDoubt && item[ProcessItem.cancellation]?.string == reason.shortened
                }
            }
        }
        throw PatternError(.contention, "The process “\(id)” never stayed as it was for the time of a write.")
    }
}
