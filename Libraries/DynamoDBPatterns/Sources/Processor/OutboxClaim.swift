import AWSClient

/// A worker's hold on the messages of a process.
///
/// It is there so that several workers do not send the same; the order does not rest on it, since nobody sends a
/// message before it has sent, or somebody has deleted, all earlier ones.
struct OutboxClaim: Sendable {
    let id: String
    var token: String
    var until: Int64
    /// How many times in a row a worker began, and sent nothing.
    let attempt: Int
    var next: Int64
    var queued: Int64
}

extension Processor {
    /// Takes the outbox of a process, if it has one and that is due.
    func claimOutbox(_ id: String) async throws -> OutboxClaim? {
        let now = clock.milliseconds
        let token = clock.token()
        var update = ItemUpdate()
        update.set(PatternTable.Attribute.due, .integer(now + lease))
        update.increment(ProcessItem.attempt)
        update.remove(ProcessItem.wake)
        let write = try await table.writeMarked(
            outboxKey(id), update, token: token, in: ProcessItem.token,
            if: .atMost(PatternTable.Attribute.due, .integer(now)))
        guard let item = write.item, let next = item[ProcessItem.next]?.int64,
            let queued = item[ProcessItem.queued]?.int64
        else { return nil }
        return OutboxClaim(
            id: id, token: token, until: now + lease, attempt: item[ProcessItem.attempt]?.int ?? 1, next: next,
            queued: queued)
    }

    /// Writes down how far the messages are sent, and when they are due again.
    ///
    /// - Parameters:
    ///   - claim: This worker's.
    ///   - due: When others may go on; this worker keeps its claim until then.
    ///   - failed: Whether nothing could be sent.
    /// - Returns: The claim until then; `nil` if it is another worker's by now.
    /// - Throws: `AWSError`.
    @discardableResult
    func release(_ claim: OutboxClaim, due: Int64, failed: Bool = false) async throws -> OutboxClaim? {
        let token = clock.token()
        var update = ItemUpdate()
        update.set(PatternTable.Attribute.due, .integer(due))
        update.set(ProcessItem.next, .integer(claim.next))
        update.set(ProcessItem.token, .string(token))
        if !failed { update.set(ProcessItem.attempt, .integer(0)) }
        let write = table.write(outboxKey(claim.id), update, if: .equals(ProcessItem.token, .string(claim.token)))
        if case .refused(let item, _) = try await table.carryOut(write),
            item?[ProcessItem.token]?.string != token
        {
            return nil
        }
        var next = claim
        next.token = token
        next.until = due
        return next
    }

    /// All is sent: the outbox goes, unless messages came meanwhile, which are the next then.
    ///
    /// - Returns: The claim, with those messages.
    func finish(_ claim: OutboxClaim) async throws -> OutboxClaim {
        let isAll = Condition.all([
            .equals(ProcessItem.token, .string(claim.token)), .equals(ProcessItem.queued, .integer(claim.queued)),
        ])
        guard case .refused(let item, _) = try await table.carryOut(table.delete(outboxKey(claim.id), if: isAll)),
            item?[ProcessItem.token]?.string == claim.token
        else { return claim }
        var next = claim
        next.queued = item?[ProcessItem.queued]?.int64 ?? claim.queued
        return next
    }
}
