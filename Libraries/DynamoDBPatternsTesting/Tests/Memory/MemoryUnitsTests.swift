import AWSClient
import DynamoDBPatternsTesting
import Testing

@Suite struct MemoryUnitsTests {
    /// What a call costs, in units.
    private func cost(
        _ fixture: Fixture, _ body: () async throws -> Void
    ) async throws -> (written: Double, read: Double) {
        fixture.db.resetUsage()
        try await body()
        return (fixture.db.usage.writeUnits, fixture.db.usage.readUnits)
    }

    private func text(_ size: Int) -> AttributeValue { .string(String(repeating: "x", count: size)) }

    @Test("a write costs a unit for each KB of the larger of before and after")
    func writes() async throws {
        let fixture = try Fixture()
        #expect(try await cost(fixture) { try await fixture.put("a", 1) } == (1, 0))
        // "pk", "a", "sk", 1, "t": 8 bytes.
        #expect(try await cost(fixture) { try await fixture.put("a", 1, ["t": text(1024 - 8)]) } == (1, 0))
        #expect(try await cost(fixture) { try await fixture.put("a", 1, ["t": text(1024 - 7)]) } == (2, 0))
        #expect(try await cost(fixture) { try await fixture.put("a", 1) } == (2, 0))
        #expect(
            try await cost(fixture) {
                _ = try await fixture.db.deleteItem(.init(tableName: "items", key: Fixture.key("z", 1)))
            } == (1, 0))
    }

    @Test("a failed condition costs what the item that is there would")
    func failures() async throws {
        let fixture = try Fixture()
        try await fixture.put("a", 1, ["t": text(2000)])
        for (key, units) in [("a", 2.0), ("z", 1.0)] {
            let cost = try await cost(fixture) {
                _ = await code {
                    try await fixture.db.putItem(
                        .init(
                            tableName: "items", item: Fixture.key(key, 1),
                            conditionExpression: "attribute_exists(absent)"
                        ))
                }
            }
            #expect(cost == (units, 0))
        }
    }

    @Test("a transaction costs twice as much, and when it was carried out before, two units of reading for an item")
    func transactions() async throws {
        let fixture = try Fixture()
        func write(_ token: String) async throws {
            _ = try await fixture.db.transactWriteItems(
                .init(
                    transactItems: [
                        .put(.init(tableName: "items", item: Fixture.key("a", 1))),
                        .conditionCheck(
                            .init(
                                tableName: "items", key: Fixture.key("a", 2),
                                conditionExpression: "attribute_not_exists(pk)")),
                    ], clientRequestToken: token))
        }
        #expect(try await cost(fixture) { try await write("1") } == (4, 0))
        #expect(try await cost(fixture) { try await write("1") } == (0, 4))
        try await fixture.put("a", 2)
        #expect(try await cost(fixture) { _ = await code { try await write("2") } } == (4, 0))
        #expect(
            try await cost(fixture) {
                _ = try await fixture.db.transactGetItems(
                    .init(transactItems: [.init(get: .init(tableName: "items", key: Fixture.key("a", 1)))]))
            } == (0, 2))
    }

    @Test("an index costs for what it adds, removes and changes, and nothing for what it does not hold")
    func indexes() async throws {
        let fixture = try Fixture()
        func put(_ attributes: [String: AttributeValue]) async throws -> Double {
            try await cost(fixture) { try await fixture.put("a", 1, attributes) }.written
        }
        let place: [String: AttributeValue] = ["group": .string("g"), "rank": .integer(1)]
        #expect(try await put(place) == 2)
        #expect(try await put(place.merging(["n": .null]) { first, _ in first }) == 1)
        #expect(try await put(["group": .string("g"), "rank": .integer(2)]) == 3)
        #expect(try await put([:]) == 2)
    }

    @Test("a read costs a unit for each 4 KB, half where it need not be consistent; finding nothing costs as well")
    func reads() async throws {
        let fixture = try Fixture()
        for number in 1...3 { try await fixture.put("a", number, ["t": text(3000)]) }
        func get(_ key: String, _ consistent: Bool) async throws -> Double {
            try await cost(fixture) {
                _ = try await fixture.db.getItem(
                    .init(tableName: "items", key: Fixture.key(key, 1), consistentRead: consistent))
            }.read
        }
        #expect(try await get("a", true) == 1)
        #expect(try await get("a", false) == 0.5)
        #expect(try await get("z", true) == 1)
        // 9,024 bytes in all, which are rounded once.
        let query = try await cost(fixture) {
            _ = try await fixture.db.query(
                .init(
                    tableName: "items", keyConditionExpression: "pk = :p",
                    expressionAttributeValues: [":p": .string("a")],
                    consistentRead: true))
        }
        #expect(query == (0, 3))
        let batch = try await cost(fixture) {
            _ = try await fixture.db.batchGetItem(
                .init(requestItems: ["items": .init(keys: (1...3).map { Fixture.key("a", $0) })]))
        }
        #expect(batch == (0, 1.5))
    }

    @Test("an answer says what it cost, where it was asked, and requests are counted")
    func answers() async throws {
        let fixture = try Fixture()
        let item = Fixture.key("a", 1).merging(["group": .string("g"), "rank": .integer(1)]) { first, _ in first }
        let answer = try await fixture.db.putItem(
            .init(tableName: "items", item: item, returnConsumedCapacity: .indexes))
        #expect(answer.consumedCapacity?.capacityUnits == 2)
        #expect(answer.consumedCapacity?.table?.capacityUnits == 1)
        #expect(answer.consumedCapacity?.globalSecondaryIndexes?["ranks"]?.capacityUnits == 1)
        #expect(try await fixture.db.putItem(.init(tableName: "items", item: item)).consumedCapacity == nil)
        #expect(fixture.db.usage.requests == ["PutItem": 2])
    }
}
