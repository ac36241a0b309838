public import AWSClient
public import Logging

/// A handler of the changes of a table, with a place for records that never will succeed.
///
/// Runs in Lambda (`answer(event:)`), in a server or on a developer's machine (`StreamConsumer`), and wherever else
/// records come from (`process(_:)`).
///
/// What the handler can rely on, and what not:
/// - Changes of one item come in their order. None is left out, except for those that DynamoDB itself has trimmed
///   after 24 hours and those that went to the dead letters.
/// - A change can come more than once: again after a crash, a lost answer or a failure further on in its batch. Then
///   changes that follow it come again, too, and at worst while a worker that was given up for dead still works on
///   them. A handler's effect belongs under a condition that makes it happen once: the change's `id`, or a version
///   within the item.
/// - A batch stops at the first record for which the handler throws; it is delivered again from there on. A record for
///   which the handler throws a `PatternError` with code `poison`, or that cannot be decoded, goes to the dead letters
///   instead. Without a target for those it is a failure like any other, and what comes behind it waits.
public struct StreamProcessor<Item: Decodable & Sendable>: Sendable {
    /// What consumers and dead letters are known by.
    public let name: String
    let deadLetters: (any DeadLetterTarget)?
    let decoder: AttributeDecoder
    let clock: PatternClock
    let logger: Logger
    let handler: @Sendable (StreamChange<Item>) async throws -> Void

    /// A processor; nothing is read yet.
    ///
    /// - Parameters:
    ///   - name: What consumers and dead letters are known by: 1 to 64 letters, digits, dots, underscores and hyphens.
    ///   - deadLetters: What takes records that never will succeed; `nil` lets them stop everything behind them.
    ///   - decoder: How items are decoded.
    ///   - clock: The wall clock.
    ///   - logger: Is told of failures, without the content of items.
    ///   - handler: Is given one change after the other; see above for what it can rely on.
    /// - Throws: `PatternError` with code `invalidArgument` for a name that is none.
    public init(
        _ name: String, deadLetters: (any DeadLetterTarget)? = nil, decoder: AttributeDecoder = AttributeDecoder(),
        clock: PatternClock = PatternClock(), logger: Logger = Logger(label: "DynamoDBPatterns.StreamProcessor"),
        handler: @escaping @Sendable (StreamChange<Item>) async throws -> Void
    ) throws(PatternError) {
        try PatternName.check(name, of: "a stream processor")
        self.name = name
        self.deadLetters = deadLetters
        self.decoder = decoder
        self.clock = clock
        self.logger = logger
        self.handler = handler
    }

    /// Hands records to the handler, in their order, until one fails.
    ///
    /// - Parameters:
    ///   - records: Of one shard, in its order.
    ///   - stream: The stream's ARN, for the dead letters; `nil` takes it from the records, as Lambda hands them over.
    /// - Returns: How far it came.
    public func process(_ records: [StreamRecord], of stream: String? = nil) async -> BatchOutcome {
        await process(records, of: stream) { _ in true }
    }

    func process(
        _ records: [StreamRecord], of stream: String?, mayBegin: (Int) -> Bool
    ) async -> BatchOutcome {
        await OrderedBatch.run(
            records, mayBegin: mayBegin, sequenceNumber: { $0.change?.sequenceNumber ?? "" }
        ) { record in
            await handle(record, from: RecordOrigin(stream: stream ?? record.eventSourceARN))
        }
    }
}

extension StreamProcessor: RecordHandling {
    var hasDeadLetters: Bool { deadLetters != nil }

    func handle(_ record: StreamRecord, from origin: RecordOrigin) async -> RecordOutcome {
        if deadLetters?.wrote(record, in: origin.stream) == true { return .passedOver }
        let change: StreamChange<Item>
        do {
            change = try StreamChange(record, decoder: decoder)
        } catch {
            return await bury(record, from: origin, as: .undecodable, because: error)
        }
        do {
            try await handler(change)
            return .handled
        } catch let error as PatternError where error.code == .poison {
            return await bury(record, from: origin, as: .refused, because: error)
        } catch {
            log("A stream record failed", record, origin, error)
            return .failed(error)
        }
    }

    func bury(_ record: StreamRecord, from origin: RecordOrigin, because error: any Error) async -> RecordOutcome {
        await bury(record, from: origin, as: .exhausted, because: error)
    }

    private func bury(
        _ record: StreamRecord, from origin: RecordOrigin, as reason: DeadLetter.Reason, because error: any Error
    ) async -> RecordOutcome {
        guard let deadLetters else {
            log("A stream record never will succeed, and stops all behind it", record, origin, error)
            return .failed(error)
        }
        let letter = DeadLetter(
            record, from: origin, processor: name, reason: reason, error: error, time: clock.now())
        do {
            try await deadLetters.take(letter)
            log("A stream record went to the dead letters", record, origin, error)
            return .buried
        } catch {
            log("The dead letters did not take a stream record", record, origin, error)
            return .failed(error)
        }
    }

    private func log(_ message: Logger.Message, _ record: StreamRecord, _ origin: RecordOrigin, _ error: any Error) {
        logger.warn(
            message, of: error,
            [
                "processor": "\(name)", "record.id": "\(record.eventID ?? "")", "record.failures": "\(origin.failures)",
            ])
    }
}
