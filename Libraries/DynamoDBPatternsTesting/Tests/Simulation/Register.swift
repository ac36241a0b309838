import AWSClient
import DynamoDBPatterns
import DynamoDBPatternsTesting

/// One number in DynamoDB that processes read and write.
struct Register: Sendable {
    let store: MemoryDynamoDB
    var table = "test"

    init(_ clock: PatternClock = PatternClock()) throws {
        store = MemoryDynamoDB(clock: clock.now)
        try store.createPatternTable("test", stream: false)
    }

    /// The number as it is.
    var value: Int { store.items(in: "test").first?["n"]?.int ?? 0 }

    func read(_ api: any DynamoDBAPI) async throws -> Int {
        let request = GetItemRequest(tableName: table, key: Self.key, consistentRead: true)
        return try await api.getItem(request).item?["n"]?.int ?? 0
    }

    /// Writes the number; with `expected` only where it is that.
    func write(_ new: Int, ifIs expected: Int? = nil, _ api: any DynamoDBAPI) async throws {
        _ = try await api.putItem(request(new, ifIs: expected))
    }

    /// Adds 1 in a transaction.
    func addInTransaction(_ api: any DynamoDBAPI) async throws {
        let update = TransactWriteItem.Update(
            tableName: table, key: Self.key, updateExpression: "ADD n :one",
            expressionAttributeValues: [":one": .integer(1)])
        let request = TransactWriteItemsRequest(transactItems: [.update(update)])
        _ = try await api.transactWriteItems(request, retryingContention: true)
    }

    /// Adds 1, without a condition.
    func add(_ api: any DynamoDBAPI) async throws {
        _ = try await api.updateItem(
            UpdateItemRequest(
                tableName: table, key: Self.key, updateExpression: "ADD n :one",
                expressionAttributeValues: [":one": .integer(1)]))
    }

    private func request(_ new: Int, ifIs expected: Int?) -> PutItemRequest {
        var item = Self.key
        item["n"] = .integer(new)
        guard let expected else { return PutItemRequest(tableName: table, item: item) }
        let isFirst = expected == 0
        return PutItemRequest(
            tableName: table, item: item, conditionExpression: isFirst ? "attribute_not_exists(#n)" : "#n = :n",
            expressionAttributeNames: ["#n": "n"],
            expressionAttributeValues: isFirst ? nil : [":n": .integer(expected)],
            returnValuesOnConditionCheckFailure: .allOld)
    }

    static let key: [String: AttributeValue] = ["pk": .string("register"), "sk": .string("register")]
}
