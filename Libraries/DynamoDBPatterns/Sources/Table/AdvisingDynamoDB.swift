import AWSClient

/// Hands calls on, and has errors about a pattern's table name it, the operation and what to do.
///
/// `PatternTable` and `VersionedTable` make all their calls through it, whatever DynamoDB they are given.
struct AdvisingDynamoDB: DynamoDBAPI {
    let base: any DynamoDBAPI
    /// The name or ARN of the table that the advice is about.
    let table: String
    /// What to do about a problem of the table: a sentence.
    let advice: @Sendable (AWSError.TableProblem) -> String

    private func advised<Request: NamesTables, Answer>(
        _ operation: String, _ request: Request, _ call: (Request) async throws -> Answer
    ) async throws -> Answer {
        do {
            return try await call(request)
        } catch let error as AWSError {
            var error = error.naming(operation, request.namedTables)
            // Of several tables, another one may be the cause.
            if let problem = error.tableProblem, error.tables == [table] {
                error.hint = error.hint.map { ErrorText.sentences($0, advice(problem)) } ?? advice(problem)
            }
            throw error
        }
    }

    func getItem(_ request: GetItemRequest) async throws -> GetItemResponse {
        try await advised("GetItem", request) { try await base.getItem($0) }
    }

    func query(_ request: QueryRequest) async throws -> QueryResponse {
        try await advised("Query", request) { try await base.query($0) }
    }

    func scan(_ request: ScanRequest) async throws -> ScanResponse {
        try await advised("Scan", request) { try await base.scan($0) }
    }

    func putItem(_ request: PutItemRequest) async throws -> PutItemResponse {
        try await advised("PutItem", request) { try await base.putItem($0) }
    }

    func updateItem(_ request: UpdateItemRequest) async throws -> UpdateItemResponse {
        try await advised("UpdateItem", request) { try await base.updateItem($0) }
    }

    func deleteItem(_ request: DeleteItemRequest) async throws -> DeleteItemResponse {
        try await advised("DeleteItem", request) { try await base.deleteItem($0) }
    }

    func batchGetItem(_ request: BatchGetItemRequest) async throws -> BatchGetItemResponse {
        try await advised("BatchGetItem", request) { try await base.batchGetItem($0) }
    }

    func batchWriteItem(_ request: BatchWriteItemRequest) async throws -> BatchWriteItemResponse {
        try await advised("BatchWriteItem", request) { try await base.batchWriteItem($0) }
    }

    func transactGetItems(
        _ request: TransactGetItemsRequest, retryingContention: Bool
    ) async throws -> TransactGetItemsResponse {
        try await advised("TransactGetItems", request) {
            try await base.transactGetItems($0, retryingContention: retryingContention)
        }
    }

    func transactWriteItems(
        _ request: TransactWriteItemsRequest, retryingContention: Bool
    ) async throws -> TransactWriteItemsResponse {
        try await advised("TransactWriteItems", request) {
            try await base.transactWriteItems($0, retryingContention: retryingContention)
        }
    }
}

extension PatternTable {
    /// What to do about a problem of the table.
    @Sendable static func advice(_ problem: AWSError.TableProblem) -> String {
        switch problem {
        case .absent: "Create it with PatternTable.create, or deploy what samResource or terraformResource prints."
        case .otherKey, .absentIndex:
            "It is not a table of the patterns: PatternTable.check says what differs, PatternTable.create creates one."
        case .denied: "PatternTable.policyStatement prints what the patterns need."
        }
    }
}

extension VersionedTable {
    /// What to do about a problem of the table.
    @Sendable static func advice(_ problem: AWSError.TableProblem) -> String {
        switch problem {
        case .absent: "Create it with the create(in:) of its VersionedTable, or in your deployment."
        case .otherKey, .absentIndex:
            "KeyAttributes has to name the attributes of the table's key, and PrimaryKey to have values of their types."
        case .denied: "The article on optimistic locking lists the actions that a VersionedTable needs."
        }
    }
}
