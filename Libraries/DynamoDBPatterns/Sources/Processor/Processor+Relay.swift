import AWSClient
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
import Logging

extension Processor {
    /// Sends the messages of outboxes: each at least once, those of one process in their order.
    ///
    /// A message that cannot be sent holds up those of its process only, and is tried again after a pause, from a
    /// second to five minutes, for ever: hand one that will never succeed to your dead letters, and return.
    /// Costs a query for each of the table's `duePartitions`, for each process two writes, and for each message a read
    /// and a delete.
    ///
    /// - Parameters:
    ///   - limit: How many messages at most.
    ///   - end: Until when messages are begun to be sent, such as shortly before a Lambda function's deadline.
    ///   - send: Sends one; receivers tell repetitions by its `id`.
    /// - Returns: How many were sent.
    /// - Throws: `AWSError`, and `CancellationError`; not what `send` throws.
    @discardableResult
    public func relay(
        limit: Int = 100, until end: Date? = nil, _ send: (ProcessMessage) async throws -> Void
    ) async throws -> Int {
        var count = 0
        try await forEachDue(of: outboxPrefix, limit: limit) { id in
            guard count < limit, clock.milliseconds < end?.milliseconds ?? .max else { return false }
            count += try await relay(of: id, limit: limit - count, until: end, send)
            return true
        }
        return count
    }

    /// Sends messages until it has to stop: `relay` again and again, with a pause if there was nothing to send.
    ///
    /// It begins no message after its service group began to shut down gracefully. The one at work may be sent, and is
    /// cancelled when `patience` is over; if the task is cancelled, at once. The outbox is given back.
    ///
    /// - Parameters:
    ///   - pause: How long at most; a part of it is left to chance.
    ///   - patience: How long the message at work may take after a graceful shutdown began.
    ///   - send: As for `relay`.
    /// - Throws: What ends the pauses of the table's clock; never `CancellationError`. Other failures are logged, and
    ///   tried again.
    public func runRelay(
        every pause: Duration = .seconds(1), patience: Duration = .seconds(5),
        _ send: @escaping @Sendable (ProcessMessage) async throws -> Void
    ) async throws {
        try await clock.repeatedly(every: pause, patience: patience, logger, ["processor.name": "\(name)"]) {
            try await relay(send) > 0
        }
    }

    /// Sends the messages of one process, unless another worker is at it.
    ///
    /// - Parameters:
    ///   - id: The process.
    ///   - limit: How many messages at most.
    ///   - end: Until when messages are begun to be sent.
    ///   - send: Sends one.
    /// - Returns: How many were sent.
    /// - Throws: `AWSError`, and `CancellationError`; not what `send` throws.
    @discardableResult
    public func relay(
        of id: String, limit: Int = 100, until end: Date? = nil, _ send: (ProcessMessage) async throws -> Void
    ) async throws -> Int {
        try Task.checkCancellation()
        guard var claim = try await uncancelled({ try await claimOutbox(id) }) else { return 0 }
        var count = 0
        while claim.next < claim.queued {
            guard count < limit, !WorkerStop.isAskedFor, clock.milliseconds < end?.milliseconds ?? .max else {
                try await giveBack(claim)
                return count
            }
            if claim.until - clock.milliseconds < lease / 2 {
                let renewed = try await uncancelled { [claim] in
                    try await release(claim, due: clock.milliseconds + lease)
                }
                guard let renewed else { return count }
                claim = renewed
            }
            let isThere: Bool
            do {
                let message = try await message(claim.next, of: id)
                if let message { try await send(message) }
                isThere = message != nil
            } catch {
                // Whatever it threw, the stop may be why.
                if Task.isCancelled { try await giveBack(claim) }
                logger.info(
                    "A message could not be sent.",
                    metadata: ["processor.name": "\(name)", "error.type": "\(type(of: error))"])
                table.metrics.failed(MetricSubject("outbox", name))
                let pause = StepRetry().pause(after: count > 0 ? 1 : claim.attempt, random: clock.random())
                let failed = count == 0
                try await uncancelled { [claim] in
                    try await release(claim, due: clock.milliseconds + pause, failed: failed)
                }
                return count
            }
            if isThere {
                count += 1
                let delete = table.delete(messageKey(id, claim.next), if: .exists(PatternTable.Attribute.partition))
                // Another worker has sent it too: it goes on, and this one stops.
                if case .refused(_, inDoubt: false) = try await uncancelled({ try await table.carryOut(delete) }) {
                    return count
                }
            }
            claim.next += 1
            if claim.next == claim.queued { claim = try await uncancelled { [claim] in try await finish(claim) } }
        }
        return count
    }

    /// Lets others go on at once.
    ///
    /// - Throws: `CancellationError` if that is why, and `AWSError`.
    private func giveBack(_ claim: OutboxClaim) async throws {
        try await uncancelled { try await release(claim, due: clock.milliseconds) }
        try Task.checkCancellation()
    }
}
