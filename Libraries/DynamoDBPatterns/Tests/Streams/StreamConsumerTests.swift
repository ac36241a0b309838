import AWSClient
import DynamoDBPatternsTesting
import Synchronization
import Testing

@testable import DynamoDBPatterns

@Suite struct StreamConsumerTests {
    @Test("A consumer hands over what is in the stream, in order, and later goes on where it was")
    func plain() async throws {
        let fixture = try StreamFixture()
        let ledger = StreamLedger()
        try await fixture.write("a", 1...250)
        let first = try fixture.consumer("w1", ledger)
        try await first.drain()
        #expect(ledger.numbers == Array(1...250))
        try await fixture.write("a", 251...251)
        #expect(try await first.step() == 1)

        await first.release()
        try await fixture.write("a", 252...253)
        let second = try fixture.consumer("w2", ledger)
        try await second.drain()
        #expect(ledger.numbers == Array(1...253), "what is done is not done again")
    }

    @Test("Parent before child across a split, and across a split of those that are split")
    func splits() async throws {
        let fixture = try StreamFixture()
        let ledger = StreamLedger()
        let ids = (0..<8).map { "item\($0)" }
        for number in 1...4 {
            for id in ids { try await fixture.write(id, number...number) }
            if number < 4 { fixture.store.splitShards(of: "notes") }
        }
        var options = StreamConsumer.Options()
        options.batchSize = 3
        let consumer = try fixture.consumer("w", ledger, options: options)
        try await consumer.drain()
        #expect(ledger.notes.count == 32 && ledger.first.count == 32)
        #expect(ledger.isInOrder)
        #expect(await consumer.shardIDs.count == 8, "only the last generation is still read")
    }

    @Test("A child waits while its parent's record fails")
    func childWaits() async throws {
        let fixture = try StreamFixture()
        let ledger = StreamLedger()
        try await fixture.write("a", 1...1)
        fixture.store.splitShards(of: "notes")
        try await fixture.write("a", 2...2)
        ledger.fail(Note(id: "a", number: 1), times: 2)
        let consumer = try fixture.consumer("w", ledger)
        try await consumer.drain()
        #expect(ledger.notes.isEmpty)
        for _ in 0..<5 {
            try await fixture.clock.sleep(.seconds(5))
            try await consumer.step()
        }
        #expect(ledger.numbers == [1, 2])
    }

    @Test("Workers share the shards evenly, and give some up to those that come later")
    func share() async throws {
        let fixture = try StreamFixture(shards: 5)
        let ledger = StreamLedger()
        let workers = try ["w1", "w2", "w3"].map { try fixture.consumer($0, ledger) }
        try await workers[0].step()
        #expect(await workers[0].shardIDs.count == 5)
        for _ in 0..<4 {
            try await fixture.clock.sleep(.seconds(11))
            for worker in workers { try await worker.step() }
        }
        var counts: [Int] = []
        var all: Set<String> = []
        for worker in workers {
            counts.append(await worker.shardIDs.count)
            all.formUnion(await worker.shardIDs)
        }
        #expect(counts.sorted() == [1, 2, 2] && all.count == 5)
        let ids = (0..<40).map { "item\($0)" }
        for id in ids { try await fixture.write(id, 1...2) }
        for worker in workers { try await worker.drain() }
        #expect(ledger.notes.count == 80 && ledger.isInOrder, "none is handled twice when shards change hands")
        #expect(Set(ledger.entries.map(\.worker)).count == 3)

        await workers[2].release()
        try await fixture.clock.sleep(.seconds(11))
        for worker in workers[0...1] { try await worker.step() }
        #expect(await workers[0].shardIDs.count + workers[1].shardIDs.count == 5)
    }

    @Test("Two workers and a zombie: who was taken over can move no checkpoint, and stops")
    func zombie() async throws {
        let fixture = try StreamFixture()
        let ledger = StreamLedger()
        try await fixture.write("a", 1...4)
        let zombie = try fixture.consumer("zombie", ledger)
        try await zombie.step()
        try await fixture.write("a", 5...6)
        // The zombie is not heard of until its lease has run out.
        try await fixture.clock.sleep(.seconds(31))
        let heir = try fixture.consumer("heir", ledger)
        try await heir.step()
        #expect(await heir.shardIDs.count == 1)
        #expect(ledger.numbers == Array(1...6))
        let before = fixture.store.items(in: "leases")
        let shard = try #require(await heir.shardIDs.first)
        try await zombie.save(shard)
        #expect(await zombie.shardIDs.isEmpty)
        #expect(Set(before) == Set(fixture.store.items(in: "leases")), "the zombie has written nothing")
        try await fixture.write("a", 7...7)
        try await heir.step()
        #expect(ledger.entries.last == .init(worker: "heir", note: Note(id: "a", number: 7)))
    }

