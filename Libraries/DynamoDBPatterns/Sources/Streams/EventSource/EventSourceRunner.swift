public import Logging

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An event source mapping of Lambda for tests and development: reads a table's stream and calls a function with the
/// events that Lambda would send, as often and in the order in which Lambda would.
///
/// ```swift
/// var runner = EventSourceRunner(mapping, of: streamARN, in: streams) { try await processor.answer(event: $0) }
/// try await runner.drain()    // all that is in the stream, or run() until the task is cancelled
/// ```
///
/// - Filters: what matches no pattern costs no invocation.
/// - Batches: by number, time and 6 MB. With a parallelization factor, items are spread over that many queues of a shard
///   by their key; each queue is in order. The runner works on one batch after the other; only who waits for whom is as
///   in Lambda.
/// - Failures: a batch whose function throws, or names a record that failed, is delivered again from that record on and
///   blocks its queue. With bisecting it is split instead, in the middle or at the record that was named, which uses up
///   no try. What was tried too often or is too old is given up: `onFailure` gets Lambda's message, and the queue goes
///   on. Where Lambda's documentation leaves open what happens, the runner does what loses and blocks more: a batch
///   that failed in part has used up a try, and records are given up after 24 hours, when a stream forgets them.
/// - Shards: parents are done with before their children are begun.
///
/// It keeps its place in memory: a new runner begins at the mapping's starting position.
public struct EventSourceRunner: Sendable {
    /// A function: gets an event's JSON, answers JSON, or throws.
    public typealias Function = @Sendable (_ event: [UInt8]) async throws -> [UInt8]
    /// Where a message about each batch goes that is given up; what it throws, the runner throws, and sends again.
    public typealias FailureDestination = @Sendable (_ message: [UInt8]) async throws -> Void

    /// What goes wrong on purpose, as it does in Lambda every now and then; chance is that of the clock.
    public struct Faults: Sendable {
        /// The share of batches, from 0 to 1, that are delivered once more although they succeeded.
        public var duplicates: Double
        /// The share of invocations, from 0 to 1, whose answer is lost although the function ran, as in a timeout.
        public var lostAnswers: Double

        /// Faults at these rates.
        public init(duplicates: Double = 0, lostAnswers: Double = 0) {
            self.duplicates = duplicates
            self.lostAnswers = lostAnswers
        }
    }

    let mapping: EventSourceMapping
    let stream: String
    let streams: any StreamsAPI
    let clock: PatternClock
    let faults: Faults
    let functionARN: String
    let logger: Logger
    let onFailure: FailureDestination?
    let function: Function

    var shards: [EventSourceShard] = []
    /// When shards are looked for again; `nil` before the first time.
    var nextDiscovery: Date?

    /// A runner; nothing is read yet.
    ///
    /// - Parameters:
    ///   - mapping: The settings.
    ///   - stream: The stream's ARN.
    ///   - streams: DynamoDB's streams, or what stands in for them.
    ///   - clock: The wall clock, pauses and chance.
    ///   - faults: What goes wrong on purpose.
    ///   - functionARN: The function's name in messages about what was given up.
    ///   - logger: Told what is given up and what cannot be read, never a record's content.
    ///   - onFailure: Where a message about each batch goes that is given up; without it, they are dropped silently, as
    ///     by Lambda.
    ///   - function: The function.
    public init(
        _ mapping: EventSourceMapping, of stream: String, in streams: any StreamsAPI,
        clock: PatternClock = PatternClock(), faults: Faults = Faults(),
        functionARN: String = "arn:aws:lambda:us-east-1:000000000000:function:local",
        logger: Logger = Logger(label: "DynamoDBPatterns.EventSourceRunner") { _ in SwiftLogNoOpLogHandler() },
        onFailure: FailureDestination? = nil, function: @escaping Function
    ) {
        self.mapping = mapping
        self.stream = stream
        self.streams = streams
        self.clock = clock
        self.faults = faults
        self.functionARN = functionARN
        self.logger = logger
        self.onFailure = onFailure
        self.function = function
    }
}
