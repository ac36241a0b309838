/// Stores an item in place of the one with the same key.
public struct PutItemRequest: Sendable, Encodable {
    /// The table's name or ARN.
    public var tableName: String
    public var item: [String: AttributeValue]
    public var conditionExpression: String?
    /// Stands for names in expressions: `#name` to the attribute's name.
    public var expressionAttributeNames: [String: String]?
    /// Stands for values in expressions: `:name` to the value.
    public var expressionAttributeValues: [String: AttributeValue]?
    /// `allOld` or nothing.
    public var returnValues: ReturnValues?
    /// Whether a failed condition brings the item along; see `AWSError.conditionCheckFailedItem`.
    public var returnValuesOnConditionCheckFailure: ReturnValuesOnConditionCheckFailure?
    public var returnConsumedCapacity: ReturnConsumedCapacity?

    public init(
        tableName: String, item: [String: AttributeValue], conditionExpression: String? = nil,
        expressionAttributeNames: [String: String]? = nil,
        expressionAttributeValues: [String: AttributeValue]? = nil, returnValues: ReturnValues? = nil,
        returnValuesOnConditionCheckFailure: ReturnValuesOnConditionCheckFailure? = nil,
        returnConsumedCapacity: ReturnConsumedCapacity? = nil
    ) {
        self.tableName = tableName
        self.item = item
        self.conditionExpression = conditionExpression
        self.expressionAttributeNames = expressionAttributeNames
        self.expressionAttributeValues = expressionAttributeValues
        self.returnValues = returnValues
        self.returnValuesOnConditionCheckFailure = returnValuesOnConditionCheckFailure
        self.returnConsumedCapacity = returnConsumedCapacity
    }
}

/// What a put replaced, where that was asked for.
public struct PutItemResponse: Sendable, Decodable {
    public var attributes: [String: AttributeValue]?
    public var consumedCapacity: ConsumedCapacity?

    public init() {}
}

/// Changes attributes of an item, and makes the item where there is none.
public struct UpdateItemRequest: Sendable, Encodable {
    /// The table's name or ARN.
    public var tableName: String
    public var key: [String: AttributeValue]
    public var updateExpression: String?
    public var conditionExpression: String?
    /// Stands for names in expressions: `#name` to the attribute's name.
    public var expressionAttributeNames: [String: String]?
    /// Stands for values in expressions: `:name` to the value.
    public var expressionAttributeValues: [String: AttributeValue]?
    public var returnValues: ReturnValues?
    /// Whether a failed condition brings the item along; see `AWSError.conditionCheckFailedItem`.
    public var returnValuesOnConditionCheckFailure: ReturnValuesOnConditionCheckFailure?
    public var returnConsumedCapacity: ReturnConsumedCapacity?

    public init(
        tableName: String, key: [String: AttributeValue], updateExpression: String? = nil,
        conditionExpression: String? = nil, expressionAttributeNames: [String: String]? = nil,
        expressionAttributeValues: [String: AttributeValue]? = nil, returnValues: ReturnValues? = nil,
        returnValuesOnConditionCheckFailure: ReturnValuesOnConditionCheckFailure? = nil,
        returnConsumedCapacity: ReturnConsumedCapacity? = nil
    ) {
        self.tableName = tableName
        self.key = key
        self.updateExpression = updateExpression
        self.conditionExpression = conditionExpression
        self.expressionAttributeNames = expressionAttributeNames
        self.expressionAttributeValues = expressionAttributeValues
        self.returnValues = returnValues
        self.returnValuesOnConditionCheckFailure = returnValuesOnConditionCheckFailure
        self.returnConsumedCapacity = returnConsumedCapacity
    }
}

/// The attributes that were asked for.
public struct UpdateItemResponse: Sendable, Decodable {
    public var attributes: [String: AttributeValue]?
    public var consumedCapacity: ConsumedCapacity?

    public init() {}
}

/// Deletes an item; one that does not exist is deleted already.
public struct DeleteItemRequest: Sendable, Encodable {
    /// The table's name or ARN.
    public var tableName: String
    public var key: [String: AttributeValue]
    public var conditionExpression: String?
    /// Stands for names in expressions: `#name` to the attribute's name.
    public var expressionAttributeNames: [String: String]?
    /// Stands for values in expressions: `:name` to the value.
    public var expressionAttributeValues: [String: AttributeValue]?
    /// `allOld` or nothing.
    public var returnValues: ReturnValues?
    /// Whether a failed condition brings the item along; see `AWSError.conditionCheckFailedItem`.
    public var returnValuesOnConditionCheckFailure: ReturnValuesOnConditionCheckFailure?
    public var returnConsumedCapacity: ReturnConsumedCapacity?

    public init(
        tableName: String, key: [String: AttributeValue], conditionExpression: String? = nil,
        expressionAttributeNames: [String: String]? = nil,
        expressionAttributeValues: [String: AttributeValue]? = nil, returnValues: ReturnValues? = nil,
        returnValuesOnConditionCheckFailure: ReturnValuesOnConditionCheckFailure? = nil,
        returnConsumedCapacity: ReturnConsumedCapacity? = nil
    ) {
        self.tableName = tableName
        self.key = key
        self.conditionExpression = conditionExpression
        self.expressionAttributeNames = expressionAttributeNames
        self.expressionAttributeValues = expressionAttributeValues
        self.returnValues = returnValues
        self.returnValuesOnConditionCheckFailure = returnValuesOnConditionCheckFailure
        self.returnConsumedCapacity = returnConsumedCapacity
    }
}

/// What was deleted, where that was asked for.
public struct DeleteItemResponse: Sendable, Decodable {
    public var attributes: [String: AttributeValue]?
    public var consumedCapacity: ConsumedCapacity?

    public init() {}
}
