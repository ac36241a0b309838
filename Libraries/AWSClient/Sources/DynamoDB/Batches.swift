/// Asks for up to 100 items of any tables by their keys.
public struct BatchGetItemRequest: Sendable, Encodable {
    /// The tables' names, and what is wanted of each.
    public var requestItems: [String: KeysAndAttributes]
    public var returnConsumedCapacity: ReturnConsumedCapacity?

    public init(requestItems: [String: KeysAndAttributes], returnConsumedCapacity: ReturnConsumedCapacity? = nil) {
        self.requestItems = requestItems
        self.returnConsumedCapacity = returnConsumedCapacity
    }
}

/// What a batch wants of one table.
public struct KeysAndAttributes: Sendable, Codable {
    public var keys: [[String: AttributeValue]]
    public var consistentRead: Bool?
    public var projectionExpression: String?
    public var expressionAttributeNames: [String: String]?

    public init(
        keys: [[String: AttributeValue]], consistentRead: Bool? = nil, projectionExpression: String? = nil,
        expressionAttributeNames: [String: String]? = nil
    ) {
        self.keys = keys
        self.consistentRead = consistentRead
        self.projectionExpression = projectionExpression
        self.expressionAttributeNames = expressionAttributeNames
    }
}

/// The items that were found, and the keys to ask for again.
public struct BatchGetItemResponse: Sendable, Decodable {
    /// The items of each table, in no order.
    public var responses: [String: [[String: AttributeValue]]]?
    public var unprocessedKeys: [String: KeysAndAttributes]?
    public var consumedCapacity: [ConsumedCapacity]?

    public init() {}
}

/// Puts and deletes up to 25 items of any tables, each for itself.
public struct BatchWriteItemRequest: Sendable, Encodable {
    /// The tables' names, and what is written to each.
    public var requestItems: [String: [WriteRequest]]
    public var returnConsumedCapacity: ReturnConsumedCapacity?

    public init(requestItems: [String: [WriteRequest]], returnConsumedCapacity: ReturnConsumedCapacity? = nil) {
        self.requestItems = requestItems
        self.returnConsumedCapacity = returnConsumedCapacity
    }
}

/// The writes to ask for again.
public struct BatchWriteItemResponse: Sendable, Decodable {
    public var unprocessedItems: [String: [WriteRequest]]?
    public var consumedCapacity: [ConsumedCapacity]?

    public init() {}
}
