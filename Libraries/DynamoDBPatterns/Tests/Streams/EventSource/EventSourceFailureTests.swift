import AWSClient
import Testing

@testable import DynamoDBPatterns

@Suite struct EventSourceFailureTests {
    private func stream(_ count: Int) throws -> ScriptedStream {
        try ScriptedStream(keys: (1...count).map { "k\($0)" })
    }

    /// The members of Lambda's message that say which records it is about.
    private func summary(_ message: [UInt8]) throws -> [String] {
        let message = try JSONReader.value(of: message).map ?? [:]
        let request = message["requestContext"]?.map ?? [:]
        let batch = message["DDBStreamBatchInfo"]?.map ?? [:]
        return [
            request["condition"]?.string ?? "", request["approximateInvokeCount"]?.number ?? "",
            batch["startSequenceNumber"]?.string ?? "", batch["endSequenceNumber"]?.string ?? "",
            batch["batchSize"]?.number ?? "",
        ]
    }

    @Test("A batch that fails is tried again whole, and what comes behind waits")
    func retries() async throws {
        let recorder = Recorder()
        let attempts = Attempts()
        var runner = recorder.runner(try EventSourceMapping(batchSize: 2), try stream(4)) { _ in
            if attempts.next() < 3 { throw FunctionFailed() }
            return ""
        }
        let progress = try await runner.drain()
        #expect(recorder.batches == [[1, 2], [1, 2], [1, 2], [1, 2], [3, 4]])
        #expect(progress.failures == 3 && progress.handled == 4 && progress.discarded == 0)
    }

    @Test("What was tried too often goes to the destination, and the shard goes on")
    func exhausted() async throws {
        let recorder = Recorder()
        let mapping = try EventSourceMapping(batchSize: 2, maximumRetryAttempts: 2)
        var runner = recorder.runner(mapping, try stream(4)) { numbers in
            if numbers.contains(1) { throw FunctionFailed() }
            return ""
        }
        let progress = try await runner.drain()
        #expect(recorder.batches == [[1, 2], [1, 2], [1, 2], [3, 4]])
        #expect(progress.discarded == 2 && progress.handled == 2)
        #expect(try recorder.messages.map(summary) == [["RetryAttemptsExhausted", "3", "1", "2", "2"]])
    }

