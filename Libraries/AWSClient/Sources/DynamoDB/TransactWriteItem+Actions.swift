extension TransactWriteItem {
    /// Stores an item in place of the one with the same key.
    public struct Put: Sendable, Encodable {
        /// The table's name or ARN.
        public var tableName: String
        public var item: [String: AttributeValue]
        public var conditionExpression: String?
        /// Stands for names in expressions: `#name` to the attribute's name.
        public var expressionAttributeNames: [String: String]?
        /// Stands for values in expressions: `:name` to the value.
        public var expressionAttributeValues: [String: AttributeValue]?
        /// Whether a failed condition brings the item along; see `AWSError.conditionCheckFailedItem`.
        public var returnValuesOnConditionCheckFailure: ReturnValuesOnConditionCheckFailure?

        public init(
            tableName: String, item: [String: AttributeValue], conditionExpression: String? = nil,
            expressionAttributeNames: [String: String]? = nil,
            expressionAttributeValues: [String: AttributeValue]? = nil,
            returnValuesOnConditionCheckFailure: ReturnValuesOnConditionCheckFailure? = nil
        ) {
            self.tableName = tableName
            self.item = item
            self.conditionExpression = conditionExpression
            self.expressionAttributeNames = expressionAttributeNames
            self.expressionAttributeValues = expressionAttributeValues
            self.returnValuesOnConditionCheckFailure = returnValuesOnConditionCheckFailure
        }
    }
}

extension TransactWriteItem {
    /// Changes attributes of an item, and makes the item where there is none.
    public struct Update: Sendable, Encodable {
        /// The table's name or ARN.
        public var tableName: String
        public var key: [String: AttributeValue]
        public var updateExpression: String
        public var conditionExpression: String?
        /// Stands for names in expressions: `#name` to the attribute's name.
        public var expressionAttributeNames: [String: String]?
        /// Stands for values in expressions: `:name` to the value.
        public var expressionAttributeValues: [String: AttributeValue]?
        /// Whether a failed condition brings the item along; see `AWSError.conditionCheckFailedItem`.
        public var returnValuesOnConditionCheckFailure: ReturnValuesOnConditionCheckFailure?

        public init(
            tableName: String, key: [String: AttributeValue], updateExpression: String,
            conditionExpression: String? = nil, expressionAttributeNames: [String: String]? = nil,
            expressionAttributeValues: [String: AttributeValue]? = nil,
            returnValuesOnConditionCheckFailure: ReturnValuesOnConditionCheckFailure? = nil
        ) {
            self.tableName = tableName
            self.key = key
            self.updateExpression = updateExpression
            self.conditionExpression = conditionExpression
            self.expressionAttributeNames = expressionAttributeNames
            self.expressionAttributeValues = expressionAttributeValues
            self.returnValuesOnConditionCheckFailure = returnValuesOnConditionCheckFailure
        }
    }
}

extension TransactWriteItem {
    /// Deletes an item.
    public struct Delete: Sendable, Encodable {
        /// The table's name or ARN.
        public var tableName: String
        public var key: [String: AttributeValue]
        public var conditionExpression: String?
        /// Stands for names in expressions: `#name` to the attribute's name.
        public var expressionAttributeNames: [String: String]?
        /// Stands for values in expressions: `:name` to the value.
        public var expressionAttributeValues: [String: AttributeValue]?
        /// Whether a failed condition brings the item along; see `AWSError.conditionCheckFailedItem`.
        public var returnValuesOnConditionCheckFailure: ReturnValuesOnConditionCheckFailure?

        public init(
            tableName: String, key: [String: AttributeValue], conditionExpression: String? = nil,
            expressionAttributeNames: [String: String]? = nil,
            expressionAttributeValues: [String: AttributeValue]? = nil,
            returnValuesOnConditionCheckFailure: ReturnValuesOnConditionCheckFailure? = nil
        ) {
            self.tableName = tableName
            self.key = key
            self.conditionExpression = conditionExpression
            self.expressionAttributeNames = expressionAttributeNames
            self.expressionAttributeValues = expressionAttributeValues
            self.returnValuesOnConditionCheckFailure = returnValuesOnConditionCheckFailure
        }
    }
}

extension TransactWriteItem {
    /// Changes nothing; the transaction fails unless the condition holds.
    public struct ConditionCheck: Sendable, Encodable {
        /// The table's name or ARN.
        public var tableName: String
        public var key: [String: AttributeValue]
        public var conditionExpression: String
        /// Stands for names in expressions: `#name` to the attribute's name.
        public var expressionAttributeNames: [String: String]?
        /// Stands for values in expressions: `:name` to the value.
        public var expressionAttributeValues: [String: AttributeValue]?
        /// Whether a failed condition brings the item along; see `AWSError.conditionCheckFailedItem`.
        public var returnValuesOnConditionCheckFailure: ReturnValuesOnConditionCheckFailure?

        public init(
            tableName: String, key: [String: AttributeValue], conditionExpression: String,
            expressionAttributeNames: [String: String]? = nil,
            expressionAttributeValues: [String: AttributeValue]? = nil,
            returnValuesOnConditionCheckFailure: ReturnValuesOnConditionCheckFailure? = nil
        ) {
            self.tableName = tableName
            self.key = key
            self.conditionExpression = conditionExpression
            self.expressionAttributeNames = expressionAttributeNames
            self.expressionAttributeValues = expressionAttributeValues
            self.returnValuesOnConditionCheckFailure = returnValuesOnConditionCheckFailure
        }
    }
}

extension TransactGetItem {
    /// Which item, and which of its attributes.
    public struct Get: Sendable, Encodable {
        /// The table's name or ARN.
        public var tableName: String
        public var key: [String: AttributeValue]
        public var projectionExpression: String?
        public var expressionAttributeNames: [String: String]?

        public init(
            tableName: String, key: [String: AttributeValue], projectionExpression: String? = nil,
            expressionAttributeNames: [String: String]? = nil
        ) {
            self.tableName = tableName
            self.key = key
            self.projectionExpression = projectionExpression
            self.expressionAttributeNames = expressionAttributeNames
        }
    }
}
