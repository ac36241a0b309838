extension DynamoDB {
    /// Reads one item by its key.
    public func getItem(_ request: GetItemRequest) async throws -> GetItemResponse {
        try await call("GetItem", request)
    }

    /// Reads one page of a partition.
    public func query(_ request: QueryRequest) async throws -> QueryResponse { try await call("Query", request) }

    /// Reads one page of a whole table or index.
    public func scan(_ request: ScanRequest) async throws -> ScanResponse { try await call("Scan", request) }

    /// Stores an item in place of the one with the same key.
    public func putItem(_ request: PutItemRequest) async throws -> PutItemResponse {
        try await call("PutItem", request, isWrite: true)
    }

    /// Changes attributes of an item.
    public func updateItem(_ request: UpdateItemRequest) async throws -> UpdateItemResponse {
        try await call("UpdateItem", request, isWrite: true)
    }

    /// Deletes an item.
    public func deleteItem(_ request: DeleteItemRequest) async throws -> DeleteItemResponse {
        try await call("DeleteItem", request, isWrite: true)
    }

    /// Reads up to 100 items, once; see `batchGetAll` for one that asks again for those that were left out.
    public func batchGetItem(_ request: BatchGetItemRequest) async throws -> BatchGetItemResponse {
        try await call("BatchGetItem", request)
    }

    /// Writes up to 25 items, once; see `batchWriteAll` for one that asks again for those that were left out.
    public func batchWriteItem(_ request: BatchWriteItemRequest) async throws -> BatchWriteItemResponse {
        try await call("BatchWriteItem", request, isWrite: true)
    }

    /// Writes up to 100 items, all or none.
    ///
    /// - Parameters:
    ///   - request: One without `clientRequestToken` gets a token here, which all tries share.
    ///   - retryingContention: Whether to try again when the transaction was cancelled for nothing but conflicts with
    ///     others and throttling. A caller that can learn from a conflict does better to decide itself.
    /// - Returns: That it was carried out.
    /// - Throws: `AWSError`, with `cancellationReasons` if it was cancelled.
    public func transactWriteItems(
        _ request: TransactWriteItemsRequest, retryingContention: Bool = false
    ) async throws -> TransactWriteItemsResponse {
        var request = request
        if request.clientRequestToken == nil { request.clientRequestToken = RequestToken.random() }
        return try await call(
            "TransactWriteItems", request, isWrite: true, isTransaction: true, retryingContention: retryingContention)
    }

    /// Reads up to 100 items as they were at one moment; writers can cause it to be cancelled.
    ///
    /// - Parameters:
    ///   - request: Which items.
    ///   - retryingContention: Whether to try again when it was cancelled for nothing but conflicts with writers and
    ///     throttling.
    /// - Returns: The items, in the order of the request.
    /// - Throws: `AWSError`, with `cancellationReasons` if it was cancelled.
    public func transactGetItems(
        _ request: TransactGetItemsRequest, retryingContention: Bool = false
    ) async throws -> TransactGetItemsResponse {
        try await call(
            "TransactGetItems", request, isWrite: false, isTransaction: true, retryingContention: retryingContention)
    }
}
