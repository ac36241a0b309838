#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import AWSClient

/// The events with records that Lambda hands over, and the answers to them.
enum LambdaBatch {
    /// The answer that says which records are not done.
    ///
    /// - Parameter failures: Their identifiers; of a stream the first one's.
    /// - Returns: The answer, in JSON.
    static func answer(failures: [String]) -> [UInt8] {
        let items = failures.map { AttributeValue.map(["itemIdentifier": .string($0)]) }
        return JSONWriter.bytes(of: .map(["batchItemFailures": .list(items)]))
    }

    /// The records of an event.
    ///
    /// - Throws: `PatternError` with code `invalidArgument` for an event of another shape.
    static func records<Record: LambdaRecord>(of event: [UInt8]) throws(PatternError) -> [Record] {
        let records: [Record]
        do {
            records = try JSONDecoder().decode(LambdaEventOf<Record>.self, from: Data(event)).records
        } catch {
            throw notAnEvent(of: Record.origin, error)
        }
        guard records.allSatisfy(\.isWhole) else { throw notAnEvent(of: Record.origin, nil) }
        return records
    }

    static func notAnEvent(of origin: String, _ cause: (any Error)?) -> PatternError {
        PatternError(
            .invalidArgument, "The event is not one of \(origin).",
            hint: "Is the function invoked by something else than its event source mapping?", cause: cause)
    }
}

/// A record of an event of Lambda's.
protocol LambdaRecord: Decodable, Sendable {
    /// What such records come from, for messages.
    static var origin: String { get }
    /// What handles them, for messages.
    static var processor: String { get }
    /// The name of `id` in logs.
    static var idInLogs: String { get }
    /// The same in each delivery.
    var id: String { get }
    /// What an answer names the record by.
    var itemIdentifier: String { get }
    /// Whether it has an identifier, and comes from there.
    var isWhole: Bool { get }
}

struct LambdaEventOf<Record: Decodable>: Decodable {
    let records: [Record]
    private enum CodingKeys: String, CodingKey { case records = "Records" }
}

/// Records that are handled one after the other, until one fails.
enum OrderedBatch {
    /// Hands records to a handler in their order.
    ///
    /// - Parameters:
    ///   - records: The records.
    ///   - mayBegin: Whether the record of an index may be begun.
    ///   - sequenceNumber: The place of a record.
    ///   - handle: Handles one.
    /// - Returns: How far it came.
    static func run<Record>(
        _ records: some Sequence<Record>, mayBegin: (Int) -> Bool, sequenceNumber: (Record) -> String,
        handle: (Record) async -> RecordOutcome
    ) async -> BatchOutcome {
        var outcome = BatchOutcome()
        for record in records {
            let failure: any Error
            if mayBegin(outcome.completed) {
                switch await handle(record) {
                case .failed(let error): failure = error
                case .buried:
                    outcome.deadLetters += 1
                    fallthrough
                case .handled, .passedOver:
                    outcome.completed += 1
                    continue
                }
            } else {
                failure = CancellationError()
            }
            outcome.failure = .init(sequenceNumber: sequenceNumber(record), error: failure)
            break
        }
        return outcome
    }
}
