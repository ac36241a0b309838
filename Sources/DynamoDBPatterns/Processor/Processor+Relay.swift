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
    /// - Throws: `AWSError`; not what `send` throws.
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

    /// Sends messages until it is cancelled: `relay` again and again, with a pause where there was nothing to send.
    ///
    /// - Parameters:
    ///   - pause: How long at most; a part of it is left to chance.
    ///   - send: As for `relay`.
    /// - Throws: `CancellationError`, in the end. Other failures are logged, and tried again.
    public func runRelay(
        every pause: Duration = .seconds(1), _ send: (ProcessMessage) async throws -> Void
    ) async throws {
        try await clock.repeatedly(every: pause, logger, ["processor.name": "\(name)"]) { try await relay(send) > 0 }
    }

    /// Sends the messages of one process, unless another worker is at it.
    ///
    /// - Parameters:
    ///   - id: The process.
    ///   - limit: How many messages at most.
    ///   - end: Until when messages are begun to be sent.
    ///   - send: Sends one.
    /// - Returns: How many were sent.
    /// - Throws: `AWSError`; not what `send` throws.
    @discardableResult
    public func relay(
        of id: String, limit: Int = 100, until end: Date? = nil, _ send: (ProcessMessage) async throws -> Void
    ) async throws -> Int {
        guard var claim = try await claimOutbox(id) else { return 0 }
        var count = 0
        while claim.next < claim.queued {
            guard count < limit, clock.milliseconds < end?.milliseconds ?? .max else {
                try await release(&claim, due: clock.milliseconds)
                return count
            }
            if claim.until - clock.milliseconds < lease / 2 {
                guard try await release(&claim, due: clock.milliseconds + lease) else { return count }
            }
            let isThere: Bool
            do {
                let message = try await message(claim.next, of: id)
                if let message { try await send(message) }
                isThere = message != nil
            } catch {
                if error is CancellationError { try Task.checkCancellation() }
                logger.info(
                    "A message could not be sent.",
                    metadata: ["processor.name": "\(name)", "error.type": "\(type(of: error))"])
                table.metrics.failed(MetricSubject("outbox", name))
                let pause = StepRetry().pause(after: count > 0 ? 1 : claim.attempt, random: clock.random())
                try await release(&claim, due: clock.milliseconds + pause, failed: count == 0)
                return count
            }
            if isThere {
                count += 1
                let delete = table.delete(messageKey(id, claim.next), if: .exists(PatternTable.Attribute.partition))
                // Another worker has sent it too: it goes on, and this one stops.
                if case .refused(_, inDoubt: false) = try await table.carryOut(delete) { return count }
            }
            claim.next += 1
            if claim.next == claim.queued { try await finish(&claim) }
        }
        return count
    }
}
