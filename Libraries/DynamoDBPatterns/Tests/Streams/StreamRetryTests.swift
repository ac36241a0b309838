import AWSClient
import DynamoDBPatternsTesting
import Synchronization
import Testing

@testable import DynamoDBPatterns

/// Records and requests that fail.
@Suite struct StreamRetryTests {
    private let poison = Note(id: "a", number: 2)

    @Test("A record that fails is tried again after a while, and what is behind it waits")
    func backOff() async throws {
        let fixture = try StreamFixture()
        let ledger = StreamLedger()
        try await fixture.write("a", 1...3)
        ledger.fail(poison, times: 2)
        let consumer = try fixture.consumer("w", ledger)
        #expect(try await consumer.step() == 1)
        #expect(try await consumer.step() == 0)
        #expect(ledger.tries(of: poison) == 1, "not again at once")
        try await fixture.clock.sleep(.milliseconds(1100))
        try await consumer.step()
        try await fixture.clock.sleep(.milliseconds(1100))
        try await consumer.step()
        #expect(ledger.tries(of: poison) == 2, "the second pause is longer")
        try await fixture.clock.sleep(.milliseconds(1100))
        #expect(try await consumer.step() == 2)
        #expect(ledger.numbers == [1, 2, 3])
    }

    @Test("After the last try a record goes to the dead letters; the tries of workers before count")
    func maximumTries() async throws {
        let fixture = try StreamFixture()
        let (ledger, target) = (StreamLedger(), TableDeadLetters(in: fixture.table()))
        try await fixture.write("a", 1...3)
        ledger.fail(poison)
        var options = StreamConsumer.Options()
        options.maximumTries = 4
        let first = try fixture.consumer("w1", ledger, deadLetters: target, options: options)
        try await first.step()
        try await fixture.clock.sleep(.seconds(2))
        try await first.step()
        #expect(ledger.tries(of: poison) == 2)
        // It is not heard of again.
        try await fixture.clock.sleep(.seconds(31))
        let second = try fixture.consumer("w2", ledger, deadLetters: target, options: options)
        for _ in 0..<10 {
            try await second.step()
            try await fixture.clock.sleep(.seconds(12))
        }
        #expect(ledger.numbers == [1, 3] && ledger.tries(of: poison) == 4)
        let letters = try await target.letters(of: "notes")
        #expect(letters.map(\.reason) == [.exhausted] && letters.first?.failures == 4)
        #expect(letters.first?.shardID == (await second.shardIDs.first))
    }

    @Test("A record that fails and is too old goes to the dead letters")
    func maximumAge() async throws {
        let fixture = try StreamFixture()
        let ledger = StreamLedger()
        let letters = Mutex(0)
        try await fixture.write("a", 1...3)
        ledger.fail(poison)
        var options = StreamConsumer.Options()
        options.maximumTries = nil
        options.maximumAge = .seconds(60)
        let target = ClosureDeadLetters { _ in letters.withLock { $0 += 1 } }
        let consumer = try fixture.consumer("w", ledger, deadLetters: target, options: options)
        try await consumer.step()
        try await fixture.clock.sleep(.seconds(30))
        try await consumer.step()
        #expect(letters.withLock { $0 } == 0)
        try await fixture.clock.sleep(.seconds(40))
        try await consumer.step()
        #expect(letters.withLock { $0 } == 1 && ledger.numbers == [1, 3])
    }

    @Test("Without dead letters a record is tried for ever")
    func forEver() async throws {
        let fixture = try StreamFixture()
        let ledger = StreamLedger()
        try await fixture.write("a", 1...3)
        ledger.fail(poison)
        let consumer = try fixture.consumer("w", ledger)
        for _ in 0..<40 {
            try await consumer.step()
            try await fixture.clock.sleep(.seconds(61))
        }
        #expect(ledger.tries(of: poison) == 40 && ledger.numbers == [1])
    }

    @Test("A failing shard does not stop the others")
    func otherShards() async throws {
        let fixture = try StreamFixture(shards: 4)
        let ledger = StreamLedger()
        ledger.fail(Note(id: "item0", number: 1))
        for index in 0..<12 { try await fixture.write("item\(index)", 1...1) }
        let consumer = try fixture.consumer("w", ledger)
        try await consumer.drain()
        #expect(ledger.notes.count >= 6 && ledger.tries(of: Note(id: "item0", number: 1)) == 1)
    }

    @Test("Throttling is waited out", arguments: [DynamoDBCall.Operation.getRecords, .describeStream, .query])
    func throttled(operation: DynamoDBCall.Operation) async throws {
        let fixture = try StreamFixture()
        let ledger = StreamLedger()
        try await fixture.write("a", 1...3)
        let plan = FaultPlan.at([1: .throttled, 2: .throttled]).where { $0.operation == operation }
        let api = FaultyDynamoDB(fixture.store, plan: plan)
        let consumer = try fixture.consumer("w", ledger, api: api)
        for _ in 0..<3 { #expect(try await consumer.step() == 0) }
        #expect(api.calls == 1, "not again at once")
        for _ in 0..<8 {
            try await fixture.clock.sleep(.seconds(1))
            try await consumer.step()
        }
        #expect(ledger.numbers == [1, 2, 3])
    }

    @Test("What will not pass by itself is thrown")
    func thrown() async throws {
        let fixture = try StreamFixture()
        let processor = try StreamProcessor<Note>("notes", clock: fixture.clock, logger: StreamFixture.silent) { _ in }
        let consumer = StreamConsumer(processor, of: "no stream", in: fixture.store, leases: fixture.table())
        await #expect { try await consumer.step() } throws: { ($0 as? AWSError)?.code == .resourceNotFound }
    }

    @Test("A run ends when it is cancelled, keeps what is done, and gives its leases up")
    func cancelled() async throws {
        let fixture = try StreamFixture()
        let ledger = StreamLedger()
        let isWaiting = Mutex(false)
        try await fixture.write("a", 1...3)
        let processor = try StreamProcessor<Note>("notes", clock: fixture.clock, logger: StreamFixture.silent) {
            change in
            if change.new?.number == 3 {
                isWaiting.withLock { $0 = true }
                try await Task.sleep(for: .seconds(3600))
            }
            try ledger.handle(change, by: "w")
        }
        let consumer = StreamConsumer(processor, of: fixture.arn, in: fixture.store, leases: fixture.table())
        let task = Task { try await consumer.run() }
        while !isWaiting.withLock({ $0 }) { await Task.yield() }
        task.cancel()
        try await task.value
        let other = try fixture.consumer("other", ledger)
        try await other.drain()
        #expect(ledger.numbers == [1, 2, 3] && ledger.entries.last?.worker == "other")
    }
}
