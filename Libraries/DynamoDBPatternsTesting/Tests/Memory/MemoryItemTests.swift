import AWSClient
import DynamoDBPatternsTesting
import Testing

@Suite struct MemoryItemTests {
    @Test("what was put is got, changed and deleted")
    func roundTrip() async throws {
        let fixture = try Fixture()
        try await fixture.put("a", 1, ["n": .number("1.50"), "s": .stringSet(["b", "a"])])
        #expect(try await fixture.get("a", 1)?["n"] == .number("1.5"))
        let answer = try await fixture.db.updateItem(
            .init(
                tableName: "items", key: Fixture.key("a", 1), updateExpression: "SET #n = n + :one, m = n ADD s :s",
                conditionExpression: "attribute_exists(pk) AND n > :one", expressionAttributeNames: ["#n": "n"],
                expressionAttributeValues: [":one": .integer(1), ":s": .stringSet(["c"])], returnValues: .allNew))
        #expect(
            answer.attributes == [
                "pk": .string("a"), "sk": .integer(1), "n": .number("2.5"), "m": .number("1.5"),
                "s": .stringSet(["a", "b", "c"]),
            ])
        _ = try await fixture.db.deleteItem(.init(tableName: "items", key: Fixture.key("a", 1)))
        #expect(try await fixture.get("a", 1) == nil)
    }

    @Test("a refused write brings the item along that stood in its way, and changes nothing")
    func refusal() async throws {
        let fixture = try Fixture()
        try await fixture.put("a", 1, ["v": .integer(7)])
        let error = await #expect(throws: AWSError.self) {
            try await fixture.db.putItem(
                .init(
                    tableName: "items", item: Fixture.key("a", 1),
                    conditionExpression: "attribute_not_exists(pk) OR v = :v",
                    expressionAttributeValues: [":v": .integer(6)], returnValuesOnConditionCheckFailure: .allOld))
        }
        #expect(error?.code == .conditionalCheckFailed)
        #expect(error?.conditionCheckFailedItem?["v"] == .integer(7))
        #expect(try await fixture.get("a", 1)?["v"] == .integer(7))
    }

    @Test("a transaction is carried out whole or not at all, and says for each action what was in the way")
    func transaction() async throws {
        let fixture = try Fixture()
        try await fixture.put("a", 1, ["v": .integer(7)])
        let error = await #expect(throws: AWSError.self) {
            try await fixture.db.transactWriteItems(
                .init(transactItems: [
                    .put(.init(tableName: "items", item: Fixture.key("b", 1))),
                    .delete(
                        .init(
                            tableName: "items", key: Fixture.key("a", 1), conditionExpression: "v = :v",
                            expressionAttributeValues: [":v": .integer(1)],
                            returnValuesOnConditionCheckFailure: .allOld)),
                ]))
        }
        #expect(error?.cancellationReasons.map(\.code) == ["None", "ConditionalCheckFailed"])
        #expect(error?.cancellationReasons.last?.item?["v"] == .integer(7))
        #expect(try await fixture.get("b", 1) == nil)
    }

    @Test("a query finds a partition's items in order, page by page")
    func query() async throws {
        let fixture = try Fixture()
        for number in [5, -3, 10, 2, 100] {
            try await fixture.put("a", number, ["group": .string("g"), "rank": .integer(-number)])
        }
        try await fixture.put("b", 1)
        var found: [Int] = []
        var start: [String: AttributeValue]?
        repeat {
            let page = try await fixture.db.query(
                .init(
                    tableName: "items", keyConditionExpression: "pk = :p AND sk >= :s",
                    expressionAttributeValues: [":p": .string("a"), ":s": .integer(2)], limit: 2,
                    exclusiveStartKey: start))
            found += (page.items ?? []).compactMap { $0["sk"]?.int }
            start = page.lastEvaluatedKey
        } while start != nil
        #expect(found == [2, 5, 10, 100])
        let index = try await fixture.db.query(
            .init(
                tableName: "items", indexName: "ranks", keyConditionExpression: "#g = :g",
                expressionAttributeNames: ["#g": "group"], expressionAttributeValues: [":g": .string("g")]))
        #expect(index.items?.compactMap { $0["sk"]?.int } == [100, 10, 5, 2, -3])
    }

    @Test("the stream has what was changed")
    func stream() async throws {
        let fixture = try Fixture()
        try await fixture.put("a", 1)
        try await fixture.put("a", 1)
        try await fixture.put("a", 1, ["v": .bool(true)])
        let arn = try #require(fixture.db.streamARN(of: "items"))
        let shards = try await fixture.db.describeStream(.init(streamArn: arn)).streamDescription?.shards ?? []
        let iterator = try await fixture.db.getShardIterator(
            .init(streamArn: arn, shardId: try #require(shards.first?.shardId), shardIteratorType: .trimHorizon))
        let records = try await fixture.db.getRecords(.init(shardIterator: try #require(iterator.shardIterator)))
            .records
        #expect(records?.map(\.eventName) == [.insert, .modify])
        #expect(records?.last?.change?.newImage?["v"] == .bool(true))
    }
}
