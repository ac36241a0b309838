import AWSClient

/// The right to act on a set, until somebody else takes it.
struct AggregateClaim: Sendable {
    var set: String
    var head: AggregateHead
    /// In the condition of every write by this claim: whoever was taken over writes nothing.
    var token: String
}

enum ClaimOutcome: Sendable {
    case claimed(AggregateClaim)
    /// The head that stood in the way; `nil` if there is no such set.
    case refused(AggregateHead?)
}

extension Aggregator {
    private typealias Name = AggregateHead.Attribute

    /// Takes a set that is complete, has timed out, or whose claim has run out.
    ///
    /// What each state waits for is its `due`: an open set for its timeout, one that is acted on for the claim's end.
    func claim(_ set: String) async throws -> ClaimOutcome {
        let key = headKey(of: set)
        let now = table.clock.milliseconds
        let token = table.clock.token()
        var update = ItemUpdate()
        update.set(Name.state, .string(AggregateState.running.rawValue))
        update.setDue(now + lease.milliseconds, of: key, in: table)
        update.increment(Name.attempt)
        let condition = Condition.all([
            .differs(Name.state, .string(AggregateState.done.rawValue)),
            .any([
                .equals(Name.state, .string(AggregateState.ready.rawValue)),
                .atMost(PatternTable.Attribute.due, .integer(now)),
            ]),
        ])
        switch try await table.writeMarked(key, update, token: token, in: Name.claim, if: condition) {
        case .done(let item):
            return .claimed(AggregateClaim(set: set, head: try AggregateHead(item), token: token))
        case .refused(let item): return .refused(try item.map(AggregateHead.init))
        }
    }

    /// Marks a set as acted on, together with what the action writes.
    func finish(_ claim: AggregateClaim, writing others: [TransactWriteItem]) async throws {
        let key = headKey(of: claim.set)
        let end = table.clock.milliseconds + retention.milliseconds
        var update = ItemUpdate()
        update.set(Name.state, .string(AggregateState.done.rawValue))
        if storage == .asItems {
            update.setDue(end, of: key, in: table)
        } else {
            update.removeDue()
            update.set(PatternTable.Attribute.timeToLive, .integer(end / 1000 + 1))
        }
        let write = table.write(key, update, if: isHeld(claim))
        if others.isEmpty {
            guard case .refused(let item, _) = try await table.carryOut(write) else { return }
            let head = try item.map(AggregateHead.init)
            guard head?.claim == claim.token, head?.state == .done else { throw fenced(claim) }
        } else if case .refused(let reasons) = try await table.carryOut([write], with: others) {
            if reasons.first?.failed == true { throw fenced(claim) }
            throw PatternError(
                .conflict, "What was to be written for the set “\(claim.set)” of “\(name)” failed a condition.",
                hint: "Neither that nor the mark was written; the set will be acted on again.")
        }
    }

    /// Lets others act again on a set.
    ///
    /// - Parameters:
    ///   - claim: This worker's.
    ///   - isStopped: Whether this worker was stopped, which costs no attempt; otherwise its action failed: others act at
    ///     once the first time, later after each further time.
    /// - Throws: `AWSError`.
    func release(_ claim: AggregateClaim, isStopped: Bool) async throws {
        let attempts = claim.head.item[Name.attempt]?.int64 ?? 1
        let pause = isStopped ? 0 : min(lease.milliseconds, 3_600_000) * min(attempts - 1, 60)
        var update = ItemUpdate()
        if isStopped { update.set(Name.attempt, .integer(attempts - 1)) }
        update.setDue(table.clock.milliseconds + min(pause, 3_600_000), of: headKey(of: claim.set), in: table)
        _ = try await table.carryOut(table.write(headKey(of: claim.set), update, if: isHeld(claim)))
    }

    private func isHeld(_ claim: AggregateClaim) -> Condition {
        .isRunning(Name.state, by: Name.claim, .string(claim.token))
    }

    private func fenced(_ claim: AggregateClaim) -> PatternError {
        PatternError(
            .fenced, "Somebody else has taken over the set “\(claim.set)” of “\(name)”.",
            hint: "The action took longer than the lease: nothing was written; a longer lease gives it more time.")
    }
}
