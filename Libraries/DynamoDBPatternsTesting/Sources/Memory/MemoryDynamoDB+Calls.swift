public import AWSClient
public import DynamoDBPatterns

extension MemoryDynamoDB: DynamoDBAPI {
    public func getItem(_ request: GetItemRequest) async throws -> GetItemResponse {
        try locked { try $0.getItem(request) }
    }

    public func query(_ request: QueryRequest) async throws -> QueryResponse { try locked { try $0.query(request) } }

    public func scan(_ request: ScanRequest) async throws -> ScanResponse { try locked { try $0.scan(request) } }

    public func putItem(_ request: PutItemRequest) async throws -> PutItemResponse {
        try locked { try $0.putItem(request) }
    }

    public func updateItem(_ request: UpdateItemRequest) async throws -> UpdateItemResponse {
        try locked { try $0.updateItem(request) }
    }

    public func deleteItem(_ request: DeleteItemRequest) async throws -> DeleteItemResponse {
        try locked { try $0.deleteItem(request) }
    }

    public func batchGetItem(_ request: BatchGetItemRequest) async throws -> BatchGetItemResponse {
        try locked { try $0.batchGetItem(request) }
    }

    public func batchWriteItem(_ request: BatchWriteItemRequest) async throws -> BatchWriteItemResponse {
        try locked { try $0.batchWriteItem(request) }
    }

    public func transactGetItems(
        _ request: TransactGetItemsRequest, retryingContention: Bool = false
    ) async throws -> TransactGetItemsResponse {
        try locked { try $0.transactGetItems(request) }
    }

    public func transactWriteItems(
        _ request: TransactWriteItemsRequest, retryingContention: Bool = false
    ) async throws -> TransactWriteItemsResponse {
        try locked { try $0.transactWriteItems(request) }
    }
}
