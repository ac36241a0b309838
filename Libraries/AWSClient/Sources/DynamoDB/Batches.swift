/// Asks for up to 100 items of any tables by their keys.
public struct BatchGetItemRequest: Sendable, Encodable {
    /// The tables' names, and what is wanted of each.
    public var requestItems: [String: KeysAndAttributes]
    /// Whether the answer contains what the request cost; nothing if `nil`.
    public var returnConsumedCapacity: ReturnConsumedCapacity?

    /// A request for items of one or more tables.
    public init(requestItems: [String: KeysAndAttributes], returnConsumedCapacity: ReturnConsumedCapacity? = nil) {
        self.requestItems = requestItems
        self.returnConsumedCapacity = returnConsumedCapacity
    }
}

/// What a batch wants of one table.
public struct KeysAndAttributes: Sendable, Codable {
    /// The keys of the items, each with all its key attributes; a key may occur only once.
    public var keys: [[String: AttributeValue]]
    /// Whether the read sees every write that was answered before; costs twice as much.
    public var consistentRead: Bool?
    /// The attributes to return, separated by commas; all of them if `nil`.
    public var projectionExpression: String?
    /// Stands for names in expressions: `#name` to the attribute's name.
    public var expressionAttributeNames: [String: String]?

    /// The keys to read from one table, with eventual consistency unless `consistentRead` is set.
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
    /// The keys that were not read, to be asked for again after a pause; empty or `nil` when all were read.
    public var unprocessedKeys: [String: KeysAndAttributes]?
    /// What the batch cost, for each table; `nil` unless the request asked for it.
    public var consumedCapacity: [ConsumedCapacity]?

    /// An empty answer, for implementations of `DynamoDBAPI` in tests.
    public init() {}
}

/// Puts and deletes up to 25 items of any tables, each for itself.
public struct BatchWriteItemRequest: Sendable, Encodable {
    /// The tables' names, and what is written to each.
    public var requestItems: [String: [WriteRequest]]
    /// Whether the answer contains what the request cost; nothing if `nil`.
    public var returnConsumedCapacity: ReturnConsumedCapacity?

    /// A request for writes to one or more tables; two writes of one item are an error.
    public init(requestItems: [String: [WriteRequest]], returnConsumedCapacity: ReturnConsumedCapacity? = nil) {
        self.requestItems = requestItems
        self.returnConsumedCapacity = returnConsumedCapacity
    }
}

/// The writes to ask for again.
public struct BatchWriteItemResponse: Sendable, Decodable {
    /// The writes that were not carried out, to be sent again after a pause; empty or `nil` when all were.
    public var unprocessedItems: [String: [WriteRequest]]?
    /// What the batch cost, for each table; `nil` unless the request asked for it.
    public var consumedCapacity: [ConsumedCapacity]?

    /// An empty answer, for implementations of `DynamoDBAPI` in tests.
    public init() {}
}
