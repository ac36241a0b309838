public import AWSClient

extension Processor {
    /// Starts a process, unless there is one with its identity.
    ///
    /// If there is one, it is left as it is: its state stays the one that it was started with, also if this call brings
    /// another. Look at what is returned if two callers may mean different things by one identity, or compare
    /// `status(of:)`.
    ///
    /// Costs one request and two write units, and more for a state over 1 KB.
    ///
    /// - Parameters:
    ///   - id: The process's identity, of up to 512 bytes: never to be used again for another, since the idempotency
    ///     keys of its steps are made of it.
    ///   - state: What the steps work on.
    ///   - delay: When the first step becomes due.
    ///   - limit: After how long the process is turned back where it is not done; `nil` for never.
    /// - Returns: Whether this call started it, or there was one already, with whatever state.
    /// - Throws: `AWSError`, `PatternError` with the code `.invalidArgument`, `EncodingError`.
    @discardableResult
    public func start(
        _ id: String, _ state: State, after delay: Duration = .zero, within limit: Duration? = nil
    ) async throws -> ProcessStart {
        let token = clock.token()
        let write = try starting(id, state, after: delay, within: limit, token: token)
        guard case .refused(let item, _) = try await table.carryOut(write) else { return .started }
        if item?[ProcessItem.startToken]?.string == token { return .started }
        let phase = item?[ProcessItem.status]?.string.flatMap(ProcessPhase.init(rawValue:))
        guard let phase else { throw PatternError(.corrupt, "The item of the process “\(id)” has no status.") }
        return .exists(phase)
    }

    /// The write that starts a process, for a transaction of your own: with the order that it is about, or not at all.
    ///
    /// The transaction is cancelled where there is a process with this identity.
    ///
    /// - Parameters: As those of `start`.
    public func starting(
        _ id: String, _ state: State, after delay: Duration = .zero, within limit: Duration? = nil
    ) throws -> TransactWriteItem {
        try starting(id, state, after: delay, within: limit, token: clock.token()).transactItem
    }

    private func starting(
        _ id: String, _ state: State, after delay: Duration, within limit: Duration?, token: String
    ) throws -> ItemWrite {
        try PatternKey.check(id, of: "process's identity")
        let key = headKey(id)
        let now = clock.milliseconds
        var item = key.attributes
        item[ProcessItem.status] = .string(ProcessPhase.running.rawValue)
        item[ProcessItem.state] = try AttributeEncoder().attribute(of: state)
        item[ProcessItem.step] = .string(steps.all[0].name)
        item[ProcessItem.attempt] = .integer(0)
        item[ProcessItem.waits] = .integer(0)
        item[ProcessItem.passed] = .list([])
        // By chance, so that a worker of an earlier process with this identity, which expired, is behind the fence too.
        item[ProcessItem.version] = .integer(Int64(clock.random() >> 16))
        item[ProcessItem.messages] = .integer(0)
        item[ProcessItem.signalCount] = .integer(0)
        item[ProcessItem.startToken] = .string(token)
        if let limit { item[ProcessItem.deadline] = .integer(now + limit.milliseconds) }
        item[PatternTable.Attribute.duePartition] = .string(table.duePartition(of: key))
        item[PatternTable.Attribute.due] = .integer(now + max(delay.milliseconds, 0))
        if delay <= .zero { item[ProcessItem.wake] = .string(ProcessWake.run) }
        return table.put(item, if: .absent(PatternTable.Attribute.partition))
    }
}
