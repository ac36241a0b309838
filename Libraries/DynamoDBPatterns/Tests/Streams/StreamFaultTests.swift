import AWSClient
import DynamoDBPatternsTesting
import Testing

@testable import DynamoDBPatterns

/// Every call of a consumer goes wrong in every way.
@Suite struct StreamFaultTests {
    /// A consumer that is started again until all is handled; what has to hold then.
    private func scenario(_ run: FaultedRun) async throws {
        let fixture = try StreamFixture()
        let ledger = StreamLedger()
        try await fixture.write("a", 1...3)
        try await fixture.write("b", 1...2)
        fixture.store.splitShards(of: "notes")
        try await fixture.write("a", 4...5)
        try await fixture.write("b", 3...3)
        var lives = 0
        try await run.deliver(to: fixture.store) { api in
            lives += 1
            var options = StreamConsumer.Options()
            options.batchSize = 2
            let consumer = try fixture.consumer("w\(lives)", ledger, api: api, options: options)
            for _ in 0..<60 where ledger.first.count < 8 {
                try await consumer.step()
                try await fixture.clock.sleep(.seconds(3))
            }
            await consumer.release()
        }
        try run.check(ledger.first.count == 8, "Lost: only \(ledger.first) were handled.")
        try run.check(ledger.isInOrder, "Out of order: \(ledger.notes)")
        try await CheckpointHistory(of: fixture.store, table: "leases").check(run.check)

        // Who comes after all of it finds nothing to do.
        let last = StreamLedger()
        let consumer = try fixture.consumer("last", last)
        try await fixture.clock.sleep(.seconds(31))
        try await consumer.drain()
        let isReleased = run.description == "no fault"
        try run.check(!isReleased || last.notes.isEmpty, "Done twice: \(last.notes)")
        try run.check(last.notes.count <= 3, "The checkpoints are far behind: \(last.notes)")
    }

    @Test("Crash, lost reply and throttling at every call: no record is lost, and each item keeps its order")
    func everyCall() async throws {
        let runs = try await FaultSweep.run(scenario)
        #expect(runs > 100)
    }

    @Test("The same with two faults, of the writes")
    func everyTwoWrites() async throws {
        let runs = try await FaultSweep.run(
            faults: [.crashBefore, .crashAfter, .lostReply, .lostReplyThenRetried], depth: 2, where: \.isWrite,
            scenario)
        #expect(runs > 100)
    }

    @Test("A lost reply that was tried again takes a lease, and not a second one after it")
    func takenByLostReply() async throws {
        let fixture = try StreamFixture(shards: 3)
        let plan = FaultPlan.at([1: .lostReplyThenRetried, 2: .lostReplyThenRetried, 3: .lostReplyThenRetried])
            .where { $0.operation == .updateItem }
        let consumer = try fixture.consumer("w", StreamLedger(), api: FaultyDynamoDB(fixture.store, plan: plan))
        try await consumer.step()
        #expect(await consumer.shardIDs.count == 3)
        #expect(fixture.store.items(in: "leases").compactMap { $0["fence"]?.int } == [1, 1, 1])
    }
}

/// What was ever written into leases, from the stream of their table.
struct CheckpointHistory {
    private var changes: [(old: StoredItem?, new: StoredItem?)] = []

    init(of store: MemoryDynamoDB, table: String) async throws {
        guard let arn = store.streamARN(of: table) else { return }
        let shards = try await store.describeStream(DescribeStreamRequest(streamArn: arn)).streamDescription?.shards
        for shard in shards ?? [] {
            var iterator = try await store.getShardIterator(
                GetShardIteratorRequest(
                    streamArn: arn, shardId: shard.shardId ?? "", shardIteratorType: .trimHorizon)
            ).shardIterator
            while let place = iterator {
                let page = try await store.getRecords(GetRecordsRequest(shardIterator: place))
                changes += (page.records ?? []).map { ($0.change?.oldImage, $0.change?.newImage) }
                iterator = page.records?.isEmpty == false ? page.nextShardIterator : nil
            }
        }
    }

    /// Checks that nobody who was taken over has moved anything.
    ///
    /// - Parameter check: Takes what has to hold, and what is wrong otherwise.
    func check(_ check: (Bool, @autoclosure () -> String) throws -> Void) throws {
        for (old, new) in changes {
            guard let old, let new, let before = old["fence"]?.int64, let after = new["fence"]?.int64 else { continue }
            try check(after == before || after == before + 1, "The fence went from \(before) to \(after).")
            // Digits of different lengths: a longer number is the larger one.
            let (from, to) = (old["checkpoint"]?.string ?? "", new["checkpoint"]?.string ?? "")
            try check((from.count, from) <= (to.count, to), "The checkpoint went back from \(from) to \(to).")
            try check(old["ended"] == nil || new["ended"] == old["ended"], "A shard that was done is not any more.")
            let isTaken = new["owner"] != nil && new["owner"] != old["owner"]
            try check(!isTaken || after > before, "A lease changed hands without a new fence.")
        }
    }
}
