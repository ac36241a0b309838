import AWSClient
import DynamoDBPatternsTesting
import Testing

@testable import DynamoDBPatterns

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The answers that Lambda understands.
@Suite struct StreamLambdaTests {
    private func answer(
        _ numbers: Int, failing: Int? = nil, deadline: ((StreamFixture) -> Date)? = nil
    ) async throws -> (answer: String, records: [StreamRecord], ledger: StreamLedger) {
        let fixture = try StreamFixture()
        let ledger = StreamLedger()
        if numbers > 0 { try await fixture.write("a", 1...numbers) }
        if let failing { ledger.fail(Note(id: "a", number: failing)) }
        let clock = fixture.clock
        let processor = try StreamProcessor<Note>("notes", clock: clock, logger: StreamFixture.silent) { change in
            try ledger.handle(change, by: "lambda")
            try await clock.sleep(.seconds(1))
        }
        let records = try await fixture.records()
        let event = LambdaEvent.json(
            of: records.map { Array(LambdaEvent.object(of: $0, stream: fixture.arn).sortedJSON.utf8) })
        let answer = try await processor.answer(event: event, deadline: deadline?(fixture))
        return (String(decoding: answer, as: UTF8.self), records, ledger)
    }

    @Test("Total success is an empty list of failures")
    func success() async throws {
        let (answer, _, ledger) = try await answer(3)
        #expect(answer == #"{"batchItemFailures":[]}"#)
        #expect(ledger.numbers == [1, 2, 3])
    }

    @Test("An empty event is a success")
    func empty() async throws {
        #expect(try await answer(0).answer == #"{"batchItemFailures":[]}"#)
    }

    @Test("Total failure names the first record, so that all come again")
    func failure() async throws {
        let (answer, records, ledger) = try await answer(3, failing: 1)
        let first = try #require(records.first?.change?.sequenceNumber)
        #expect(answer == #"{"batchItemFailures":[{"itemIdentifier":"\#(first)"}]}"#)
        #expect(ledger.numbers.isEmpty)
    }

    @Test("Partial failure names the first record that failed, and only that")
    func partial() async throws {
        let (answer, records, ledger) = try await answer(4, failing: 3)
        let third = try #require(records[2].change?.sequenceNumber)
        #expect(answer == #"{"batchItemFailures":[{"itemIdentifier":"\#(third)"}]}"#)
        #expect(ledger.numbers == [1, 2])
    }

    @Test("At its deadline it begins no further record, and what is done does not come again")
    func deadline() async throws {
        let (text, records, ledger) = try await answer(5) { $0.clock.now().addingTimeInterval(2) }
        let count = ledger.numbers.count
        #expect((1...3).contains(count))
        #expect(text.contains(try #require(records[count].change?.sequenceNumber)))
        let late = try await answer(5) { $0.clock.now().addingTimeInterval(-60) }
        #expect(late.ledger.numbers == [1], "a first record is always begun, or there would be no progress")
    }

    @Test(
        "What is no event of a DynamoDB stream is refused",
        arguments: [
            "", "{}", "[]", "null", #"{"Records":null}"#, #"{"Records":{}}"#, #"{"Records":[{}]}"#,
            #"{"Records":[{"messageId":"1","body":"x","eventSource":"aws:sqs"}]}"#,
            #"{"Records":[{"kinesis":{"sequenceNumber":"1"},"eventSource":"aws:kinesis","eventID":"s:1"}]}"#,
            #"{"Records":[{"eventID":"1","eventName":"INSERT","dynamodb":{"Keys":{},"SequenceNumber":"\"1"}}]}"#,
            #"{"version":"0","detail-type":"Scheduled Event","detail":{}}"#,
        ])
    func refused(event: String) async throws {
        let processor = try StreamProcessor<Note>("notes", logger: StreamFixture.silent) { _ in }
        await #expect {
            try await processor.answer(event: Array(event.utf8))
        } throws: {
            ($0 as? PatternError)?.code == .invalidArgument
        }
    }
}
