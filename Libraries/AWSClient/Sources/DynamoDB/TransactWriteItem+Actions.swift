extension TransactWriteItem {
    /// Stores an item in place of the one with the same key.
    public struct Put: Sendable, Encodable {
        /// The table's name or ARN.
        public var tableName: String
        /// All attributes of the new item, its key among them; 400 KB at most.
        public var item: [String: AttributeValue]
        /// The transaction is cancelled unless this holds for the item as it is; none if `nil`.
        public var conditionExpression: String?
        /// Stands for names in expressions: `#name` to the attribute's name.
        public var expressionAttributeNames: [String: String]?
        /// Stands for values in expressions: `:name` to the value.
        public var expressionAttributeValues: [String: AttributeValue]?
        /// Whether a failed condition brings the item along; see `AWSError.conditionCheckFailedItem`.
        public var returnValuesOnConditionCheckFailure: ReturnValuesOnConditionCheckFailure?

        /// A put, which replaces the item with the same key or creates it.
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
    /// Changes attributes of an item, or creates the item if there is none.
    public struct Update: Sendable, Encodable {
        /// The table's name or ARN.
        public var tableName: String
        /// The key attributes of the item: the partition key, and the sort key if the table has one.
        public var key: [String: AttributeValue]
        /// The clauses `SET`, `REMOVE`, `ADD` and `DELETE`.
        public var updateExpression: String
        /// The transaction is cancelled unless this holds for the item as it is; none if `nil`.
        public var conditionExpression: String?
        /// Stands for names in expressions: `#name` to the attribute's name.
        public var expressionAttributeNames: [String: String]?
        /// Stands for values in expressions: `:name` to the value.
        public var expressionAttributeValues: [String: AttributeValue]?
        /// Whether a failed condition brings the item along; see `AWSError.conditionCheckFailedItem`.
        public var returnValuesOnConditionCheckFailure: ReturnValuesOnConditionCheckFailure?

        /// An update, which changes the attributes named by an expression and no others.
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
        /// The key attributes of the item: the partition key, and the sort key if the table has one.
        public var key: [String: AttributeValue]
        /// The transaction is cancelled unless this holds for the item as it is; none if `nil`.
        public var conditionExpression: String?
        /// Stands for names in expressions: `#name` to the attribute's name.
        public var expressionAttributeNames: [String: String]?
        /// Stands for values in expressions: `:name` to the value.
        public var expressionAttributeValues: [String: AttributeValue]?
        /// Whether a failed condition brings the item along; see `AWSError.conditionCheckFailedItem`.
        public var returnValuesOnConditionCheckFailure: ReturnValuesOnConditionCheckFailure?

        /// A deletion by key; an item that does not exist is deleted already.
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
        /// The key attributes of the item: the partition key, and the sort key if the table has one.
        public var key: [String: AttributeValue]
        /// The transaction is cancelled unless this holds for the item as it is.
        public var conditionExpression: String
        /// Stands for names in expressions: `#name` to the attribute's name.
        public var expressionAttributeNames: [String: String]?
        /// Stands for values in expressions: `:name` to the value.
        public var expressionAttributeValues: [String: AttributeValue]?
        /// Whether a failed condition brings the item along; see `AWSError.conditionCheckFailedItem`.
        public var returnValuesOnConditionCheckFailure: ReturnValuesOnConditionCheckFailure?

        /// A condition on an item that the transaction does not write.
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
        /// The key attributes of the item: the partition key, and the sort key if the table has one.
        public var key: [String: AttributeValue]
        /// The attributes to return, separated by commas; all of them if `nil`.
        public var projectionExpression: String?
        /// Stands for names in expressions: `#name` to the attribute's name.
        public var expressionAttributeNames: [String: String]?

        /// One item to read; all its attributes unless there is a projection.
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
