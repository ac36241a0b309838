#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import Logging

/// A handler of the records of a Kinesis data stream in Lambda: in the order of their shard, none left out.
///
/// ```swift
/// let clicks = try KinesisProcessor("clicks") { record in
///     try await sessions.add(record.decode(Click.self), id: record.id, to: record.partitionKey)
/// }
/// return try await clicks.answer(event: invocation.body, deadline: deadline)
/// ```
///
/// - A batch stops at the first record for which the handler throws; it is delivered again from there on.
/// - A record can come more than once, under the same `id`.
/// - A record that never succeeds stops its shard until Lambda gives it up, by the mapping's settings; or it goes to
///   `onPoison` if the handler throws a `PatternError` with code `poison`.
public struct KinesisProcessor: Sendable {
    /// The name in logs.
    public var name: String { records.name }
    let records: RecordHandler<KinesisRecord>

    /// A processor.
    ///
    /// - Parameters:
    ///   - name: The name in logs: 1 to 64 letters, digits, dots, underscores and hyphens.
    ///   - clock: The wall clock.
    ///   - logger: Receives failures, without the content of records.
    ///   - onPoison: Takes a record for which the handler threw `poison`, for good; if it throws, the record has failed.
    ///     `nil` lets such a record fail like any other.
    ///   - handler: Handles one record.
    /// - Throws: `PatternError` with code `invalidArgument`.
    public init(
        _ name: String, clock: PatternClock = PatternClock(),
        logger: Logger = Logger(label: "DynamoDBPatterns.KinesisProcessor"),
        onPoison: (@Sendable (KinesisRecord, any Error) async throws -> Void)? = nil,
        handler: @escaping @Sendable (KinesisRecord) async throws -> Void
    ) throws(PatternError) {
        records = try RecordHandler(name, clock, logger, onPoison: onPoison, handler: handler)
    }

    /// Answers an event that Lambda makes of a Kinesis data stream.
    ///
    /// The event source mapping needs `ReportBatchItemFailures` among its function response types: without it Lambda
    /// takes each answer for a success, and what failed is lost.
    ///
    /// - Parameters:
    ///   - event: The event's JSON.
    ///   - deadline: When to begin no further record; a little before the function is killed. The first record is always
    ///     begun.
    /// - Returns: `batchItemFailures`, empty if all is done, or with the sequence number of the first record that is not:
    ///   Lambda delivers again from there on.
    /// - Throws: `PatternError` with code `invalidArgument` for an event of another shape.
    public func answer(event: [UInt8], deadline: Date? = nil) async throws -> [UInt8] {
        let records: [KinesisRecord] = try LambdaBatch.records(of: event)
        let outcome = await process(records, deadline: deadline)
        return LambdaBatch.answer(failures: outcome.failure.map { [$0.sequenceNumber] } ?? [])
    }

    /// Hands records to the handler, in their order, until one fails.
    ///
    /// - Parameters:
    ///   - records: Of one shard, in its order.
    ///   - deadline: When to begin no further record; see `answer`.
    /// - Returns: How far it came; `deadLetters` counts those that went to `onPoison`.
    public func process(_ records: [KinesisRecord], deadline: Date? = nil) async -> BatchOutcome {
        await self.records.handle(records, deadline: deadline, isFirst: true)
    }
}
