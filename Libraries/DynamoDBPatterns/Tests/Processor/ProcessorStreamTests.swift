import AWSClient
import DynamoDBPatterns
import DynamoDBPatternsTesting
import Testing

@Suite("A stream wakes a processor, and not for its own writes")
struct ProcessorStreamTests {
    /// All records of the table's stream.
    private func records(_ store: MemoryDynamoDB) async throws -> [StreamRecord] {
        let arn = try #require(store.streamARN(of: "patterns"))
        let shards = try await store.describeStream(DescribeStreamRequest(streamArn: arn)).streamDescription?.shards
        let shard = try #require(shards?.first?.shardId)
        let iterator = try await store.getShardIterator(
            GetShardIteratorRequest(streamArn: arn, shardId: shard, shardIteratorType: .trimHorizon)
        ).shardIterator
        return try await store.getRecords(GetRecordsRequest(shardIterator: try #require(iterator))).records ?? []
    }

    @Test("Start, signal and messages wake it; claims, records of steps, and deletes do not")
    func wakes() async throws {
        let world = try ProcessorWorld()
        let sent = EffectLedger()
        let processor = try world.processor([
            world.step("pay") { order, context in
                guard try context.signal("paid", as: Bool.self) == true else {
                    return .waitForSignal(atMost: .seconds(60))
                }
                try context.send("paid", context.process)
                return .done
            },
            world.step("ship"),
        ])
        let filter = try processor.filterCriteria
        try await processor.start("1", Order())
        // As an event source mapping does, but every record twice.
        var seen = 0
        var woken = 0
        func deliver() async throws {
            while true {
                let new = try await records(world.store).dropFirst(seen)
                if new.isEmpty { return }
                seen += new.count
                for record in new where filter.matches(record) {
                    woken += 1
                    for _ in 0..<2 { try await processor.handle(record) { sent.note($0.id) } }
                }
            }
        }
        try await deliver()
        #expect(woken == 1)
        try await processor.signal("paid", of: "1")
        try await deliver()
        #expect(woken == 3, "the signal, and the message")
        #expect(sent.all == ["orders/1/1"])
        #expect(try await processor.status(of: "1")?.phase == .done)
        #expect(world.ledger.all == ["orders/1/pay", "orders/1/pay", "orders/1/ship"])
    }

    @Test("The filter is for this processor's items only")
    func filter() throws {
        let world = try ProcessorWorld()
        let filter = try world.processor(world.steps("a")).filterCriteria
        #expect(
            filter.patterns.map(\.json) == [
                #"{"dynamodb":{"Keys":{"pk":{"S":[{"prefix":"P#orders#"}]}},"#
                    + #""NewImage":{"wake":{"S":["RUN","RELAY"]}}}}"#
            ])
    }
}
