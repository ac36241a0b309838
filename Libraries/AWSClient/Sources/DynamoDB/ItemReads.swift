/// Asks for one item by its key.
public struct GetItemRequest: Sendable, Encodable {
    /// The table's name or ARN.
    public var tableName: String
    /// The key attributes of the item: the partition key, and the sort key if the table has one.
    public var key: [String: AttributeValue]
    /// Whether every write that was answered before is seen; twice the price.
    public var consistentRead: Bool?
    /// The attributes to return, separated by commas; all of them if `nil`.
    public var projectionExpression: String?
    /// Stands for names in expressions: `#name` to the attribute's name.
    public var expressionAttributeNames: [String: String]?
    /// Whether the answer contains what the request cost; nothing if `nil`.
    public var returnConsumedCapacity: ReturnConsumedCapacity?

    /// A request for one item, with eventual consistency unless `consistentRead` is set.
    public init(
        tableName: String, key: [String: AttributeValue], consistentRead: Bool? = nil,
        projectionExpression: String? = nil, expressionAttributeNames: [String: String]? = nil,
        returnConsumedCapacity: ReturnConsumedCapacity? = nil
    ) {
        self.tableName = tableName
        self.key = key
        self.consistentRead = consistentRead
        self.projectionExpression = projectionExpression
        self.expressionAttributeNames = expressionAttributeNames
        self.returnConsumedCapacity = returnConsumedCapacity
    }
}

/// One item, if there is one.
public struct GetItemResponse: Sendable, Decodable {
    /// `nil` if no item has that key.
    public var item: [String: AttributeValue]?
    /// What the read cost; `nil` unless the request asked for it.
    public var consumedCapacity: ConsumedCapacity?

    /// An answer without an item, for implementations of `DynamoDBAPI` in tests.
    public init() {}
}

/// Asks for one page of the items of one partition, in the order of their sort keys.
public struct QueryRequest: Sendable, Encodable {
    /// The table's name or ARN.
    public var tableName: String
    /// The secondary index to read; the table itself if `nil`.
    public var indexName: String?
    /// The partition key's value, and at most one condition on the sort key, such as `pk = :p AND begins_with(sk, :s)`.
    public var keyConditionExpression: String?
    /// Applied after the page is read and paid for.
    public var filterExpression: String?
    /// The attributes to return, separated by commas; all of them if `nil`.
    public var projectionExpression: String?
    /// Stands for names in expressions: `#name` to the attribute's name.
    public var expressionAttributeNames: [String: String]?
    /// Stands for values in expressions: `:name` to the value.
    public var expressionAttributeValues: [String: AttributeValue]?
    /// Whether the read sees every write that was answered before; costs twice as much, and is an error for an index.
    public var consistentRead: Bool?
    /// `false` for descending order.
    public var scanIndexForward: Bool?
    /// How many items are read, before the filter; a page ends after 1 MB in any case.
    public var limit: Int?
    /// The `lastEvaluatedKey` of the page before.
    public var exclusiveStartKey: [String: AttributeValue]?
    /// Whether to return attributes or a count; `nil` returns all attributes that the table or index holds.
    public var select: Select?
    /// Whether the answer contains what the request cost; nothing if `nil`.
    public var returnConsumedCapacity: ReturnConsumedCapacity?

    /// A request for one page of a query, in ascending order of the sort key.
    public init(
        tableName: String, indexName: String? = nil, keyConditionExpression: String? = nil,
        filterExpression: String? = nil, projectionExpression: String? = nil,
        expressionAttributeNames: [String: String]? = nil,
        expressionAttributeValues: [String: AttributeValue]? = nil, consistentRead: Bool? = nil,
        scanIndexForward: Bool? = nil, limit: Int? = nil, exclusiveStartKey: [String: AttributeValue]? = nil,
        select: Select? = nil, returnConsumedCapacity: ReturnConsumedCapacity? = nil
    ) {
        self.tableName = tableName
        self.indexName = indexName
        self.keyConditionExpression = keyConditionExpression
        self.filterExpression = filterExpression
        self.projectionExpression = projectionExpression
        self.expressionAttributeNames = expressionAttributeNames
        self.expressionAttributeValues = expressionAttributeValues
        self.consistentRead = consistentRead
        self.scanIndexForward = scanIndexForward
        self.limit = limit
        self.exclusiveStartKey = exclusiveStartKey
        self.select = select
        self.returnConsumedCapacity = returnConsumedCapacity
    }
}

