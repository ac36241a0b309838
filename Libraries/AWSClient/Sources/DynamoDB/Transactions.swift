/// Writes up to 100 items of any tables, all or none.
public struct TransactWriteItemsRequest: Sendable, Encodable {
    public var transactItems: [TransactWriteItem]
    /// Within 10 minutes, a request with the same token and content is carried out once; made by the call where it is
    /// `nil`.
    public var clientRequestToken: String?
    public var returnConsumedCapacity: ReturnConsumedCapacity?

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
    public var consumedCapacity: [ConsumedCapacity]?

    public init() {}
}

/// Reads up to 100 items of any tables as they were at one moment.
public struct TransactGetItemsRequest: Sendable, Encodable {
    public var transactItems: [TransactGetItem]
    public var returnConsumedCapacity: ReturnConsumedCapacity?

    public init(transactItems: [TransactGetItem], returnConsumedCapacity: ReturnConsumedCapacity? = nil) {
        self.transactItems = transactItems
        self.returnConsumedCapacity = returnConsumedCapacity
    }
}

/// One item of a reading transaction.
public struct TransactGetItem: Sendable, Encodable {
    public var get: Get

    public init(get: Get) {
        self.get = get
    }
}

/// The items, in the order of the request.
public struct TransactGetItemsResponse: Sendable, Decodable {
    public var responses: [ItemResponse]?
    public var consumedCapacity: [ConsumedCapacity]?

    public init() {}
}

/// One item of a reading transaction's answer.
public struct ItemResponse: Sendable, Decodable {
    /// `nil` where no item has that key.
    public var item: [String: AttributeValue]?

    public init() {}
}
