public import Logging

/// Handles each key once, and gives the stored answer to every repetition.
///
/// ```swift
/// let payments = try IdempotentHandler("payments", answering: Receipt.self, in: table)
/// let receipt = try await payments.handle(request.key, payload: request, until: deadline) { call in
///     try await bank.pay(request.amount, key: call.idempotencyKey)
/// }.answer
/// ```
///
/// - A key is claimed before the handler runs, until the caller's deadline. Another call with the same key is refused
///   with the code `busy` while the claim lasts.
/// - The answer is stored under the claim, together with the writes of `IdempotentCall.write`, in one transaction: these
///   happen exactly once. What the handler does elsewhere happens at least once, under the same `idempotencyKey`.
/// - A handler that throws gives the claim back, so that a repetition runs at once. After a crash a repetition runs once
///   the deadline is over.
/// - The same key with another payload is refused with the code `payloadMismatch`.
/// - After `retention` the key is forgotten, and the handler runs again.
public struct IdempotentHandler<Answer: Codable & Sendable>: Sendable {
    /// The name in the keys of the items.
    public let name: String
    /// The table of the items, which other patterns may share.
    public let table: PatternTable
    /// How long a claim lasts if the caller names no deadline.
    public let timeout: Duration
    /// How long an answer is kept.
    public let retention: Duration
    let logger: Logger

    /// A handler; no request is made yet.
    ///
    /// - Parameters:
    ///   - name: The name in the keys of the items: 1 to 64 letters, digits, dots, underscores and hyphens.
    ///   - answer: The type of the answers; an answer has up to 380 KB.
    ///   - table: Where answers and claims are kept.
    ///   - timeout: How long a claim lasts if the caller names no deadline.
    ///   - retention: How long an answer is kept: longer than a request or message may be repeated.
    ///   - logger: Receives claims that could not be given back, without keys and payloads.
    /// - Throws: `PatternError` with code `invalidArgument`.
    public init(
        _ name: String, answering answer: Answer.Type = Answer.self, in table: PatternTable,
        timeout: Duration = .seconds(60), retention: Duration = .seconds(86_400),
        logger: Logger = Logger(label: "DynamoDBPatterns.IdempotentHandler")
    ) throws(PatternError) {
        try PatternName.check(name, of: "an idempotent handler")
        for time in [timeout, retention] where time < .milliseconds(1) || time > .seconds(10 * 366 * 86_400) {
            throw PatternError(
                .invalidArgument, "The timeout or retention of the idempotent handler “\(name)” is not allowed.",
                hint: "Each has to be from a millisecond to ten years.")
        }
        self.name = name
        self.table = table
        self.timeout = timeout
        self.retention = retention
        self.logger = logger
    }
}

/// An answer, and whether it is that of an earlier call.
public struct IdempotentAnswer<Answer: Sendable>: Sendable {
    /// What the handler returned.
    public let answer: Answer
    /// Whether an earlier call has stored it, so that the handler did not run.
    public let isRepeated: Bool
}

extension PatternError.Code {
    /// Another call or worker is at work on this, and may be for a while.
    public static let busy = PatternError.Code(rawValue: "busy")
    /// A key was used before, with another payload.
    public static let payloadMismatch = PatternError.Code(rawValue: "payloadMismatch")
}

extension IdempotentHandler {
    var prefix: PatternTable.Prefix { PatternTable.Prefix("I", name) }

    /// The key of the item of one call.
    func itemKey(of key: String) throws(PatternError) -> ItemKey {
        try PatternKey.check(key, of: "idempotency key")
        return ItemKey(partition: prefix.partition(key), sort: "call")
    }
}
