import AWSClient
import DynamoDBPatternsTesting
import Synchronization
import Testing

@testable import DynamoDBPatterns

/// Consumers that stood still, passed much over, or were given settings out of the ordinary.
@Suite struct StreamStandstillTests {
    private func options(_ gaps: Gaps) -> StreamConsumer.Options {
        var options = StreamConsumer.Options()
        options.onGap = { gaps.add($0) }
        return options
    }

    @Test("A shard of which nothing was done is a gap after a day, whoever reads it then", arguments: [true, false])
    func withoutCheckpoint(isSame: Bool) async throws {
        let fixture = try StreamFixture()
        let (ledger, gaps) = (StreamLedger(), Gaps())
        let first = try fixture.consumer("w1", ledger, options: options(gaps))
        try await first.step()
        if !isSame { await first.release() }
        try await fixture.write("a", 1...2)
        try await fixture.clock.sleep(.seconds(25 * 3600))
        fixture.store.trimStream(of: "notes")
        try await fixture.write("a", 3...3)
        let second = isSame ? first : try fixture.consumer("w2", ledger, options: options(gaps))
        for _ in 0..<3 {
            try await second.step()
            try await fixture.clock.sleep(.seconds(11))
        }
        #expect(ledger.numbers == [3])
        #expect(gaps.all.map(\.cause) == [.foundLate])
    }

    @Test("A shard of which nothing was done for some hours is none")
    func hours() async throws {
        let fixture = try StreamFixture()
        let (ledger, gaps) = (StreamLedger(), Gaps())
        let first = try fixture.consumer("w1", ledger, options: options(gaps))
        try await first.step()
        for number in 1...3 {
            if number == 3 { try await fixture.write("a", 1...2) }
            try await fixture.clock.sleep(.seconds(20 * 3600))
            fixture.store.trimStream(of: "notes")
            try await first.step()
            await first.release()
        }
        #expect(ledger.numbers == [1, 2] && gaps.all.isEmpty)
    }

    @Test("What is passed over ends no pass, were it many pages")
    func manyPages() async throws {
        let fixture = try StreamFixture()
        let ledger = StreamLedger()
        var options = StreamConsumer.Options()
        options.start = .latest
        options.batchSize = 10
        try await fixture.write("a", 1...95)
        try await fixture.clock.sleep(.seconds(2))
        let consumer = try fixture.consumer("w", ledger, options: options)
        #expect(try await consumer.step() == 0)
        try await fixture.write("a", 96...97)
        #expect(try await consumer.step() == 2)
        #expect(ledger.numbers == [96, 97])
    }

    @Test("In the leases' own table, items of others are handled, also with keys that look similar")
    func similarKeys() async throws {
        let store = MemoryDynamoDB()
        try store.createPatternTable("patterns")
        let table = PatternTable("patterns", in: store)
        let handled = Mutex<[String]>([])
        let processor = try StreamProcessor<[String: AttributeValue]>(
            "all", deadLetters: TableDeadLetters(in: table), logger: StreamFixture.silent
        ) { change in
            handled.withLock { $0.append(change.keys["pk"]?.string ?? "") }
        }
        for kind in ["L", "D"] {
            let key: StoredItem = ["pk": .string("\(kind)#42"), "sk": .string("line")]
            _ = try await store.putItem(PutItemRequest(tableName: "patterns", item: key))
        }
        let consumer = StreamConsumer(
            processor, of: try #require(store.streamARN(of: "patterns")), in: store, leases: table)
        for _ in 0..<3 { try await consumer.step() }
        #expect(handled.withLock { $0 } == ["L#42", "D#42"])
    }

    @Test("Durations of any size are taken", arguments: [Duration.seconds(Int64.max), .zero, .seconds(Int64.min)])
    func durations(_ duration: Duration) async throws {
        let fixture = try StreamFixture()
        let ledger = StreamLedger()
        let target = TableDeadLetters(in: fixture.table(), retention: duration)
        try await fixture.write("a", 1...3)
        ledger.fail(Note(id: "a", number: 2))
        var options = StreamConsumer.Options()
        options.lease = duration
        options.discoveryInterval = duration
        options.pollInterval = duration
        options.longestPollInterval = duration
        options.retryInterval = duration
        options.longestRetryInterval = duration
        options.maximumAge = duration
        options.maximumTries = 1
        let consumer = try fixture.consumer("w", ledger, deadLetters: target, options: options)
        for _ in 0..<3 { try await consumer.step() }
        #expect(ledger.numbers == [1, 3])
        #expect(fixture.store.items(in: "leases").count { $0["sk"] == .string("letter") } == 1)
    }

    @Test("A consumer runs once at a time; a second run takes no lease away from the first")
    func runsOnce() async throws {
        let fixture = try StreamFixture()
        let consumer = try fixture.consumer("w", StreamLedger())
        let isAsleep = Mutex(false)
        let clock = fixture.clock
        let waiting = PatternClock(
            now: clock.now,
            sleep: { _ in
                isAsleep.withLock { $0 = true }
                try await Task.sleep(for: .seconds(3600))
            })
        let processor = try StreamProcessor<Note>("notes", logger: StreamFixture.silent) { _ in }
        let running = StreamConsumer(
            processor, of: fixture.arn, in: fixture.store,
            leases: PatternTable("leases", in: fixture.store, clock: waiting))
        let task = Task { try await running.run() }
        while !isAsleep.withLock({ $0 }) { await Task.yield() }
        let error = await #expect(throws: PatternError.self) { try await running.run() }
        #expect(error?.code == .invalidArgument)
        #expect(await running.shardIDs.count == 1)
        try await consumer.step()
        #expect(await consumer.shardIDs.isEmpty)
        task.cancel()
        try await task.value
    }
}
