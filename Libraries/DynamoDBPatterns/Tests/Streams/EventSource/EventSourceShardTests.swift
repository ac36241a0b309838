import AWSClient
import Testing

@testable import DynamoDBPatterns

@Suite struct EventSourceShardTests {
    private func records(_ sequences: ClosedRange<Int>) throws -> [StreamRecord] {
        try sequences.map { try .made(.insert, keys: ["pk": .string("k\($0)")], sequence: $0) }
    }

    @Test("A shard's children are begun when it is done with, also where it is blocked by a failure")
    func parentsFirst() async throws {
        let stream = ScriptedStream(
            .init(id: "child-1", parent: "parent", records: try records(4...5)),
            .init(id: "child-2", parent: "parent", records: try records(6...7)),
            .init(id: "parent", parent: "gone", records: try records(1...3), isClosed: true))
        let recorder = Recorder()
        let attempts = Attempts()
        var runner = recorder.runner(try EventSourceMapping(), stream) { _ in
            if attempts.next() < 5 { throw FunctionFailed() }
            return ""
        }
        let progress = try await runner.drain()
        #expect(recorder.batches == Array(repeating: [1, 2, 3], count: 6) + [[4, 5], [6, 7]])
        #expect(progress.handled == 7)
    }

    @Test("A shard that is split is followed by its children, at once")
    func split() async throws {
        let stream = ScriptedStream(.init(id: "a", records: try records(1...2)))
        let recorder = Recorder()
        var runner = recorder.runner(try EventSourceMapping(), stream)
        try await runner.drain()
        stream.change("a") { part in
            part.records += (try? records(3...3)) ?? []
            part.isClosed = true
        }
        stream.add(.init(id: "b", parent: "a", records: try records(4...4)))
        try await runner.drain()
        #expect(recorder.firsts == [1, 2, 3, 4])
        stream.remove("a")
        recorder.advance(10)
        try await runner.step()
        #expect(runner.shards.map(\.id) == ["b"], "What the stream does not list any more is forgotten.")
    }

    @Test("From the latest on, what was there before is not seen, and all of what comes is, also in new shards")
    func latest() async throws {
        let stream = ScriptedStream(
            .init(id: "old", records: try records(1...2), isClosed: true),
            .init(id: "open", parent: "old", records: try records(3...4)))
        let recorder = Recorder()
        var runner = recorder.runner(try EventSourceMapping(startingPosition: .latest), stream)
        try await runner.step()
        stream.change("open") { part in
            part.records += (try? records(5...5)) ?? []
            part.isClosed = true
        }
        stream.add(.init(id: "new", parent: "open", records: try records(6...7)))
        try await runner.drain()
        #expect(recorder.firsts == [5, 6, 7])
    }

    @Test("A place in a shard that expired is found again after the last record")
    func expiredIterator() async throws {
        let stream = ScriptedStream(.init(id: "a", records: try records(1...3)), pageSize: 2)
        let recorder = Recorder()
        var runner = recorder.runner(try EventSourceMapping(), stream)
        try await runner.step()
        stream.expireIterators()
        try await runner.drain()
        #expect(recorder.batches == [[1, 2], [3]])
        #expect(stream.requests.contains("getShardIterator a AFTER_SEQUENCE_NUMBER"))
    }

    @Test("From the latest on, a place that expired before the first record is a gap: nobody knows what came since")
    func expiredLatest() async throws {
        let stream = ScriptedStream(.init(id: "a", records: try records(1...1)))
        let recorder = Recorder()
        var runner = recorder.runner(try EventSourceMapping(startingPosition: .latest), stream)
        try await runner.step()
        stream.change("a") { $0.records += (try? records(2...2)) ?? [] }
        stream.expireIterators()
        #expect(try await runner.drain().gaps == 1)
        stream.change("a") { $0.records += (try? records(3...3)) ?? [] }
        #expect(try await runner.drain().gaps == 0)
        stream.expireIterators()
        #expect(try await runner.drain().gaps == 0, "Its place is known by now.")
        #expect(recorder.firsts == [3])
    }

    @Test("Draining with no steps, or fewer, ends with an error")
    func noSteps() async throws {
        var runner = Recorder().runner(try EventSourceMapping(), ScriptedStream(.init(id: "a")))
        for steps in [0, -1] {
            let error = await #expect(throws: PatternError.self) { try await runner.drain(maximumSteps: steps) }
            #expect(error?.code == .contention)
        }
    }

