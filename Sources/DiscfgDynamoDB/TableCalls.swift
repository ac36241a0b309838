package import AWSClient

/// The calls of DynamoDB that the engine makes.
///
/// `DynamoDB` is the implementation that sends them to AWS. Tests have an implementation that runs in the process.
package protocol TableCalls: Sendable {
    func getItem(_ request: GetItemRequest) async throws -> GetItemResponse
    /// Reads any number of items, and requests those again that DynamoDB left out.
    func batchGetAll(_ request: BatchGetItemRequest) async throws -> BatchGetItemResponse
    func transactGetItems(
        _ request: TransactGetItemsRequest, retryingContention: Bool
    ) async throws -> TransactGetItemsResponse
    func query(_ request: QueryRequest) async throws -> QueryResponse
    func putItem(_ request: PutItemRequest) async throws -> PutItemResponse
    func updateItem(_ request: UpdateItemRequest) async throws -> UpdateItemResponse
    func deleteItem(_ request: DeleteItemRequest) async throws -> DeleteItemResponse
    func transactWriteItems(
        _ request: TransactWriteItemsRequest, retryingContention: Bool
    ) async throws -> TransactWriteItemsResponse

    func createTable(_ request: CreateTableRequest) async throws -> CreateTableResponse
    func describeTable(_ request: DescribeTableRequest) async throws -> DescribeTableResponse
    func updateTable(_ request: UpdateTableRequest) async throws -> UpdateTableResponse
    func deleteTable(_ request: DeleteTableRequest) async throws -> DeleteTableResponse
    func updateTimeToLive(_ request: UpdateTimeToLiveRequest) async throws -> UpdateTimeToLiveResponse
}

extension DynamoDB: TableCalls {}
