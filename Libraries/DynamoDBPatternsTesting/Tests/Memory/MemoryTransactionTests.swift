import AWSClient
import DynamoDBPatternsTesting
import Testing

@Suite struct MemoryTransactionTests {
    private func put(_ sk: Int, _ attributes: [String: AttributeValue] = [:]) -> TransactWriteItem {
        .put(.init(tableName: "items", item: Fixture.key("a", sk).merging(attributes) { first, _ in first }))
    }

    @Test("all actions are carried out, or none, with a reason for each")
    func allOrNone() async throws {
        let fixture = try Fixture()
        try await fixture.put("a", 9, ["v": .integer(1)])
        func transaction(expecting v: Int) async throws {
            _ = try await fixture.db.transactWriteItems(
                .init(transactItems: [
                    put(1),
                    .conditionCheck(
                        .init(
                            tableName: "items", key: Fixture.key("a", 9), conditionExpression: "v = :v",
                            expressionAttributeValues: [":v": .integer(v)],
                            returnValuesOnConditionCheckFailure: .allOld)),
                    .update(
                        .init(
                            tableName: "items", key: Fixture.key("a", 2), updateExpression: "SET n = absent",
                            conditionExpression: "attribute_exists(pk)")),
                ]))
        }
        let error = await #expect(throws: AWSError.self) { try await transaction(expecting: 2) }
        #expect(error?.code == .transactionCanceled)
        #expect(error?.cancellationReasons.map(\.code) == ["None", "ConditionalCheckFailed", "ConditionalCheckFailed"])
        #expect(error?.cancellationReasons.map { $0.item?["v"] } == [nil, .integer(1), nil])
        #expect(error?.isContention == false)
        #expect(fixture.db.items(in: "items").count == 1)
    }

    @Test("a token makes a transaction happen once in ten minutes")
    func token() async throws {
        let fixture = try Fixture()
        func increment(by amount: Int, token: String?) async throws {
            _ = try await fixture.db.transactWriteItems(
                .init(
                    transactItems: [
                        .update(
                            .init(
                                tableName: "items", key: Fixture.key("a", 1), updateExpression: "ADD n :n",
                                expressionAttributeValues: [":n": .integer(amount)]))
                    ], clientRequestToken: token))
        }
        try await increment(by: 1, token: "token")
        try await increment(by: 1, token: "token")
        #expect(try await fixture.get("a", 1)?["n"] == .integer(1))
        #expect(
            await code { try await increment(by: 2, token: "token") } == "IdempotentParameterMismatchException")
        fixture.clock.advance(by: 601)
        try await increment(by: 1, token: "token")
        #expect(try await fixture.get("a", 1)?["n"] == .integer(2))
        try await increment(by: 1, token: nil)
        try await increment(by: 1, token: nil)
        #expect(try await fixture.get("a", 1)?["n"] == .integer(4))
    }

    @Test("a token of a transaction that was cancelled is free")
    func cancelledToken() async throws {
        let fixture = try Fixture()
        let request = TransactWriteItemsRequest(
            transactItems: [
                .update(
                    .init(
                        tableName: "items", key: Fixture.key("a", 1), updateExpression: "ADD n :n",
                        conditionExpression: "attribute_exists(pk)", expressionAttributeValues: [":n": .integer(1)]))
            ], clientRequestToken: "token")
        #expect(await code { try await fixture.db.transactWriteItems(request) } == .transactionCanceled)
        try await fixture.put("a", 1)
        _ = try await fixture.db.transactWriteItems(request)
        #expect(try await fixture.get("a", 1)?["n"] == .integer(1))
    }

    @Test("an item is in a transaction once, and 100 are the most")
    func bounds() async throws {
        let fixture = try Fixture()
        func write(_ items: [TransactWriteItem]) async -> AWSError.Code? {
            await code { try await fixture.db.transactWriteItems(.init(transactItems: items)) }
        }
        #expect(await write([put(1), put(1, ["n": .null])]) == .validation)
        #expect(await write([]) == .validation)
        #expect(await write((0..<101).map { put($0) }) == .validation)
        #expect(fixture.db.items(in: "items").isEmpty)
        #expect(await write((0..<100).map { put($0) }) == nil)
        #expect(fixture.db.items(in: "items").count == 100)
    }

    @Test("a transaction has at most 4 MB")
    func size() async throws {
        let fixture = try Fixture()
        let text = AttributeValue.string(String(repeating: "x", count: 399 * 1024))
        #expect(
            await code {
                try await fixture.db.transactWriteItems(
                    .init(transactItems: (0..<11).map { put($0, ["text": text]) }))
            } == .validation)
        #expect(
            await code {
                try await fixture.db.transactWriteItems(
                    .init(transactItems: (0..<10).map { put($0, ["text": text]) }))
            } == nil)
    }

    @Test("what an item does not take cancels the transaction, as ValidationError")
    func unfit() async throws {
        let fixture = try Fixture()
        try await fixture.put("a", 1, ["n": .string("text")])
        let error = await #expect(throws: AWSError.self) {
            try await fixture.db.transactWriteItems(
                .init(transactItems: [
                    put(2),
                    .update(
                        .init(
                            tableName: "items", key: Fixture.key("a", 1), updateExpression: "ADD n :one",
                            expressionAttributeValues: [":one": .integer(1)])),
                ]))
        }
        #expect(error?.cancellationReasons.map(\.code) == ["None", "ValidationError"])
        #expect(try await fixture.get("a", 2) == nil)
    }

    @Test("a reading transaction answers in the order of the request")
    func reading() async throws {
        let fixture = try Fixture()
        for number in 1...3 { try await fixture.put("a", number, ["n": .integer(number), "m": .null]) }
        let answer = try await fixture.db.transactGetItems(
            .init(
                transactItems: [3, 7, 1].map { number in
                    .init(get: .init(tableName: "items", key: Fixture.key("a", number), projectionExpression: "n"))
                }))
        #expect(answer.responses?.map(\.item) == [["n": .integer(3)], nil, ["n": .integer(1)]])
    }
}
