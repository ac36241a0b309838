#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import Logging

/// A handler of SQS messages in Lambda: what fails is delivered again, and nothing else.
///
/// ```swift
/// let orders = try QueueProcessor("orders") { message in
///     try await inbox.receive(message.id) { call in … }
/// }
/// return try await orders.answer(event: invocation.body, deadline: deadline)
/// ```
///
/// - Of a standard queue each message stands for itself.
/// - Of a FIFO queue the messages of one group are handled in their order; after the first that fails, everything later
///   of the same group in the batch fails with it, unhandled. Other groups go on.
/// - A message can come more than once: see `Inbox`.
/// - A message that never succeeds is delivered until the queue's redrive policy moves it to its dead-letter queue, or
///   goes to `onPoison` if the handler throws a `PatternError` with code `poison`.
public struct QueueProcessor: Sendable {
    /// The name in logs.
    public var name: String { messages.name }
    let messages: RecordHandler<QueueMessage>
    let concurrency: Int

    /// A processor.
    ///
    /// - Parameters:
    ///   - name: The name in logs: 1 to 64 letters, digits, dots, underscores and hyphens.
    ///   - concurrency: How many messages are handled at one time, at least 1; of a FIFO queue, of as many groups.
    ///   - clock: The wall clock.
    ///   - logger: Receives failures, without the content of messages.
    ///   - onPoison: Takes a message for which the handler threw `poison`, for good; if it throws, the message has failed.
    ///     `nil` leaves such messages to the queue's redrive policy.
    ///   - handler: Handles one message.
    /// - Throws: `PatternError` with code `invalidArgument`.
    public init(
        _ name: String, concurrency: Int = 1, clock: PatternClock = PatternClock(),
        logger: Logger = Logger(label: "DynamoDBPatterns.QueueProcessor"),
        onPoison: (@Sendable (QueueMessage, any Error) async throws -> Void)? = nil,
        handler: @escaping @Sendable (QueueMessage) async throws -> Void
    ) throws(PatternError) {
        messages = try RecordHandler(name, clock, logger, onPoison: onPoison, handler: handler)
        self.concurrency = max(concurrency, 1)
    }

    /// Answers an event that Lambda makes of an SQS queue.
    ///
    /// The event source mapping needs `ReportBatchItemFailures` among its function response types: without it Lambda
    /// takes each answer for a success, and what failed is lost.
    ///
    /// - Parameters:
    ///   - event: The event's JSON.
    ///   - deadline: When to begin no further message; a little before the function is killed, and before the queue's
    ///     visibility timeout. The first message is always begun.
    /// - Returns: `batchItemFailures` with the messages that are to be delivered again.
    /// - Throws: `PatternError` with code `invalidArgument` for an event of another shape.
    public func answer(event: [UInt8], deadline: Date? = nil) async throws -> [UInt8] {
        let messages: [QueueMessage] = try LambdaBatch.records(of: event)
        return LambdaBatch.answer(failures: await process(messages, deadline: deadline).failures.map(\.id))
    }

    /// Hands messages to the handler.
    ///
    /// - Parameters:
    ///   - messages: One batch, in its order.
    ///   - deadline: When to begin no further message; see `answer`.
    /// - Returns: Which are done, and which are not.
    public func process(_ messages: [QueueMessage], deadline: Date? = nil) async -> QueueBatchOutcome {
        let sequences = Self.sequences(of: messages)
        var left = sequences.enumerated().makeIterator()
        var done: [Int: BatchOutcome] = [:]
        await withTaskGroup(of: (Int, BatchOutcome).self) { group in
            func startNext() {
                guard let (index, sequence) = left.next() else { return }
                group.addTask {
                    let messages = sequence.map { messages[$0] }
                    return (index, await self.messages.handle(messages, deadline: deadline, isFirst: index == 0))
                }
            }
            for _ in 0..<concurrency { startNext() }
            while let (index, outcome) = await group.next() {
                done[index] = outcome
                startNext()
            }
        }
        var outcome = QueueBatchOutcome()
        var failures: [Int: any Error] = [:]
        for (index, sequence) in sequences.enumerated() {
            guard let result = done[index] else { continue }
            outcome.completed += result.completed
            outcome.poisoned += result.deadLetters
            guard let failure = result.failure else { continue }
            for place in sequence.dropFirst(result.completed) { failures[place] = failure.error }
        }
        outcome.failures = failures.sorted { $0.key < $1.key }.map { .init(id: messages[$0.key].id, error: $0.value) }
        return outcome
    }

    /// The messages that have to be handled one after the other: those of one group of a FIFO queue.
    private static func sequences(of messages: [QueueMessage]) -> [[Int]] {
        var sequences: [[Int]] = []
        var groups: [String: Int] = [:]
        for (place, message) in messages.enumerated() {
            if message.isOrdered, let sequence = groups[message.groupID ?? ""] {
                sequences[sequence].append(place)
            } else {
                if message.isOrdered { groups[message.groupID ?? ""] = sequences.count }
                sequences.append([place])
            }
        }
        return sequences
    }
}

/// What became of a batch of messages.
public struct QueueBatchOutcome: Sendable {
    /// A message that is to be delivered again.
    public struct Failure: Sendable {
        /// The message's identity.
        public var id: String
        /// What the handler threw for it, or for an earlier one of its group; `CancellationError` if it was not begun.
        public var error: any Error
    }

    /// How many messages are not to be delivered again.
    public internal(set) var completed = 0
    /// How many of those went to `onPoison`.
    public internal(set) var poisoned = 0
    /// The messages that are to be delivered again, in the order of the batch.
    public internal(set) var failures: [Failure] = []
}
