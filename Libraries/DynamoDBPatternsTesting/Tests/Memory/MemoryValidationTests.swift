import AWSClient
import DynamoDBPatternsTesting
import Testing

@Suite struct MemoryValidationTests {
    @Test(
        "conditions that DynamoDB does not understand are refused",
        arguments: [
            "", "n =", "n = :v AND", "(n = :v", "n == :v", "exists(n)", "n IN ()", "n BETWEEN :v", "n = :w", "#x = :v",
            "status = :v", "n ! :v", "attribute_exists(:v)", "begins_with(n, :v)", "attribute_type(n, :v)",
        ])
    func conditions(text: String) async throws {
        let fixture = try Fixture()
        #expect(
            await code {
                try await fixture.db.putItem(
                    .init(
                        tableName: "items", item: Fixture.key("a", 1), conditionExpression: text,
                        expressionAttributeValues: [":v": .integer(1)]))
            } == .validation)
    }

    @Test(
        "updates that DynamoDB does not understand are refused",
        arguments: [
            "", "SET n", "SET n = :v SET m = :v", "ADD n", "REMOVE", "n = :v", "SET n = :v,", "SET pk = :v",
            "SET n = :v, n = :v", "SET m = :v, m.x = :v", "SET m.x = :v REMOVE m", "DELETE n :v", "REMOVE sk",
        ])
    func updates(text: String) async throws {
        let fixture = try Fixture()
        #expect(
            await code {
                try await fixture.db.updateItem(
                    .init(
                        tableName: "items", key: Fixture.key("a", 1), updateExpression: text,
                        expressionAttributeValues: [":v": .integer(1)]))
            } == .validation)
    }

    @Test("placeholders that no expression uses are refused")
    func unused() async throws {
        let fixture = try Fixture()
        func put(_ names: [String: String]?, _ values: [String: AttributeValue]?) async -> AWSError.Code? {
            await code {
                try await fixture.db.putItem(
                    .init(
                        tableName: "items", item: Fixture.key("a", 1), conditionExpression: "attribute_not_exists(pk)",
                        expressionAttributeNames: names, expressionAttributeValues: values))
            }
        }
        #expect(await put(["#a": "b"], nil) == .validation)
        #expect(await put(nil, [":a": .null]) == .validation)
        #expect(await put([:], nil) == .validation)
        #expect(await put(nil, nil) == nil)
    }

    @Test(
        "items that cannot be stored are refused",
        arguments: [
            ["pk": .string("a")], ["pk": .string(""), "sk": .integer(1)], ["pk": .string("a"), "sk": .string("1")],
            ["pk": .string(String(repeating: "a", count: 2049)), "sk": .integer(1)],
            ["pk": .string("a"), "sk": .integer(1), "rank": .string("1")],
            ["pk": .string("a"), "sk": .integer(1), "group": .string("")],
            ["pk": .string("a"), "sk": .integer(1), "s": .stringSet([])],
            ["pk": .string("a"), "sk": .integer(1), "s": .numberSet(["1", "1.0"])],
            ["pk": .string("a"), "sk": .integer(1), "n": .number("1x")],
            ["pk": .string("a"), "sk": .integer(1), "n": .number("123456789012345678901234567890123456789")],
            ["pk": .string("a"), "sk": .integer(1), "n": .number("1e126")],
        ] as [[String: AttributeValue]])
    func items(item: [String: AttributeValue]) async throws {
        let fixture = try Fixture()
        #expect(await code { try await fixture.db.putItem(.init(tableName: "items", item: item)) } == .validation)
        #expect(fixture.db.items(in: "items").isEmpty)
    }

    @Test("an item has at most 400 KB, its names included")
    func size() async throws {
        let fixture = try Fixture()
        // "pk", "a", "sk", 1 as a number, "text": 2 + 1 + 2 + 2 + 4 bytes.
        let room = 400 * 1024 - 11
        try await fixture.put("a", 1, ["text": .string(String(repeating: "x", count: room))])
        #expect(
            await code {
                try await fixture.put("a", 1, ["text": .string(String(repeating: "x", count: room + 1))])
            } == .validation)
        #expect(
            await code {
                try await fixture.db.updateItem(
                    .init(
                        tableName: "items", key: Fixture.key("a", 1), updateExpression: "SET n = :v",
                        expressionAttributeValues: [":v": .integer(1)]))
            } == .validation)
    }

    @Test("keys are the key and nothing else; tables and indexes have to be there")
    func keys() async throws {
        let fixture = try Fixture()
        func get(_ table: String, _ key: [String: AttributeValue]) async -> AWSError.Code? {
            await code { try await fixture.db.getItem(.init(tableName: table, key: key)) }
        }
        #expect(await get("items", ["pk": .string("a")]) == .validation)
        #expect(await get("items", ["pk": .string("a"), "sk": .integer(1), "n": .null]) == .validation)
        #expect(await get("items", ["pk": .string("a"), "sk": .string("1")]) == .validation)
        #expect(await get("other", Fixture.key("a", 1)) == .resourceNotFound)
        #expect(await get("arn:aws:dynamodb:us-east-1:000000000000:table/items", Fixture.key("a", 1)) == nil)
        #expect(await code { try await fixture.db.scan(.init(tableName: "items", indexName: "none")) } == .validation)
        #expect(await code { try fixture.db.createTable(Fixture.request("items")) } == .resourceInUse)
    }

    @Test("batches have at most 25 and 100 items, and none twice")
    func batches() async throws {
        let fixture = try Fixture()
        func write(_ numbers: [Int]) async -> AWSError.Code? {
            await code {
                try await fixture.db.batchWriteItem(
                    .init(requestItems: ["items": numbers.map { .put(Fixture.key("a", $0)) }]))
            }
        }
        func get(_ numbers: [Int]) async -> AWSError.Code? {
            await code {
                try await fixture.db.batchGetItem(
                    .init(requestItems: ["items": .init(keys: numbers.map { Fixture.key("a", $0) })]))
            }
        }
        #expect(await write(Array(0..<26)) == .validation)
        #expect(await write([1, 1]) == .validation)
        #expect(await write([]) == .validation)
        #expect(fixture.db.items(in: "items").isEmpty)
        #expect(await write(Array(0..<25)) == nil)
        #expect(await get(Array(0..<101)) == .validation)
        #expect(await get([1, 1]) == .validation)
        #expect(await get(Array(0..<100)) == nil)
        #expect(fixture.db.items(in: "items").count == 25)
    }
}
