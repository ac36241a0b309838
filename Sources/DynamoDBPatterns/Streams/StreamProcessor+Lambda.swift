#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
import AWSClient

extension StreamProcessor {
    /// Answers an event that Lambda makes of a DynamoDB stream.
    ///
    /// The event source mapping needs `ReportBatchItemFailures` among its function response types: without it Lambda
    /// takes each answer for a success, and what failed is lost.
    ///
    /// - Parameters:
    ///   - event: The event's JSON.
    ///   - deadline: When to begin no further record, so that what is done by then is not delivered again; a little
    ///     before the function is killed. The first record is always begun.
    /// - Returns: `{"batchItemFailures":[]}` where all is done, or with the sequence number of the first record that is
    ///   not: Lambda delivers again from there on.
    /// - Throws: `PatternError` with code `invalidArgument` for what is no event of a DynamoDB stream.
    public func answer(event: [UInt8], deadline: Date? = nil) async throws -> [UInt8] {
        let records = try Self.records(of: event)
        let outcome = await process(records, of: nil) { deadline.map { clock.now() < $0 } ?? true }
        guard let failure = outcome.failure else { return Array(#"{"batchItemFailures":[]}"#.utf8) }
        // Digits only, as checked above: nothing to escape.
        return Array(#"{"batchItemFailures":[{"itemIdentifier":"\#(failure.sequenceNumber)"}]}"#.utf8)
    }

    private static func records(of event: [UInt8]) throws(PatternError) -> [StreamRecord] {
        let records: [StreamRecord]
        do {
            records = try DynamoDBStreams.records(ofLambdaEvent: event)
        } catch {
            throw notAnEvent(error)
        }
        if records.isEmpty {
            // Another event may have no records at all.
            guard (try? JSONDecoder().decode(EmptyEvent.self, from: Data(event))) != nil else { throw notAnEvent(nil) }
        }
        for record in records {
            guard let number = record.change?.sequenceNumber, !number.isEmpty,
                number.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
            else { throw notAnEvent(nil) }
        }
        return records
    }

    private static func notAnEvent(_ cause: (any Error)?) -> PatternError {
        PatternError(
            .invalidArgument, "The event is not one of a DynamoDB stream.",
            hint: "Is the function invoked by something else than its event source mapping?", cause: cause)
    }
}

private struct EmptyEvent: Decodable {
    let records: [Nothing]

    struct Nothing: Decodable {}
    private enum CodingKeys: String, CodingKey { case records = "Records" }
}
