/// Asks for one item by its key.
public struct GetItemRequest: Sendable, Encodable {
    /// The table's name or ARN.
    public var tableName: String
    public var key: [String: AttributeValue]
    /// Whether every write that was answered before is seen; twice the price.
    public var consistentRead: Bool?
    public var projectionExpression: String?
    public var expressionAttributeNames: [String: String]?
    public var returnConsumedCapacity: ReturnConsumedCapacity?

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

/// One item, where there is one.
public struct GetItemResponse: Sendable, Decodable {
    /// `nil` where no item has that key.
    public var item: [String: AttributeValue]?
    public var consumedCapacity: ConsumedCapacity?

    public init() {}
}

/// Asks for one page of the items of one partition, in the order of their sort keys.
public struct QueryRequest: Sendable, Encodable {
    /// The table's name or ARN.
    public var tableName: String
    public var indexName: String?
    public var keyConditionExpression: String?
    /// Applied after the page is read and paid for.
    public var filterExpression: String?
    public var projectionExpression: String?
    /// Stands for names in expressions: `#name` to the attribute's name.
    public var expressionAttributeNames: [String: String]?
    /// Stands for values in expressions: `:name` to the value.
    public var expressionAttributeValues: [String: AttributeValue]?
    public var consistentRead: Bool?
    /// `false` for descending order.
    public var scanIndexForward: Bool?
    /// How many items are read, before the filter; a page ends after 1 MB in any case.
    public var limit: Int?
    /// The `lastEvaluatedKey` of the page before.
    public var exclusiveStartKey: [String: AttributeValue]?
    public var select: Select?
    public var returnConsumedCapacity: ReturnConsumedCapacity?

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
    /// `nil` where only a count was asked for.
    public var items: [[String: AttributeValue]]?
    public var count: Int?
    /// How many items were read before the filter.
    public var scannedCount: Int?
    /// Where the next page starts; `nil` on the last one.
    public var lastEvaluatedKey: [String: AttributeValue]?
    public var consumedCapacity: ConsumedCapacity?

    public init() {}
}

/// Asks for one page of all items of a table or index.
public struct ScanRequest: Sendable, Encodable {
    /// The table's name or ARN.
    public var tableName: String
    public var indexName: String?
    public var filterExpression: String?
    public var projectionExpression: String?
    /// Stands for names in expressions: `#name` to the attribute's name.
    public var expressionAttributeNames: [String: String]?
    /// Stands for values in expressions: `:name` to the value.
    public var expressionAttributeValues: [String: AttributeValue]?
    public var consistentRead: Bool?
    public var limit: Int?
    /// Which of `totalSegments` parts to read, from 0.
    public var segment: Int?
    public var totalSegments: Int?
    public var exclusiveStartKey: [String: AttributeValue]?
    public var select: Select?
    public var returnConsumedCapacity: ReturnConsumedCapacity?

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
    public var items: [[String: AttributeValue]]?
    public var count: Int?
    public var scannedCount: Int?
    /// Where the next page starts; `nil` on the last one.
    public var lastEvaluatedKey: [String: AttributeValue]?
    public var consumedCapacity: ConsumedCapacity?

    public init() {}
}