    @Test("Records that are gone unread are a gap that is told, and the rest comes")
    func trimmed() async throws {
        let stream = ScriptedStream(.init(id: "a", records: try records(1...5)), pageSize: 2)
        let recorder = Recorder()
        var runner = recorder.runner(try EventSourceMapping(), stream)
        try await runner.step()
        stream.change("a") { $0.trimmed = 4 }
        let progress = try await runner.drain()
        #expect(recorder.batches == [[1, 2], [5]])
        #expect(progress.gaps == 1)
    }

    @Test("A shard that is gone is a gap, and its children are begun")
    func lostShard() async throws {
        let stream = ScriptedStream(.init(id: "a", records: try records(1...2)))
        let recorder = Recorder()
        var runner = recorder.runner(try EventSourceMapping(), stream)
        try await runner.drain()
        stream.remove("a")
        stream.add(.init(id: "b", parent: "a", records: try records(3...3)))
        let progress = try await runner.drain()
        #expect(recorder.firsts == [1, 2, 3])
        #expect(progress.gaps == 1)
    }

    @Test("A read that fails loses nothing, at whichever request it fails")
    func failingReads() async throws {
        let stream = ScriptedStream(.init(id: "a", records: try records(1...7)), pageSize: 2)
        let recorder = Recorder()
        var runner = recorder.runner(try EventSourceMapping(batchSize: 2), stream)
        for _ in 0..<12 {
            stream.failNext(AWSError("LimitExceededException", "Slow down."))
            await #expect(throws: AWSError.self) { try await runner.step() }
            try await runner.step()
        }
        #expect(recorder.batches == [[1, 2], [3, 4], [5, 6], [7]])
    }

    @Test("A shard that cannot be read, and a destination that fails, hold up nobody else")
    func othersGoOn() async throws {
        let stream = ScriptedStream(
            .init(id: "a", records: try records(1...1)), .init(id: "b", records: try records(2...2)))
        let recorder = Recorder()
        var runner = EventSourceRunner(
            try EventSourceMapping(maximumRetryAttempts: 0), of: ScriptedStream.arn, in: stream, clock: recorder.clock,
            onFailure: { _ in throw FunctionFailed() },
            function: { event in
                if try recorder.take(event) == [1] { throw FunctionFailed() }
                return []
            })
        try await runner.discoverIfDue()
        stream.failNext(AWSError("LimitExceededException", "Slow down."))
        await #expect(throws: AWSError.self) { try await runner.step() }
        #expect(recorder.batches == [[2]])
        stream.change("b") { part in part.records += (try? records(3...3)) ?? [] }
        await #expect(throws: FunctionFailed.self) { try await runner.step() }
        #expect(recorder.batches == [[2], [1], [3]])
    }

    @Test("Running waits out errors of AWS, and ends when the stream is no more")
    func running() async throws {
        let stream = ScriptedStream(.init(id: "a", records: try records(1...3)), pageSize: 2)
        let recorder = Recorder()
        var runner = EventSourceRunner(
            try EventSourceMapping(), of: ScriptedStream.arn, in: stream, clock: recorder.clock
        ) { event in
            if try recorder.take(event) == [3] { stream.failNext(AWSError(.resourceNotFound, "No such stream.")) }
            return []
        }
        stream.failNext(AWSError(.noAnswer, "Down."))
        stream.change("a") { $0.isClosed = true }
        let error = await #expect(throws: AWSError.self) { try await runner.run() }
        #expect(error?.code == .resourceNotFound)
        #expect(recorder.batches == [[1, 2], [3]])
    }

    @Test("Running ends when the task is cancelled, and calls no function again for what was under way")
    func cancelling() async throws {
        let recorder = Recorder()
        let stream = ScriptedStream(.init(id: "a", records: try records(1...1)))
        let mapping = try EventSourceMapping(maximumRetryAttempts: 0)
        let task = Task {
            var runner = recorder.runner(mapping, stream) { _ in
                withUnsafeCurrentTask { $0?.cancel() }
                throw CancellationError()
            }
            try await runner.run()
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(recorder.batches == [[1]])
        #expect(recorder.messages.isEmpty, "What was cancelled did not fail.")
    }
}
