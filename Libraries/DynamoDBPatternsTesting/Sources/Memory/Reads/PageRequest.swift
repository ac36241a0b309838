import AWSClient

/// What a query and a scan have in common.
struct PageRequest {
    var table: String
    var index: String?
    var filter: String?
    var projection: String?
    var keyCondition: String?
    var names: [String: String]?
    var values: [String: AttributeValue]?
    var isConsistent: Bool
    var limit: Int?
    var start: Item?
    var select: Select?
    var capacity: ReturnConsumedCapacity?

    init(_ request: QueryRequest) {
        (table, index) = (request.tableName, request.indexName)
        (filter, projection) = (request.filterExpression, request.projectionExpression)
        keyCondition = request.keyConditionExpression
        (names, values) = (request.expressionAttributeNames, request.expressionAttributeValues)
        isConsistent = request.consistentRead == true
        (limit, start, select) = (request.limit, request.exclusiveStartKey, request.select)
        capacity = request.returnConsumedCapacity
    }

    init(_ request: ScanRequest) {
        (table, index) = (request.tableName, request.indexName)
        (filter, projection) = (request.filterExpression, request.projectionExpression)
        (names, values) = (request.expressionAttributeNames, request.expressionAttributeValues)
        isConsistent = request.consistentRead == true
        (limit, start, select) = (request.limit, request.exclusiveStartKey, request.select)
        capacity = request.returnConsumedCapacity
    }
}

/// One page as it is put together.
struct Page {
    /// A page ends with the item with which it becomes larger.
    static let maximumSize = 1_048_576

    private let limit: Int?
    private let filter: (Item) -> Bool
    private(set) var items: [Item] = []
    private(set) var scanned = 0
    private(set) var size = 0
    /// The last item that was read, where there was no room for more.
    private(set) var last: Item?

    init(limit: Int?, filter: @escaping (Item) -> Bool) {
        self.limit = limit
        self.filter = filter
    }

    var isFull: Bool { last != nil }

    mutating func add(_ row: Row) {
        scanned += 1
        size += row.size
        if filter(row.item) { items.append(row.item) }
        if scanned == limit || size > Self.maximumSize { last = row.item }
    }
}

/// Where a page is read from, and what is done with it.
struct PageSource {
    let request: PageRequest
    let table: MemoryTable
    let index: MemoryIndex?
    let rows: RowStore
    let expressions: MemoryState.Expressions
    /// Where the page begins, before which nothing is read.
    let start: ItemPosition?

    var schema: KeySchema { index?.schema ?? table.schema }

    func page() -> Page {
        let expressions = expressions
        return Page(limit: request.limit) { item in
            guard let filter = expressions.condition else { return true }
            return expressions.context.holds(filter, for: item)
        }
    }

    /// The key from which the next page goes on.
    func key(of item: Item) -> Item { index?.key(of: item) ?? table.schema.key(of: item) }
}
