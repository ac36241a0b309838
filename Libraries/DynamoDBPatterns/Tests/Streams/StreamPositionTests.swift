import AWSClient
import DynamoDBPatternsTesting
import Synchronization
import Testing

@testable import DynamoDBPatterns

/// Where consumers start, and what becomes of places that are gone.
@Suite struct StreamPositionTests {
    private func collecting(_ gaps: Gaps) -> StreamConsumer.Options {
        var options = StreamConsumer.Options()
        options.onGap = { gaps.add($0) }
        return options
    }

    @Test("Latest begins when the first worker starts, and a crash before the first checkpoint loses nothing")
    func latest() async throws {
        let fixture = try StreamFixture()
        let ledger = StreamLedger()
        var options = StreamConsumer.Options()
        options.start = .latest
        try await fixture.write("a", 1...3)
        fixture.store.splitShards(of: "notes")
        try await fixture.write("a", 4...4)
        try await fixture.clock.sleep(.seconds(2))
        // It takes its leases, and is never seen again.
        let plan = FaultPlan.at(call: 1, .crashBefore).where { $0.operation == .getRecords }
        let lost = try fixture.consumer(
            "lost", ledger, api: FaultyDynamoDB(fixture.store, plan: plan), options: options)
        await #expect(throws: SimulatedCrash.self) { try await lost.step() }
        try await fixture.write("a", 5...6)
        try await fixture.clock.sleep(.seconds(60))
        let consumer = try fixture.consumer("w", ledger, options: options)
        try await consumer.drain()
        try await fixture.write("a", 7...7)
        try await consumer.drain()
        #expect(ledger.numbers == [5, 6, 7])
    }

    @Test("A consumer can begin at a moment")
    func moment() async throws {
        let fixture = try StreamFixture()
        let ledger = StreamLedger()
        try await fixture.write("a", 1...3)
        try await fixture.clock.sleep(.seconds(10))
        var options = StreamConsumer.Options()
        options.start = .at(fixture.clock.now())
        try await fixture.write("a", 4...5)
        let consumer = try fixture.consumer("w", ledger, options: options)
        // What is passed over does not count as done.
        #expect(try await consumer.step() == 2)
        #expect(ledger.numbers == [4, 5])
    }

    @Test("Trimmed: what was lost is told, and reading goes on with the oldest record")
    func trimmed() async throws {
        let fixture = try StreamFixture()
        let (ledger, gaps) = (StreamLedger(), Gaps())
        try await fixture.write("a", 1...2)
        let first = try fixture.consumer("w1", ledger)
        try await first.drain()
        await first.release()
        try await fixture.write("a", 3...5)
        let records = try await fixture.records()
        fixture.store.trimStream(of: "notes", through: records[3].change?.sequenceNumber ?? "")
        let second = try fixture.consumer("w2", ledger, options: collecting(gaps))
        try await second.drain()
        #expect(ledger.numbers == [1, 2, 5])
        #expect(gaps.all.map(\.cause) == [.trimmed])
        #expect(gaps.all.first?.after == records[1].change?.sequenceNumber)
        await second.release()
        let third = try fixture.consumer("w3", ledger, options: collecting(gaps))
        try await third.drain()
        #expect(gaps.all.count == 1, "after the next checkpoint there is no gap any more")
    }

    @Test("Trimmed between place and reading: that is told, too")
    func trimmedAfterIterator() async throws {
        let fixture = try StreamFixture()
        let (ledger, gaps) = (StreamLedger(), Gaps())
        let consumer = try fixture.consumer("w", ledger, options: collecting(gaps))
        try await fixture.write("a", 1...1)
        try await consumer.step()
        try await fixture.write("a", 2...4)
        let records = try await fixture.records()
        fixture.store.trimStream(of: "notes", through: records[2].change?.sequenceNumber ?? "")
        try await consumer.drain()
        #expect(ledger.numbers == [1, 4] && gaps.all.map(\.cause) == [.trimmed])
    }

    @Test("A shard that is gone before it was read to its end is a gap, and its children are read")
    func shardGone() async throws {
        let fixture = try StreamFixture()
        let (ledger, gaps) = (StreamLedger(), Gaps())
        try await fixture.write("a", 1...1)
        let first = try fixture.consumer("w1", ledger)
        try await first.step()
        await first.release()
        try await fixture.write("a", 2...2)
        fixture.store.splitShards(of: "notes")
        try await fixture.clock.sleep(.seconds(25 * 3600))
        try await fixture.write("a", 3...3)
        fixture.store.trimStream(of: "notes")
        let second = try fixture.consumer("w2", ledger, options: collecting(gaps))
        // One time more for the closed shard, if it is still listed.
        for _ in 0..<3 {
            try await second.drain()
            try await fixture.clock.sleep(.seconds(11))
        }
        #expect(ledger.numbers == [1, 3])
        #expect(gaps.all.count == 1)
    }

    @Test("Shards that nobody looked for within a day are a gap")
    func foundLate() async throws {
        let fixture = try StreamFixture()
        let (ledger, gaps) = (StreamLedger(), Gaps())
        try await fixture.write("a", 1...1)
        fixture.store.splitShards(of: "notes")
        // It reads the first shard to its end, and crashes before it takes the children.
        let plan = FaultPlan.at(call: 2, .crashBefore).where { $0.operation == .describeStream }
        let crashing = try fixture.consumer("w0", ledger, api: FaultyDynamoDB(fixture.store, plan: plan))
        await #expect(throws: SimulatedCrash.self) { try await crashing.step() }
        try await fixture.write("a", 2...2)
        for _ in 0..<2 {
            fixture.store.splitShards(of: "notes")
            try await fixture.clock.sleep(.seconds(20 * 3600))
            fixture.store.trimStream(of: "notes")
        }
        try await fixture.write("a", 3...3)
        fixture.store.expireItems(in: "leases")
        let second = try fixture.consumer("w2", ledger, options: collecting(gaps))
        try await second.drain()
        #expect(ledger.numbers.last == 3)
        #expect(gaps.all.contains { $0.cause == .foundLate })
    }

    @Test("An expired iterator is replaced by one after what is done")
    func expiredIterator() async throws {
        let fixture = try StreamFixture()
        let ledger = StreamLedger()
        var options = StreamConsumer.Options()
        options.lease = .seconds(3600)
        options.batchSize = 2
        try await fixture.write("a", 1...5)
        let consumer = try fixture.consumer("w", ledger, options: options)
        try await consumer.step()
        try await fixture.clock.sleep(.seconds(16 * 60))
        try await consumer.drain()
        #expect(ledger.numbers == Array(1...5))
    }

    @Test("Leases of shards that are done expire, and others do not")
    func leasesExpire() async throws {
        let fixture = try StreamFixture()
        let ledger = StreamLedger()
        try await fixture.write("a", 1...1)
        let consumer = try fixture.consumer("w", ledger)
        try await consumer.step()
        fixture.store.splitShards(of: "notes")
        try await consumer.step()
        await consumer.release()
        func leases() -> Int {
            fixture.store.items(in: "leases").count { $0["sk"]?.string?.hasPrefix("shard#") == true }
        }
        #expect(leases() == 3)
        try await fixture.clock.sleep(.seconds(4 * 86_400))
        fixture.store.expireItems(in: "leases")
        #expect(leases() == 2)
    }
}

/// What was told of lost records.
final class Gaps: Sendable {
    private let gaps = Mutex<[StreamGap]>([])
    var all: [StreamGap] { gaps.withLock { $0 } }
    func add(_ gap: StreamGap) { gaps.withLock { $0.append(gap) } }
}
