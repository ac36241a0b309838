import AWSClient
import Testing

@testable import DynamoDBPatterns

@Suite struct EventSourceBatchingTests {
    private let keys = (1...10).map { "k\($0)" }

    @Test("A batch has as many records as it may have, in order")
    func batchSize() async throws {
        let recorder = Recorder()
        var runner = recorder.runner(try EventSourceMapping(batchSize: 4), try ScriptedStream(keys: keys))
        let progress = try await runner.drain()
        #expect(recorder.batches == [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10]])
        #expect(progress.read == 10 && progress.handled == 10 && progress.invocations == 3)
        #expect(progress.failures + progress.discarded + progress.filtered + progress.gaps == 0)
    }

    @Test("Without a window, what is there is delivered; with one, the batch is waited for")
    func window() async throws {
        let stream = try ScriptedStream(keys: ["a", "b"])
        let recorder = Recorder()
        var runner = recorder.runner(try EventSourceMapping(batchSize: 3, batchingWindow: .seconds(20)), stream)
        try await runner.step()
        recorder.advance(19.9)
        try await runner.step()
        #expect(recorder.batches.isEmpty)
        recorder.advance(0.1)
        try await runner.step()
        #expect(recorder.batches == [[1, 2]])

        stream.change("shard-1") { part in part.records += part.records + part.records }
        try await runner.step()
        #expect(recorder.batches.count == 2, "A full batch waits for no window.")
        try await runner.drain()
        #expect(recorder.batches.count == 3, "Draining waits by the clock.")
    }

    @Test("An event is no larger than 6 MB")
    func sixMegabytes() async throws {
        let large = AttributeValue.string(String(repeating: "x", count: 400_000))
        let records = try (1...20).map {
            try StreamRecord.made(.insert, keys: ["pk": .string("\($0)")], new: ["v": large], sequence: $0)
        }
        let recorder = Recorder()
        var runner = EventSourceRunner(
            try EventSourceMapping(batchSize: 100), of: ScriptedStream.arn,
            in: ScriptedStream(.init(id: "shard-1", records: records)), clock: recorder.clock
        ) { event in
            #expect(event.count <= 6 * 1024 * 1024)
            _ = try recorder.take(event)
            return []
        }
        try await runner.drain()
        #expect(recorder.batches == [Array(1...15), Array(16...20)])
    }

    @Test("What the filter leaves costs no invocation, and the rest comes on its own")
    func filter() async throws {
        let filter = try FilterCriteria([.newImage("pk", equals: "k3"), .newImage("pk", equals: "k7")])
        let recorder = Recorder()
        var runner = recorder.runner(try EventSourceMapping(filter: filter), try ScriptedStream(keys: keys))
        let progress = try await runner.drain()
        #expect(recorder.batches == [[3, 7]])
        #expect(progress.filtered == 8 && progress.handled == 2 && progress.invocations == 1)

        let none = Recorder()
        runner = none.runner(
            try EventSourceMapping(filter: try FilterCriteria(.eventName(.remove))), try ScriptedStream(keys: keys))
        try await runner.drain()
        #expect(none.batches.isEmpty)
    }

    @Test("Queues share a shard's items; each item's records are in order, though another queue fails")
    func parallelization() async throws {
        let keys = (0..<200).map { "k\($0 * 7 % 23)" }
        let recorder = Recorder()
        let mapping = try EventSourceMapping(batchSize: 5, parallelizationFactor: 4)
        let attempts = Attempts()
        var runner = recorder.runner(mapping, try ScriptedStream(keys: keys)) { numbers in
            if attempts.next() % 3 == 0 { throw FunctionFailed() }
            return numbers.count > 2 && attempts.next() % 2 == 0 ? Recorder.failed(numbers[2]) : ""
        }
        try await runner.step()
        #expect(recorder.batches.count == 4, "Each queue has a batch at a time.")
        try await runner.drain()
        #expect(recorder.firsts.sorted() == Array(1...200))
        for key in Set(keys) {
            let firsts = recorder.firsts.filter { recorder.keys[$0] == key }
            #expect(firsts == firsts.sorted(), "The order of \(key).")
        }
    }

    @Test("A blocked queue holds no more than there is room for; the others go on until then")
    func backPressure() async throws {
        let stream = try ScriptedStream(keys: (0..<100).map { "k\($0 % 10)" }, pageSize: 10)
        let recorder = Recorder()
        var runner = recorder.runner(try EventSourceMapping(batchSize: 5, parallelizationFactor: 2), stream) {
            numbers in
            if recorder.keys[numbers[0]] == "k0" { throw FunctionFailed() }
            return ""
        }
        for _ in 0..<200 { try await runner.step() }
        let waiting = runner.shards.reduce(0) { $0 + $1.waiting }
        #expect(waiting < 10 + 10)
        #expect(stream.requests.filter { $0.hasPrefix("getRecords") }.count < 15)
    }

    @Test("Settings outside of Lambda's limits are refused")
    func limits() {
        #expect(throws: PatternError.self) { try EventSourceMapping(batchSize: 0) }
        #expect(throws: PatternError.self) { try EventSourceMapping(batchSize: 10_001) }
        #expect(throws: PatternError.self) { try EventSourceMapping(batchingWindow: .seconds(301)) }
        #expect(throws: PatternError.self) { try EventSourceMapping(batchingWindow: .milliseconds(500)) }
        #expect(throws: PatternError.self) { try EventSourceMapping(parallelizationFactor: 0) }
        #expect(throws: PatternError.self) { try EventSourceMapping(parallelizationFactor: 11) }
        #expect(throws: PatternError.self) { try EventSourceMapping(maximumRetryAttempts: -1) }
        #expect(throws: PatternError.self) { try EventSourceMapping(maximumRetryAttempts: 10_001) }
        #expect(throws: PatternError.self) { try EventSourceMapping(maximumRecordAge: .seconds(59)) }
        #expect(throws: PatternError.self) { try EventSourceMapping(maximumRecordAge: .seconds(604_801)) }
    }
}