/// One page of items.
public struct QueryResponse: Sendable, Decodable {
    /// `nil` if only a count was asked for.
    public var items: [[String: AttributeValue]]?
    /// How many items of the page passed the filter.
    public var count: Int?
    /// How many items were read before the filter.
    public var scannedCount: Int?
    /// Where the next page starts; `nil` on the last one.
    public var lastEvaluatedKey: [String: AttributeValue]?
    /// What the page cost; `nil` unless the request asked for it.
    public var consumedCapacity: ConsumedCapacity?

    /// An empty page, for implementations of `DynamoDBAPI` in tests.
    public init() {}
}

/// Asks for one page of all items of a table or index.
public struct ScanRequest: Sendable, Encodable {
    /// The table's name or ARN.
    public var tableName: String
    /// The secondary index to read; the table itself if `nil`.
    public var indexName: String?
    /// Applied after the page is read and paid for.
    public var filterExpression: String?
    /// The attributes to return, separated by commas; all of them if `nil`.
    public var projectionExpression: String?
    /// Stands for names in expressions: `#name` to the attribute's name.
    public var expressionAttributeNames: [String: String]?
    /// Stands for values in expressions: `:name` to the value.
    public var expressionAttributeValues: [String: AttributeValue]?
    /// Whether the read sees every write that was answered before; costs twice as much, and is an error for an index.
    public var consistentRead: Bool?
    /// How many items are read, before the filter; a page ends after 1 MB in any case.
    public var limit: Int?
    /// Which of `totalSegments` parts to read, from 0.
    public var segment: Int?
    /// Into how many parts the table is divided for a parallel scan, from 1 to 1,000,000; needs `segment`.
    public var totalSegments: Int?
    /// The `lastEvaluatedKey` of the page before.
    public var exclusiveStartKey: [String: AttributeValue]?
    /// Whether to return attributes or a count; `nil` returns all attributes that the table or index holds.
    public var select: Select?
    /// Whether the answer contains what the request cost; nothing if `nil`.
    public var returnConsumedCapacity: ReturnConsumedCapacity?

    /// A request for one page of a scan of the whole table, or of one segment of it.
    public init(
        tableName: String, indexName: String? = nil, filterExpression: String? = nil,
        projectionExpression: String? = nil, expressionAttributeNames: [String: String]? = nil,
        expressionAttributeValues: [String: AttributeValue]? = nil, consistentRead: Bool? = nil, limit: Int? = nil,
        segment: Int? = nil, totalSegments: Int? = nil, exclusiveStartKey: [String: AttributeValue]? = nil,
        select: Select? = nil, returnConsumedCapacity: ReturnConsumedCapacity? = nil
    ) {
        self.tableName = tableName
        self.indexName = indexName
        self.filterExpression = filterExpression
        self.projectionExpression = projectionExpression
        self.expressionAttributeNames = expressionAttributeNames
        self.expressionAttributeValues = expressionAttributeValues
        self.consistentRead = consistentRead
        self.limit = limit
        self.segment = segment
        self.totalSegments = totalSegments
        self.exclusiveStartKey = exclusiveStartKey
        self.select = select
        self.returnConsumedCapacity = returnConsumedCapacity
    }
}

/// One page of items.
public struct ScanResponse: Sendable, Decodable {
    /// The items of the page, in no order; `nil` if only a count was asked for.
    public var items: [[String: AttributeValue]]?
    /// How many items of the page passed the filter.
    public var count: Int?
    /// How many items were read before the filter.
    public var scannedCount: Int?
    /// Where the next page starts; `nil` on the last one.
    public var lastEvaluatedKey: [String: AttributeValue]?
    /// What the page cost; `nil` unless the request asked for it.
    public var consumedCapacity: ConsumedCapacity?

    /// An empty page, for implementations of `DynamoDBAPI` in tests.
    public init() {}
}
