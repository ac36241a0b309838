public import AWSClient
public import DynamoDBPatterns

/// A DynamoDB that hands each call on to another one, and does something of its own with some.
///
/// All calls are handed on as they are, so that a decorator has only what it changes. A bug that is put in on purpose,
/// to see whether a test finds it, is one function:
///
/// ```swift
/// struct WithoutLeaseCheck: DynamoDBDecorator {
///     let base: any DynamoDBAPI
///
///     func deleteItem(_ request: DeleteItemRequest) async throws -> DeleteItemResponse { … }
/// }
/// ```
///
/// See `WithoutConditions` for the most usual one.
public protocol DynamoDBDecorator: DynamoDBAPI, StreamsAPI {
    /// What the calls are handed on to.
    var base: any DynamoDBAPI { get }
    /// What the calls of streams are handed on to; by default `base`, where it has streams.
    var streams: (any StreamsAPI)? { get }
    /// Makes one call; by default just that.
    ///
    /// - Parameters:
    ///   - call: Which call.
    ///   - carryOut: Hands it on; as often as it is called.
    /// - Returns: What `carryOut` returned.
    /// - Throws: What `carryOut` threw, or a failure of the decorator's own.
    func around<Answer: Sendable>(
        _ call: DynamoDBCall, _ carryOut: () async throws -> Answer
    ) async throws -> Answer
}

extension DynamoDBDecorator {
    /// `base`, if it has streams.
    public var streams: (any StreamsAPI)? { base as? any StreamsAPI }

    /// Makes the call, and nothing else.
    public func around<Answer: Sendable>(
        _ call: DynamoDBCall, _ carryOut: () async throws -> Answer
    ) async throws -> Answer {
        try await carryOut()
    }

    /// Passes the call to `base`, within `around`.
    public func getItem(_ request: GetItemRequest) async throws -> GetItemResponse {
        try await around(DynamoDBCall(.getItem)) { try await base.getItem(request) }
    }

    /// Passes the call to `base`, within `around`.
    public func query(_ request: QueryRequest) async throws -> QueryResponse {
        try await around(DynamoDBCall(.query)) { try await base.query(request) }
    }

    /// Passes the call to `base`, within `around`.
    public func scan(_ request: ScanRequest) async throws -> ScanResponse {
        try await around(DynamoDBCall(.scan)) { try await base.scan(request) }
    }

    /// Passes the call to `base`, within `around`.
    public func putItem(_ request: PutItemRequest) async throws -> PutItemResponse {
        try await around(DynamoDBCall(.putItem)) { try await base.putItem(request) }
    }

    /// Passes the call to `base`, within `around`.
    public func updateItem(_ request: UpdateItemRequest) async throws -> UpdateItemResponse {
        try await around(DynamoDBCall(.updateItem)) { try await base.updateItem(request) }
    }

    /// Passes the call to `base`, within `around`.
    public func deleteItem(_ request: DeleteItemRequest) async throws -> DeleteItemResponse {
        try await around(DynamoDBCall(.deleteItem)) { try await base.deleteItem(request) }
    }

    /// Passes the call to `base`, within `around`.
    public func batchGetItem(_ request: BatchGetItemRequest) async throws -> BatchGetItemResponse {
        try await around(DynamoDBCall(.batchGetItem)) { try await base.batchGetItem(request) }
    }

    /// Passes the call to `base`, within `around`.
    public func batchWriteItem(_ request: BatchWriteItemRequest) async throws -> BatchWriteItemResponse {
        try await around(DynamoDBCall(.batchWriteItem)) { try await base.batchWriteItem(request) }
    }

    /// Passes the call to `base`, within `around`.
    public func transactGetItems(
        _ request: TransactGetItemsRequest, retryingContention: Bool
    ) async throws -> TransactGetItemsResponse {
        try await around(DynamoDBCall(.transactGetItems, transactionSize: request.transactItems.count)) {
            try await base.transactGetItems(request, retryingContention: retryingContention)
        }
    }

    /// Gives a transaction without a token one here, so that it is carried out once, however often it is handed on.
    public func transactWriteItems(
        _ request: TransactWriteItemsRequest, retryingContention: Bool
    ) async throws -> TransactWriteItemsResponse {
        var request = request
        if request.clientRequestToken == nil { request.clientRequestToken = Self.token() }
        return try await around(DynamoDBCall(.transactWriteItems, transactionSize: request.transactItems.count)) {
            [request] in
            try await base.transactWriteItems(request, retryingContention: retryingContention)
        }
    }

    private static func token() -> String {
        String(UInt64.random(in: 0 ... .max), radix: 16) + String(UInt64.random(in: 0 ... .max), radix: 16)
    }
}
