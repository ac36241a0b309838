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
        let outcome = await process(records, of: nil) { index in
            index == 0 || deadline.map { clock.now() < $0 } ?? true
        }
        return LambdaBatch.answer(failures: outcome.failure.map { [$0.sequenceNumber] } ?? [])
    }

    private static func records(of event: [UInt8]) throws(PatternError) -> [StreamRecord] {
        let records: [StreamRecord]
        do {
            records = try DynamoDBStreams.records(ofLambdaEvent: event)
        } catch {
            throw LambdaBatch.notAnEvent(of: origin, error)
        }
        if records.isEmpty {
            // Another event may have no records at all.
            guard (try? JSONDecoder().decode(LambdaEventOf<Nothing>.self, from: Data(event))) != nil else {
                throw LambdaBatch.notAnEvent(of: origin, nil)
            }
        }
        for record in records {
            guard let number = record.change?.sequenceNumber, !number.isEmpty,
                number.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
            else { throw LambdaBatch.notAnEvent(of: origin, nil) }
        }
        return records
    }

    private static var origin: String { "a DynamoDB stream" }
}

/// Any record: that there is none is all that counts.
private struct Nothing: Decodable {}
