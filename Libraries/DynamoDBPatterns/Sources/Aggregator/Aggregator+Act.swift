public import AWSClient

extension Aggregator {
    /// What is done about a set that is complete or has timed out.
    ///
    /// The writes that it returns are carried out in the transaction that marks the set as done: all of them exactly
    /// once. What it does by itself is done at least once: again after a crash or an error, with the same
    /// `idempotencyKey`.
    public typealias Action = (Aggregate<Member, Value>) async throws -> [TransactWriteItem]

    /// Acts on a set that is complete or has timed out, unless that is done or somebody else is at it.
    ///
    /// Two requests besides the action; with the storage `asItems` a count of the members, until all can be seen, which
    /// costs a read unit for each 4 KB of them. An action that fails is repeated by the next call, after the second
    /// failure only once a lease has passed, and so on, up to an hour: whoever wants to give up counts with
    /// `Aggregate.attempt`.
    ///
    /// - Parameters:
    ///   - set: The set's key.
    ///   - action: What to do; up to 99 writes to return.
    /// - Returns: Whether it was done.
    /// - Throws: What the action throws; `PatternError` with the code `contention` if not all members can be
    ///   seen yet, with the code `fenced` if the action took longer than the lease and somebody else took over, and
    ///   `conflict` if its writes failed a condition; `AWSError`; `CancellationError`, when the set was given back.
    ///   Nothing that the action returned was written then, unless the error is an `AWSError` that `mayHaveTakenEffect`.
    @discardableResult
    public func act(on set: String, _ action: Action) async throws -> AggregateOutcome {
        try check(set: set)
        try Task.checkCancellation()
        switch try await uncancelled({ try await claim(set) }) {
        case .claimed(let claim):
            try await carryOut(action, on: claim)
            return .acted
        case .refused(let head):
            switch head?.state {
            case nil, .open, .ready: return .notReady
            case .running: return .busy
            case .done: return .done
            }
        }
    }

    /// Acts on a set that was claimed, and gives the claim back where that fails.
    func carryOut(_ action: Action, on claim: AggregateClaim) async throws {
        do {
            try Task.checkCancellation()
            try await awaitMembers(of: claim)
            let writes = try await action(aggregate(claim.set, claim.head))
            try await uncancelled { try await finish(claim, writing: writes) }
        } catch {
            let isStopped = Task.isCancelled
            // What goes wrong here costs time only: the claim runs out by itself.
            try? await uncancelled { try await release(claim, isStopped: isStopped) }
            throw error
        }
    }
}
