#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import Logging

/// Handles each received message once, however often it is delivered.
///
/// ```swift
/// let inbox = try Inbox("orders", in: table)
/// try await inbox.receive(message.id, until: deadline) { call in
///     try await mails.send(order, key: call.idempotencyKey)     // at least once, under one key
///     call.write(.put(…))                                       // exactly once
/// }
/// try await inbox.transact(message.id) { transaction in …  }    // all of it exactly once
/// ```
///
/// It is an `IdempotentHandler` without answers.
public struct Inbox: Sendable {
    private let handler: IdempotentHandler<NoValue>

    /// An inbox; no request is made yet.
    ///
    /// - Parameters:
    ///   - name: The name in the keys of the items: 1 to 64 letters, digits, dots, underscores and hyphens.
    ///   - table: Where the messages that were handled are noted.
    ///   - timeout: How long a claim lasts if the receiver names no deadline.
    ///   - retention: How long a message is known: longer than its queue keeps it, which is 14 days for SQS at most.
    ///   - logger: Receives claims that could not be given back, without identities.
    /// - Throws: `PatternError` with code `invalidArgument`.
    public init(
        _ name: String, in table: PatternTable, timeout: Duration = .seconds(60),
        retention: Duration = .seconds(15 * 86_400),
        logger: Logger = Logger(label: "DynamoDBPatterns.Inbox")
    ) throws(PatternError) {
        handler = try IdempotentHandler(name, in: table, timeout: timeout, retention: retention, logger: logger)
    }

    /// Handles a message, unless that is done.
    ///
    /// - Parameters:
    ///   - id: The message's identity, given by its sender: `ProcessMessage.id`, or that of its content. The message
    ///     ID of a queue is another one if the sender sends again.
    ///   - deadline: Until when this receiver works; `nil` for the inbox's timeout from now.
    ///   - handle: Does the work.
    /// - Returns: Whether this call has handled it; `false` for a message that was handled before.
    /// - Throws: As `IdempotentHandler.handle`. With `busy` let the queue deliver the message again.
    @discardableResult
    public func receive(
        _ id: String, until deadline: Date? = nil, _ handle: (IdempotentCall) async throws -> Void
    ) async throws -> Bool {
        let answer = try await handler.handle(id, until: deadline) { call in
            try await handle(call)
            return NoValue()
        }
        return !answer.isRepeated
    }

    /// Handles a message by one transaction, unless that is done; the message is noted in the same transaction.
    ///
    /// - Parameters:
    ///   - id: The message's identity, as for `receive`.
    ///   - tries: How many transactions to try, at least 1.
    ///   - body: Loads what it needs and says what to write, up to 99 items; may be called more than once.
    /// - Returns: Whether this call has handled it; `false` for a message that was handled before.
    /// - Throws: As `IdempotentHandler.transact`.
    @discardableResult
    public func transact(
        _ id: String, tries: Int = 10, _ body: (inout VersionedTransaction) async throws -> Void
    ) async throws -> Bool {
        let answer = try await handler.transact(id, tries: tries) { transaction in
            try await body(&transaction)
            return NoValue()
        }
        return !answer.isRepeated
    }
}
