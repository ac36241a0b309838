public import AWSClient
public import DynamoDBPatterns

/// A DynamoDB that does not look at the conditions of certain writes: a bug put in on purpose, for tests that show that
/// such a bug is found.
///
/// ```swift
/// let broken = WithoutConditions(base: store) { $0.condition.contains("version = ") }
/// ```
public struct WithoutConditions: DynamoDBDecorator {
    /// A write with a condition, alone or in a transaction.
    public struct Write: Sendable {
        /// `PutItem`, `UpdateItem` or `DeleteItem`; `nil` for a check of a transaction.
        public var operation: DynamoDBCall.Operation?
        /// The table's name or ARN.
        public var table: String
        /// The item's key; all of the item for a put.
        public var key: [String: AttributeValue]
        /// The condition, with the attributes' own names.
        public var condition: String
        /// The update expression, with the attributes' own names; empty for a put, a delete and a check.
        public var update: String
    }

    /// The DynamoDB that carries out the calls.
    public let base: any DynamoDBAPI
    private let isBroken: @Sendable (Write) -> Bool

    /// A DynamoDB with a bug.
    ///
    /// - Parameters:
    ///   - base: What carries out the calls.
    ///   - isBroken: Whether a write is carried out although its condition does not hold.
    public init(base: any DynamoDBAPI, where isBroken: @escaping @Sendable (Write) -> Bool = { _ in true }) {
        self.base = base
        self.isBroken = isBroken
    }

    /// Puts the item, without its condition if that is a broken one.
    public func putItem(_ request: PutItemRequest) async throws -> PutItemResponse {
        var request = request
        request.conditionExpression = changed(
            request.conditionExpression, .putItem, request.tableName, request.item, nil,
            request.expressionAttributeNames)
        return try await base.putItem(request)
    }

    /// Changes the item, without its condition if that is a broken one.
    public func updateItem(_ request: UpdateItemRequest) async throws -> UpdateItemResponse {
        var request = request
        request.conditionExpression = changed(
            request.conditionExpression, .updateItem, request.tableName, request.key, request.updateExpression,
            request.expressionAttributeNames)
        return try await base.updateItem(request)
    }

    /// Deletes the item, without its condition if that is a broken one.
    public func deleteItem(_ request: DeleteItemRequest) async throws -> DeleteItemResponse {
        var request = request
        request.conditionExpression = changed(
            request.conditionExpression, .deleteItem, request.tableName, request.key, nil,
            request.expressionAttributeNames)
        return try await base.deleteItem(request)
    }

    /// Carries out the transaction, without the conditions that are broken.
    public func transactWriteItems(
        _ request: TransactWriteItemsRequest, retryingContention: Bool
    ) async throws -> TransactWriteItemsResponse {
        var request = request
        request.transactItems = request.transactItems.map(changed)
        return try await base.transactWriteItems(request, retryingContention: retryingContention)
    }

    private func changed(_ item: TransactWriteItem) -> TransactWriteItem {
        switch item {
        case .put(var put):
            put.conditionExpression = changed(
                put.conditionExpression, .putItem, put.tableName, put.item, nil, put.expressionAttributeNames)
            return .put(put)
        case .update(var update):
            update.conditionExpression = changed(
                update.conditionExpression, .updateItem, update.tableName, update.key, update.updateExpression,
                update.expressionAttributeNames)
            return .update(update)
        case .delete(var delete):
            delete.conditionExpression = changed(
                delete.conditionExpression, .deleteItem, delete.tableName, delete.key, nil,
                delete.expressionAttributeNames)
            return .delete(delete)
        case .conditionCheck(var check):
            check.conditionExpression =
                changed(
                    check.conditionExpression, nil, check.tableName, check.key, nil, check.expressionAttributeNames)
                ?? check.conditionExpression
            return .conditionCheck(check)
        }
    }

    /// The condition, made true by an attribute that no item has, so that its placeholders are still used.
    private func changed(
        _ condition: String?, _ operation: DynamoDBCall.Operation?, _ table: String, _ key: [String: AttributeValue],
        _ update: String?, _ names: [String: String]?
    ) -> String? {
        guard let condition else { return nil }
        let write = Write(
            operation: operation, table: table, key: key, condition: Self.named(condition, names),
            update: Self.named(update ?? "", names))
        return isBroken(write) ? "(\(condition)) OR attribute_not_exists(attributeThatNoItemHas)" : condition
    }

    /// An expression with the attributes' own names in place of their placeholders.
    static func named(_ expression: String, _ names: [String: String]?) -> String {
        var text = ""
        var rest = expression[...]
        while let start = rest.firstIndex(of: "#") {
            text += rest[..<start]
            let placeholder = rest[start...].dropFirst().prefix { $0.isLetter || $0.isNumber || $0 == "_" }
            text += names?["#" + placeholder] ?? "#" + placeholder
            rest = rest[placeholder.endIndex...]
        }
        return text + rest
    }
}
