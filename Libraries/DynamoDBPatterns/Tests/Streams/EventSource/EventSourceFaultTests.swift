import AWSClient
import Testing

@testable import DynamoDBPatterns

@Suite struct EventSourceFaultTests {
    @Test("Duplicates on purpose: each batch comes twice, though it succeeded")
    func duplicates() async throws {
        let recorder = Recorder()
        var runner = recorder.runner(
            try EventSourceMapping(batchSize: 2, maximumRetryAttempts: 0), try ScriptedStream(keys: ["a", "b", "c"]),
            faults: .init(duplicates: 1))
        let progress = try await runner.drain()
        #expect(recorder.batches == [[1, 2], [1, 2], [3], [3]])
        #expect(progress.repeated == 2 && progress.handled == 3 && progress.discarded == 0)
    }

    @Test("A lost answer is a failure, though the function ran: it counts as a try")
    func lostAnswers() async throws {
        let recorder = Recorder()
        var runner = recorder.runner(
            try EventSourceMapping(maximumRetryAttempts: 2), try ScriptedStream(keys: ["a"]),
            faults: .init(lostAnswers: 1))
        let progress = try await runner.drain()
        #expect(recorder.batches == [[1], [1], [1]])
        #expect(progress.failures == 3 && progress.discarded == 1)
    }

    @Test("At a rate, some answers are lost and some batches repeated, and no record is left out or out of order")
    func rates() async throws {
        let keys = (0..<300).map { "k\($0 % 11)" }
        let recorder = Recorder()
        let mapping = try EventSourceMapping(batchSize: 3, parallelizationFactor: 3, bisectsOnError: true)
        var runner = recorder.runner(
            mapping, try ScriptedStream(keys: keys), faults: .init(duplicates: 0.2, lostAnswers: 0.2))
        let progress = try await runner.drain()
        #expect(progress.handled == 300)
        #expect(progress.repeated > 5 && progress.failures > 5)
        for key in Set(keys) {
            let firsts = recorder.firsts.filter { recorder.keys[$0] == key }
            #expect(firsts == firsts.sorted())
        }
        #expect(recorder.firsts.count == 300)
    }

    @Test("The event is spelled as Lambda spells it")
    func event() async throws {
        let record = try StreamRecord.made(
            .remove, keys: ["pk": .string("a")],
            old: ["pk": .string("a"), "n": .integer(1), "b": .binary([1, 2]), "l": .list([.null, .bool(true)])],
            expired: true, sequence: 7)
        let event = LambdaEvent.json(of: [
            Array(LambdaEvent.object(of: record, stream: ScriptedStream.arn).sortedJSON.utf8)
        ])
        #expect(
            String(decoding: event, as: UTF8.self)
                == #"{"Records":[{"awsRegion":"eu-west-1","dynamodb":{"ApproximateCreationDateTime":1700000000,"#
                + #""Keys":{"pk":{"S":"a"}},"OldImage":{"b":{"B":"AQI="},"l":{"L":[{"NULL":true},{"BOOL":true}]},"#
                + #""n":{"N":"1"},"pk":{"S":"a"}},"SequenceNumber":"7","SizeBytes":26,"#
                + #""StreamViewType":"NEW_AND_OLD_IMAGES"},"eventID":"e7","eventName":"REMOVE","#
                + #""eventSource":"aws:dynamodb","eventSourceARN":"\#(ScriptedStream.arn)","eventVersion":"1.1","#
                + #""userIdentity":{"principalId":"dynamodb.amazonaws.com","type":"Service"}}]}"#)
    }
}
