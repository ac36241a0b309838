import AWSClient

/// One put, update, delete or check of one item, alone or in a transaction.
struct ItemAction: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case put(Item)
        case update(String?)
        case delete
        case check
    }

    var kind: Kind
    var table: String
    /// The key; of a put, the whole item.
    var key: Item
    var condition: String?
    var names: [String: String]?
    var values: [String: AttributeValue]?
    /// Whether a failed condition brings the item along.
    var returnsItem: Bool
}

extension ItemAction {
    init(_ request: PutItemRequest) {
        self.init(
            kind: .put(request.item), table: request.tableName, key: request.item,
            condition: request.conditionExpression, names: request.expressionAttributeNames,
            values: request.expressionAttributeValues,
            returnsItem: request.returnValuesOnConditionCheckFailure == .allOld)
    }

    init(_ request: UpdateItemRequest) {
        self.init(
            kind: .update(request.updateExpression), table: request.tableName, key: request.key,
            condition: request.conditionExpression, names: request.expressionAttributeNames,
            values: request.expressionAttributeValues,
            returnsItem: request.returnValuesOnConditionCheckFailure == .allOld)
    }

    init(_ request: DeleteItemRequest) {
        self.init(
            kind: .delete, table: request.tableName, key: request.key, condition: request.conditionExpression,
            names: request.expressionAttributeNames, values: request.expressionAttributeValues,
            returnsItem: request.returnValuesOnConditionCheckFailure == .allOld)
    }

    init(_ write: WriteRequest, table: String) {
        switch write {
        case .put(let item): self.init(kind: .put(item), table: table, key: item, returnsItem: false)
        case .delete(let key): self.init(kind: .delete, table: table, key: key, returnsItem: false)
        }
    }

    init(_ action: TransactWriteItem) {
        switch action {
        case .put(let put):
            self.init(
                kind: .put(put.item), table: put.tableName, key: put.item, condition: put.conditionExpression,
                names: put.expressionAttributeNames, values: put.expressionAttributeValues,
                returnsItem: put.returnValuesOnConditionCheckFailure == .allOld)
        case .update(let update):
            self.init(
                kind: .update(update.updateExpression), table: update.tableName, key: update.key,
                condition: update.conditionExpression, names: update.expressionAttributeNames,
                values: update.expressionAttributeValues,
                returnsItem: update.returnValuesOnConditionCheckFailure == .allOld)
        case .delete(let delete):
            self.init(
                kind: .delete, table: delete.tableName, key: delete.key, condition: delete.conditionExpression,
                names: delete.expressionAttributeNames, values: delete.expressionAttributeValues,
                returnsItem: delete.returnValuesOnConditionCheckFailure == .allOld)
        case .conditionCheck(let check):
            self.init(
                kind: .check, table: check.tableName, key: check.key, condition: check.conditionExpression,
                names: check.expressionAttributeNames, values: check.expressionAttributeValues,
                returnsItem: check.returnValuesOnConditionCheckFailure == .allOld)
        }
    }
}
