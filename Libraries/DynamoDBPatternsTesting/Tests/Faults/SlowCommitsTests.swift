import AWSClient
import DynamoDBPatterns
import DynamoDBPatternsTesting
import Testing

@Suite("The writes of a transaction are seen one after the other, where they are not read by a transaction")
struct SlowCommitsTests {
    private let simulation = Simulation(seed: 1)
    private let slow: SlowCommits

    init() throws {
        let store = MemoryDynamoDB(clock: simulation.clock.now)
        try store.createPatternTable("patterns")
        var clock = simulation.clock
        clock.random = { 100 }
        slow = SlowCommits(base: store, clock: clock, longest: .milliseconds(50))
    }

    private func item(_ sort: String, _ value: Int64) -> [String: AttributeValue] {
        ["pk": .string("p"), "sk": .string(sort), "value": .integer(value)]
    }

    private func put(_ items: [String: AttributeValue]...) async throws {
        let puts = items.map { TransactWriteItem.put(.init(tableName: "patterns", item: $0)) }
        _ = try await slow.transactWriteItems(.init(transactItems: puts), retryingContention: false)
    }

    private func query(_ select: Select? = nil) async throws -> QueryResponse {
        try await slow.query(
            QueryRequest(
                tableName: "patterns", keyConditionExpression: "pk = :p",
                expressionAttributeValues: [":p": .string("p")], consistentRead: true, select: select))
    }

    @Test("A new item is seen later by GetItem, Query, Scan and BatchGetItem; one that was there is never missed")
    func later() async throws {
        _ = try await slow.putItem(.init(tableName: "patterns", item: item("old", 1)))
        try await put(item("old", 2), item("new", 2))
        let key: [String: AttributeValue] = ["pk": .string("p"), "sk": .string("new")]
        for expected in [[item("old", 2)], [item("new", 2), item("old", 2)]] {
            #expect(try await query().items == expected)
            #expect(try await query(.count).count == expected.count)
            #expect(try await slow.scan(.init(tableName: "patterns")).items?.count == expected.count)
            let one = try await slow.getItem(.init(tableName: "patterns", key: key, consistentRead: true))
            #expect((one.item != nil) == (expected.count == 2))
            let batch = try await slow.batchGetItem(.init(requestItems: ["patterns": .init(keys: [key])]))
            #expect(batch.responses?["patterns"]?.count == expected.count - 1)
            let settled = try await slow.transactGetItems(
                .init(transactItems: [.init(get: .init(tableName: "patterns", key: key))]), retryingContention: false)
            #expect(settled.responses?.first?.item == item("new", 2))
            simulation.advance(by: .milliseconds(50))
        }
    }

    @Test("A transaction that is refused hides nothing")
    func refused() async throws {
        let refused = TransactWriteItem.put(
            .init(
                tableName: "patterns", item: item("new", 1), conditionExpression: "attribute_exists(pk)"))
        await #expect(throws: AWSError.self) {
            _ = try await slow.transactWriteItems(.init(transactItems: [refused]), retryingContention: false)
        }
        _ = try await slow.putItem(.init(tableName: "patterns", item: item("new", 1)))
        #expect(try await query().items?.count == 1)
    }
}