    @Test("The message to the destination is Lambda's")
    func message() async throws {
        let recorder = Recorder()
        var runner = recorder.runner(try EventSourceMapping(maximumRetryAttempts: 0), try stream(1)) { _ in
            throw FunctionFailed()
        }
        try await runner.drain()
        let message = try JSONReader.value(of: try #require(recorder.messages.first)).map ?? [:]
        #expect(message["version"] == .string("1.0"))
        #expect(message["timestamp"] == .string("2023-11-14T22:13:20.000Z"))
        #expect(
            message["requestContext"]?.map?["requestId"]?.string?.split(separator: "-").map(\.count) == [
                8, 4, 4, 4, 12,
            ])
        #expect(
            message["requestContext"]?.map?["functionArn"]
                == .string("arn:aws:lambda:us-east-1:000000000000:function:local"))
        #expect(
            message["responseContext"]
                == .map([
                    "statusCode": .integer(200), "executedVersion": .string("$LATEST"),
                    "functionError": .string("Unhandled"),
                ]))
        #expect(
            message["DDBStreamBatchInfo"]
                == .map([
                    "shardId": .string("shard-1"), "startSequenceNumber": .string("1"),
                    "endSequenceNumber": .string("1"), "batchSize": .integer(1),
                    "approximateArrivalOfFirstRecord": .string("2023-11-14T22:13:20Z"),
                    "approximateArrivalOfLastRecord": .string("2023-11-14T22:13:20Z"),
                    "streamArn": .string(ScriptedStream.arn),
                ]))
    }

    @Test("When the destination fails, nothing is given up yet")
    func destinationFails() async throws {
        let recorder = Recorder()
        let attempts = Attempts()
        var runner = EventSourceRunner(
            try EventSourceMapping(maximumRetryAttempts: 0), of: ScriptedStream.arn, in: try stream(1),
            clock: recorder.clock,
            onFailure: { message in
                if attempts.next() < 2 { throw FunctionFailed() }
                recorder.takeMessage(message)
            },
            function: { event in
                _ = try recorder.take(event)
                throw FunctionFailed()
            })
        await #expect(throws: FunctionFailed.self) { try await runner.step() }
        await #expect(throws: FunctionFailed.self) { try await runner.step() }
        let progress = try await runner.drain()
        #expect(recorder.batches == [[1]], "The function is not called for what was given up.")
        #expect(progress.discarded == 1 && recorder.messages.count == 1)
    }

    @Test("A record that fails for ever blocks its shard until the stream forgets it, unless retries are bounded")
    func poisonBlocks() async throws {
        let recorder = Recorder()
        var runner = recorder.runner(try EventSourceMapping(batchSize: 1), try stream(2)) { numbers in
            if numbers == [1] { throw FunctionFailed() }
            return ""
        }
        let error = await #expect(throws: PatternError.self) { try await runner.drain(maximumSteps: 50) }
        #expect(error?.code == .contention)
        #expect(recorder.batches == Array(repeating: [1], count: 50))
        recorder.advance(24 * 60 * 60 + 1)
        let progress = try await runner.drain()
        #expect(progress.discarded == 2, "By then the one behind it is gone as well.")
    }

    @Test("What is too old is given up before it is tried, and the rest of the batch is not")
    func age() async throws {
        let records = try [0, 50, 100].enumerated().map { index, offset in
            var record = try StreamRecord.made(.insert, keys: ["pk": .string("k")], sequence: index + 1)
            record.change?.approximateCreationDateTime = 1_700_000_000 + Double(offset)
            return record
        }
        let recorder = Recorder()
        recorder.advance(115)
        var runner = recorder.runner(
            try EventSourceMapping(maximumRecordAge: .seconds(60)),
            ScriptedStream(.init(id: "shard-1", records: records)))
        let progress = try await runner.drain()
        #expect(recorder.batches == [[3]])
        #expect(progress.discarded == 2)
        #expect(try recorder.messages.map(summary) == [["RecordAgeExceeded", "0", "1", "2", "2"]])
    }

    @Test("Bisecting isolates the record that fails; splitting uses up no try")
    func bisecting() async throws {
        let recorder = Recorder()
        let mapping = try EventSourceMapping(maximumRetryAttempts: 1, bisectsOnError: true)
        var runner = recorder.runner(mapping, try stream(8)) { numbers in
            if numbers.contains(6) { throw FunctionFailed() }
            return ""
        }
        let progress = try await runner.drain()
        #expect(
            recorder.batches == [
                Array(1...8), [1, 2, 3, 4], [5, 6, 7, 8], [5, 6], [5], [6], [6], [7, 8],
            ])
        #expect(progress.handled == 7 && progress.discarded == 1)
        #expect(try recorder.messages.map(summary) == [["RetryAttemptsExhausted", "5", "6", "6", "1"]])
    }

    @Test("Without bisecting, the good records behind a bad one are given up with it")
    func goodRecordsAreLost() async throws {
        let recorder = Recorder()
        var runner = recorder.runner(try EventSourceMapping(maximumRetryAttempts: 1), try stream(4)) { numbers in
            numbers.contains(2) ? Recorder.failed(2) : ""
        }
        let progress = try await runner.drain()
        #expect(recorder.batches == [[1, 2, 3, 4], [2, 3, 4]])
        #expect(progress.handled == 1 && progress.discarded == 3)
    }

    @Test("A batch is split at the record that was named, and only the rest is delivered again")
    func partialFailure() async throws {
        let recorder = Recorder()
        let attempts = Attempts()
        var runner = recorder.runner(try EventSourceMapping(), try stream(5)) { _ in
            attempts.next() == 0 ? Recorder.failed(4, 3, 5) : ""
        }
        let progress = try await runner.drain()
        #expect(recorder.batches == [[1, 2, 3, 4, 5], [3, 4, 5]])
        #expect(progress.handled == 5 && progress.failures == 1)
    }

    @Test("With bisecting, a named record that fails for ever is given up alone")
    func partialFailureBisecting() async throws {
        let recorder = Recorder()
        let mapping = try EventSourceMapping(maximumRetryAttempts: 0, bisectsOnError: true)
        var runner = recorder.runner(mapping, try stream(5)) { numbers in
            numbers.contains(3) ? Recorder.failed(3) : ""
        }
        let progress = try await runner.drain()
        #expect(recorder.batches == [[1, 2, 3, 4, 5], [3, 4, 5], [3, 4], [3], [4], [5]])
        #expect(progress.handled == 4 && progress.discarded == 1)
    }

    @Test("Where the mapping does not ask for failures, what the function answers is ignored")
    func notReporting() async throws {
        let recorder = Recorder()
        var runner = recorder.runner(try EventSourceMapping(reportsBatchItemFailures: false), try stream(2)) { _ in
            Recorder.failed(1)
        }
        let progress = try await runner.drain()
        #expect(recorder.batches == [[1, 2]] && progress.handled == 2)
    }
}
