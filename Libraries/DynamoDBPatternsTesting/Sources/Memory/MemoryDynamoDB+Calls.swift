public import AWSClient
public import DynamoDBPatterns

extension MemoryDynamoDB: DynamoDBAPI {
    /// Reads one item.
    public func getItem(_ request: GetItemRequest) async throws -> GetItemResponse {
        try locked { try $0.getItem(request) }
    }

    /// Reads one page of a partition of a table or index.
    public func query(_ request: QueryRequest) async throws -> QueryResponse { try locked { try $0.query(request) } }

    /// Reads one page of a table or index, or of a segment of it.
    public func scan(_ request: ScanRequest) async throws -> ScanResponse { try locked { try $0.scan(request) } }

    /// Puts an item if its condition holds.
    public func putItem(_ request: PutItemRequest) async throws -> PutItemResponse {
        try locked { try $0.putItem(request) }
    }

    /// Changes an item if its condition holds.
    public func updateItem(_ request: UpdateItemRequest) async throws -> UpdateItemResponse {
        try locked { try $0.updateItem(request) }
    }

    /// Deletes an item if its condition holds.
    public func deleteItem(_ request: DeleteItemRequest) async throws -> DeleteItemResponse {
        try locked { try $0.deleteItem(request) }
    }

    /// Reads all items: none is left unprocessed.
    public func batchGetItem(_ request: BatchGetItemRequest) async throws -> BatchGetItemResponse {
        try locked { try $0.batchGetItem(request) }
    }

    /// Writes all items: none is left unprocessed.
    public func batchWriteItem(_ request: BatchWriteItemRequest) async throws -> BatchWriteItemResponse {
        try locked { try $0.batchWriteItem(request) }
    }

    /// Reads the items as of one moment.
    public func transactGetItems(
        _ request: TransactGetItemsRequest, retryingContention: Bool = false
    ) async throws -> TransactGetItemsResponse {
        try locked { try $0.transactGetItems(request) }
    }

    /// Carries out all actions or none; the same token and content once.
    public func transactWriteItems(
        _ request: TransactWriteItemsRequest, retryingContention: Bool = false
    ) async throws -> TransactWriteItemsResponse {
        try locked { try $0.transactWriteItems(request) }
    }
}
