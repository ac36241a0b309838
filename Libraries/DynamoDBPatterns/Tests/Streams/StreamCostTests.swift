import DynamoDBPatterns
import DynamoDBPatternsTesting
import Testing

/// What the article on streams says of costs.
@Suite struct StreamCostTests {
    @Test("A batch costs two requests and a write unit, an idle shard one request, and looking around little")
    func costs() async throws {
        let fixture = try StreamFixture()
        let store = fixture.store
        let consumer = try fixture.consumer("w", StreamLedger())
        try await consumer.step()
        #expect(
            store.usage.requests == [
                "PutItem": 2, "Query": 1, "DescribeStream": 1, "UpdateItem": 1, "GetShardIterator": 1, "GetRecords": 1,
            ], "the beginning, the worker, and the shard")
        #expect(store.usage.writeUnits == 3)

        store.resetUsage()
        try await consumer.step()
        #expect(store.usage.requests == ["GetRecords": 1] && store.usage.writeUnits == 0)

        try await fixture.write("a", 1...100)
        store.resetUsage()
        #expect(try await consumer.step() == 100)
        #expect(store.usage.requests == ["GetRecords": 1, "UpdateItem": 1])
        #expect(store.usage.writeUnits == 1 && store.usage.readUnits == 0)

        try await fixture.clock.sleep(.seconds(11))
        store.resetUsage()
        try await consumer.step()
        #expect(store.usage.requests == ["Query": 1, "DescribeStream": 1, "GetRecords": 1])
        #expect(store.usage.readUnits == 1 && store.usage.writeUnits == 0)

        try await fixture.clock.sleep(.seconds(10))
        store.resetUsage()
        try await consumer.step()
        #expect(
            store.usage.requests == ["PutItem": 1, "Query": 1, "DescribeStream": 1, "UpdateItem": 1, "GetRecords": 1],
            "and the worker's sign of life, and its lease")
        #expect(store.usage.writeUnits == 2)
    }

    @Test("A dead letter costs a write for each kilobyte, and one for the index")
    func deadLetter() async throws {
        let fixture = try StreamFixture()
        try await fixture.write("a", 1...1)
        let target = TableDeadLetters(in: fixture.table())
        let processor = try StreamProcessor<Note>("notes", deadLetters: target, logger: StreamFixture.silent) { _ in
            throw PatternError(.poison, "No.")
        }
        let records = try await fixture.records()
        fixture.store.resetUsage()
        #expect(await processor.process(records).deadLetters == 1)
        #expect(fixture.store.usage.requests == ["PutItem": 1] && fixture.store.usage.writeUnits == 2)
    }
}