    @Test("A worker whose lease runs out in the middle of a batch hands nothing more over")
    func leaseRunsOut() async throws {
        let fixture = try StreamFixture()
        let ledger = StreamLedger()
        let (clock, heir) = (fixture.clock, try fixture.consumer("heir", ledger))
        try await fixture.write("a", 1...3)
        let processor = try StreamProcessor<Note>("notes", clock: clock, logger: StreamFixture.silent) { change in
            try ledger.handle(change, by: "slow")
            if change.new?.number == 1 {
                try await clock.sleep(.seconds(40))
                try await heir.step()
            }
        }
        let slow = StreamConsumer(processor, of: fixture.arn, in: fixture.store, leases: fixture.table())
        try await slow.step()
        #expect(ledger.entries.filter { $0.worker == "slow" }.map(\.note.number) == [1])
        #expect(ledger.entries.filter { $0.worker == "heir" }.map(\.note.number) == [1, 2, 3])
    }

    @Test("Leases are renewed between records, so that a long batch keeps its shard")
    func renewal() async throws {
        let fixture = try StreamFixture()
        let ledger = StreamLedger()
        let (clock, other) = (fixture.clock, try fixture.consumer("other", ledger))
        try await fixture.write("a", 1...10)
        let processor = try StreamProcessor<Note>("notes", clock: clock, logger: StreamFixture.silent) { change in
            try ledger.handle(change, by: "slow")
            try await clock.sleep(.seconds(14))
            try await other.step()
        }
        let slow = StreamConsumer(processor, of: fixture.arn, in: fixture.store, leases: fixture.table())
        #expect(try await slow.step() == 10)
        #expect(ledger.numbers == Array(1...10) && ledger.entries.allSatisfy { $0.worker == "slow" })
    }

    @Test("A worker that cannot renew its lease hands nothing more over once it has run out")
    func cannotRenew() async throws {
        let fixture = try StreamFixture()
        let ledger = StreamLedger()
        let clock = fixture.clock
        try await fixture.write("a", 1...5)
        let faults = Dictionary(uniqueKeysWithValues: (2...100).map { ($0, Fault.throttled) })
        let api = FaultyDynamoDB(fixture.store, plan: .at(faults).where { $0.operation == .updateItem })
        let processor = try StreamProcessor<Note>("notes", clock: clock, logger: StreamFixture.silent) { change in
            try ledger.handle(change, by: "w")
            try await clock.sleep(.seconds(14))
        }
        let consumer = StreamConsumer(processor, of: fixture.arn, in: api, leases: fixture.table(api))
        try await consumer.step()
        #expect((2...3).contains(ledger.numbers.count), "after 28 or 42 of 30 seconds")
    }

    @Test("The beginning is the one of the first worker")
    func beginning() async throws {
        let fixture = try StreamFixture()
        let store = LeaseStore(
            table: fixture.table(), name: "n", stream: fixture.arn, worker: "w", options: .init())
        let first = try await store.begin(.init(since: 1, time: 2, closed: ["a"]))
        let second = try await store.begin(.init(since: 3, time: 4, closed: []))
        #expect(first.since == 1 && second.since == 1 && second.time == 2 && second.closed == ["a"])
    }

    @Test("Another table's stream, or the table made anew, has leases of its own")
    func names() {
        let table = PatternTable("t", in: MemoryDynamoDB())
        func partition(_ arn: String) -> String {
            LeaseStore(table: table, name: "n", stream: arn, worker: "w", options: .init()).partition
        }
        #expect(partition("arn:aws:dynamodb:us-east-1:1:table/A/stream/2026-01-01") == "L#n#A/2026-01-01")
        #expect(partition("something else") == "L#n#something else")
    }
}
