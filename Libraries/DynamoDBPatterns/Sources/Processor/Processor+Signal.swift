import AWSClient

extension Processor {
    /// Tells a process something from outside, such as that a payment arrived, and wakes it where it waits.
    ///
    /// A signal stays with its process, for all steps to see; the last one of a name counts. To send it twice does no
    /// harm. One that comes before its process was started is refused, for the caller to send it again. Costs one
    /// request where the process waits, two where it does not.
    ///
    /// - Parameters:
    ///   - signal: The signal's name, of up to 64 bytes.
    ///   - id: The process.
    ///   - payload: What it carries; counts toward the 400 KB of the process's item.
    /// - Returns: Whether the process may still see it: `false` if it has ended.
    /// - Throws: `AWSError`, `EncodingError`, `PatternError` with the code `.notFound` where there is no such process.
    @discardableResult
    public func signal(_ signal: String, of id: String, _ payload: some Encodable & Sendable = true) async throws
        -> Bool
    {
        try PatternKey.check(signal, of: "signal's name", limit: 64)
        let key = headKey(id)
        var update = ItemUpdate()
        update.set(ProcessItem.signal + signal, try AttributeEncoder().attribute(of: payload))
        update.increment(ProcessItem.signalCount)
        var waking = update
        waking.setDue(clock.milliseconds, of: key, in: table)
        waking.set(ProcessItem.wake, .string(ProcessWake.run))
        waking.remove(ProcessItem.waiting)
        let isActive = Condition.all([
            .differs(ProcessItem.status, .string(ProcessPhase.done.rawValue)),
            .differs(ProcessItem.status, .string(ProcessPhase.compensated.rawValue)),
            .exists(ProcessItem.status), .absent(ProcessItem.waiting),
        ])
        // Which of the two holds may change between the tries, as workers come and go.
        for _ in 0..<20 {
            let wake = table.write(key, waking, if: .exists(ProcessItem.waiting))
            if case .done = try await table.carryOut(wake) { return true }
            guard case .refused(let item, _) = try await table.carryOut(table.write(key, update, if: isActive)) else {
                return true
            }
            guard let item else { throw PatternError(.notFound, "There is no process “\(id)”.") }
            let phase = item[ProcessItem.status]?.string.flatMap(ProcessPhase.init(rawValue:))
            guard let phase else { throw PatternError(.corrupt, "The item of the process “\(id)” has no status.") }
            if phase.isEnd { return false }
        }
        throw PatternError(.contention, "The process “\(id)” never stayed as it was for the time of a write.")
    }
}
