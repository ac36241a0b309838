public import AWSClient

/// The calls of DynamoDB that the patterns make.
///
/// `DynamoDB` is the one that AWS answers; `DynamoDBPatternsTesting` has one in memory, and one that injects faults.
///
/// What an implementation has to keep:
/// - Calls throw `AWSError`, whose `mayHaveTakenEffect` says whether a write that failed may have been carried out all
///   the same, or `CancellationError`, after which that is unknown.
/// - A write that is tried again after its answer was lost may fail its own condition: then the error has the code
///   `conditionalCheckFailed` and `mayHaveTakenEffect`. A transaction is carried out once for each request token.
public protocol DynamoDBAPI: Sendable {
    /// Reads one item by its key.
    func getItem(_ request: GetItemRequest) async throws -> GetItemResponse
    /// Reads one page of a partition.
    func query(_ request: QueryRequest) async throws -> QueryResponse
    /// Reads one page of a whole table or index.
    func scan(_ request: ScanRequest) async throws -> ScanResponse
    /// Stores an item in place of the one with the same key.
    func putItem(_ request: PutItemRequest) async throws -> PutItemResponse
    /// Changes attributes of an item.
    func updateItem(_ request: UpdateItemRequest) async throws -> UpdateItemResponse
    /// Deletes an item.
    func deleteItem(_ request: DeleteItemRequest) async throws -> DeleteItemResponse
    /// Reads up to 100 items, once.
    func batchGetItem(_ request: BatchGetItemRequest) async throws -> BatchGetItemResponse
    /// Writes up to 25 items, each for itself, once.
    func batchWriteItem(_ request: BatchWriteItemRequest) async throws -> BatchWriteItemResponse
    /// Reads up to 100 items as they were at one moment; tries again, where that is asked for, when nothing but
    /// contention was in the way.
    func transactGetItems(
        _ request: TransactGetItemsRequest, retryingContention: Bool
    ) async throws -> TransactGetItemsResponse
    /// Writes up to 100 items, all or none; tries again, where that is asked for, when nothing but contention was in
    /// the way.
    func transactWriteItems(
        _ request: TransactWriteItemsRequest, retryingContention: Bool
    ) async throws -> TransactWriteItemsResponse
}

extension DynamoDB: DynamoDBAPI {}
