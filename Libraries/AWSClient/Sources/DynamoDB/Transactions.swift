/// Writes up to 100 items of any tables, all or none.
public struct TransactWriteItemsRequest: Sendable, Encodable {
    /// The actions, 1 to 100, with up to 4 MB of items together.
    public var transactItems: [TransactWriteItem]
    /// Within 10 minutes, a request with the same token and content is carried out once; made by the call if it is
    /// `nil`.
    public var clientRequestToken: String?
    /// Whether the answer contains what the request cost; nothing if `nil`.
    public var returnConsumedCapacity: ReturnConsumedCapacity?

    /// A transaction of the given actions.
    public init(
        transactItems: [TransactWriteItem], clientRequestToken: String? = nil,
        returnConsumedCapacity: ReturnConsumedCapacity? = nil
    ) {
        self.transactItems = transactItems
        self.clientRequestToken = clientRequestToken
        self.returnConsumedCapacity = returnConsumedCapacity
    }
}

/// The transaction was carried out.
public struct TransactWriteItemsResponse: Sendable, Decodable {
    /// What the transaction cost, for each table; `nil` unless the request asked for it.
    public var consumedCapacity: [ConsumedCapacity]?

    /// An answer without a cost, for implementations of `DynamoDBAPI` in tests.
    public init() {}
}

/// Reads up to 100 items of any tables as they were at one moment.
public struct TransactGetItemsRequest: Sendable, Encodable {
    /// The items to read, 1 to 100, up to 4 MB together.
    public var transactItems: [TransactGetItem]
    /// Whether the answer contains what the request cost; nothing if `nil`.
    public var returnConsumedCapacity: ReturnConsumedCapacity?

    /// A reading transaction; each item costs twice what a strongly consistent read does.
    public init(transactItems: [TransactGetItem], returnConsumedCapacity: ReturnConsumedCapacity? = nil) {
        self.transactItems = transactItems
        self.returnConsumedCapacity = returnConsumedCapacity
    }
}

/// One item of a reading transaction.
public struct TransactGetItem: Sendable, Encodable {
    /// The key of the item, and which of its attributes to return.
    public var get: Get

    /// One item to read.
    public init(get: Get) {
        self.get = get
    }
}

/// The items, in the order of the request.
public struct TransactGetItemsResponse: Sendable, Decodable {
    /// One element for each requested item, in the same order.
    public var responses: [ItemResponse]?
    /// What the transaction cost, for each table; `nil` unless the request asked for it.
    public var consumedCapacity: [ConsumedCapacity]?

    /// An empty answer, for implementations of `DynamoDBAPI` in tests.
    public init() {}
}

/// One item of a reading transaction's answer.
public struct ItemResponse: Sendable, Decodable {
    /// `nil` if no item has that key.
    public var item: [String: AttributeValue]?

    /// An element without an item, for implementations of `DynamoDBAPI` in tests.
    public init() {}
}
