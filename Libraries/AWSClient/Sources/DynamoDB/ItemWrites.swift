/// Stores an item in place of the one with the same key.
public struct PutItemRequest: Sendable, Encodable {
    /// The table's name or ARN.
    public var tableName: String
    /// All attributes of the new item, its key among them; 400 KB at most.
    public var item: [String: AttributeValue]
    /// The write fails with `conditionalCheckFailed` unless this holds for the item as it is; none if `nil`.
    public var conditionExpression: String?
    /// Stands for names in expressions: `#name` to the attribute's name.
    public var expressionAttributeNames: [String: String]?
    /// Stands for values in expressions: `:name` to the value.
    public var expressionAttributeValues: [String: AttributeValue]?
    /// `allOld` or nothing.
    public var returnValues: ReturnValues?
    /// Whether a failed condition brings the item along; see `AWSError.conditionCheckFailedItem`.
    public var returnValuesOnConditionCheckFailure: ReturnValuesOnConditionCheckFailure?
    /// Whether the answer contains what the request cost; nothing if `nil`.
    public var returnConsumedCapacity: ReturnConsumedCapacity?

    /// A request that replaces the item with the same key, or creates it.
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

/// What a put replaced, if that was asked for.
public struct PutItemResponse: Sendable, Decodable {
    /// The item as it was, for `allOld`; `nil` if there was none.
    public var attributes: [String: AttributeValue]?
    /// What the write cost; `nil` unless the request asked for it.
    public var consumedCapacity: ConsumedCapacity?

    /// An answer without attributes, for implementations of `DynamoDBAPI` in tests.
    public init() {}
}

/// Changes attributes of an item, or creates the item if there is none.
public struct UpdateItemRequest: Sendable, Encodable {
    /// The table's name or ARN.
    public var tableName: String
    /// The key attributes of the item: the partition key, and the sort key if the table has one.
    public var key: [String: AttributeValue]
    /// The clauses `SET`, `REMOVE`, `ADD` and `DELETE`; if `nil`, an item that does not exist is created with its key
    /// alone.
    public var updateExpression: String?
    /// The write fails with `conditionalCheckFailed` unless this holds for the item as it is; none if `nil`.
    public var conditionExpression: String?
    /// Stands for names in expressions: `#name` to the attribute's name.
    public var expressionAttributeNames: [String: String]?
    /// Stands for values in expressions: `:name` to the value.
    public var expressionAttributeValues: [String: AttributeValue]?
    /// Which attributes the answer contains; none if `nil`.
    public var returnValues: ReturnValues?
    /// Whether a failed condition brings the item along; see `AWSError.conditionCheckFailedItem`.
    public var returnValuesOnConditionCheckFailure: ReturnValuesOnConditionCheckFailure?
    /// Whether the answer contains what the request cost; nothing if `nil`.
    public var returnConsumedCapacity: ReturnConsumedCapacity?

    /// A request that changes the attributes named by an expression, and no others.
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
    /// The attributes that `returnValues` selects; `nil` if there are none.
    public var attributes: [String: AttributeValue]?
    /// What the write cost; `nil` unless the request asked for it.
    public var consumedCapacity: ConsumedCapacity?

    /// An answer without attributes, for implementations of `DynamoDBAPI` in tests.
    public init() {}
}

/// Deletes an item; one that does not exist is deleted already.
public struct DeleteItemRequest: Sendable, Encodable {
    /// The table's name or ARN.
    public var tableName: String
    /// The key attributes of the item: the partition key, and the sort key if the table has one.
    public var key: [String: AttributeValue]
    /// The write fails with `conditionalCheckFailed` unless this holds for the item as it is; none if `nil`.
    public var conditionExpression: String?
    /// Stands for names in expressions: `#name` to the attribute's name.
    public var expressionAttributeNames: [String: String]?
    /// Stands for values in expressions: `:name` to the value.
    public var expressionAttributeValues: [String: AttributeValue]?
    /// `allOld` or nothing.
    public var returnValues: ReturnValues?
    /// Whether a failed condition brings the item along; see `AWSError.conditionCheckFailedItem`.
    public var returnValuesOnConditionCheckFailure: ReturnValuesOnConditionCheckFailure?
    /// Whether the answer contains what the request cost; nothing if `nil`.
    public var returnConsumedCapacity: ReturnConsumedCapacity?

    /// A request that deletes an item by its key.
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

/// What was deleted, if that was asked for.
public struct DeleteItemResponse: Sendable, Decodable {
    /// The item as it was, for `allOld`; `nil` if there was none.
    public var attributes: [String: AttributeValue]?
    /// What the write cost; `nil` unless the request asked for it.
    public var consumedCapacity: ConsumedCapacity?

    /// An answer without attributes, for implementations of `DynamoDBAPI` in tests.
    public init() {}
}
