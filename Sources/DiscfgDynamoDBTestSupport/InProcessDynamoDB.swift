import AWSClient
package import DiscfgDynamoDB
package import DynamoDBPatterns
package import DynamoDBPatternsTesting
import Synchronization

/// A DynamoDB in this process for engines of discfg: deterministic, and without a server.
///
///     let store = InProcessDynamoDB(ItemByItemDynamoDB(seed: 7))
///     let engine = store.engine()
///
/// Engines made from one value share its tables, as several processes do. A decorator of `DynamoDBAPI`, such as
/// `FaultyDynamoDB`, can be put in front of one engine's calls.
package final class InProcessDynamoDB: Sendable {
    private let api: any DynamoDBAPI
    private let makeTable: @Sendable (CreateTableRequest) throws -> Void
    private let removeTable: @Sendable (String) throws -> Void
    private let descriptions = Mutex<[String: TableDescription]>([:])

    /// A DynamoDB whose transactions are one step to every call.
    package init(_ memory: MemoryDynamoDB = MemoryDynamoDB()) {
        api = memory
        makeTable = { try memory.createTable($0, timeToLive: "ttl") }
        removeTable = { try memory.deleteTable($0) }
    }

    /// A DynamoDB whose transactions become visible item by item.
    package init(_ slow: ItemByItemDynamoDB) {
        api = slow
        makeTable = { try slow.createTable($0, timeToLive: "ttl") }
        removeTable = { try slow.deleteTable($0) }
    }

    /// An engine as a process of its own has it.
    ///
    /// The table is made with the first config, or by the engine's `manager`.
    /// - Parameters:
    ///   - table: The table's name.
    ///   - options: How the engine behaves.
    ///   - decorate: Puts something in front of the engine's calls.
    /// - Returns: The engine.
    package func engine(
        table: String = "discfg", options: DynamoDBEngine.Options = .init(),
        decorate: (any DynamoDBAPI) -> any DynamoDBAPI = { $0 }
    ) -> DynamoDBEngine {
        DynamoDBEngine(
            table: table, region: "eu-west-1", calls: InProcessCalls(store: self, api: decorate(api)), options: options)
    }

    fileprivate func create(_ request: CreateTableRequest) throws -> TableDescription {
        try makeTable(request)
        var table = TableDescription()
        table.tableName = request.tableName
        table.tableStatus = .active
        table.attributeDefinitions = request.attributeDefinitions
        table.keySchema = request.keySchema
        table.globalSecondaryIndexes = request.globalSecondaryIndexes?.map { index in
            var description = GlobalSecondaryIndexDescription()
            description.indexName = index.indexName
            description.keySchema = index.keySchema
            return description
        }
        table.deletionProtectionEnabled = request.deletionProtectionEnabled
        table.set(request.billingMode, request.provisionedThroughput)
        return descriptions.withLock { descriptions in
            descriptions[request.tableName] = table
            return table
        }
    }

    fileprivate func describe(_ name: String) throws -> TableDescription {
        guard let table = descriptions.withLock({ $0[name] }) else {
            throw AWSError(.resourceNotFound, "Requested resource not found: Table: \(name) not found", status: 400)
        }
        return table
    }

    fileprivate func update(_ request: UpdateTableRequest) throws -> TableDescription {
        var table = try describe(request.tableName)
        table.set(request.billingMode, request.provisionedThroughput)
        if let isProtected = request.deletionProtectionEnabled { table.deletionProtectionEnabled = isProtected }
        descriptions.withLock { [table] in $0[request.tableName] = table }
        return table
    }

    fileprivate func delete(_ name: String) throws -> TableDescription {
        let table = try describe(name)
        try removeTable(name)
        descriptions.withLock { $0[name] = nil }
        return table
    }
}

extension TableDescription {
    fileprivate mutating func set(_ mode: BillingMode?, _ throughput: ProvisionedThroughput?) {
        if let mode {
            var summary = BillingModeSummary()
            summary.billingMode = mode
            billingModeSummary = summary
        }
        guard let throughput else { return }
        var description = ProvisionedThroughputDescription()
        description.readCapacityUnits = throughput.readCapacityUnits
        description.writeCapacityUnits = throughput.writeCapacityUnits
        provisionedThroughput = description
    }
}

/// The calls of one engine.
private struct InProcessCalls: TableCalls {
    let store: InProcessDynamoDB
    let api: any DynamoDBAPI

    func getItem(_ request: GetItemRequest) async throws -> GetItemResponse { try await api.getItem(request) }

    func batchGetAll(_ request: BatchGetItemRequest) async throws -> BatchGetItemResponse {
        try await api.batchGetAll(request)
    }

    func transactGetItems(
        _ request: TransactGetItemsRequest, retryingContention: Bool
    ) async throws -> TransactGetItemsResponse {
        try await api.transactGetItems(request, retryingContention: retryingContention)
    }

    func query(_ request: QueryRequest) async throws -> QueryResponse { try await api.query(request) }
    func putItem(_ request: PutItemRequest) async throws -> PutItemResponse { try await api.putItem(request) }
    func updateItem(_ request: UpdateItemRequest) async throws -> UpdateItemResponse {
        try await api.updateItem(request)
    }
    func deleteItem(_ request: DeleteItemRequest) async throws -> DeleteItemResponse {
        try await api.deleteItem(request)
    }

    func transactWriteItems(
        _ request: TransactWriteItemsRequest, retryingContention: Bool
    ) async throws -> TransactWriteItemsResponse {
        try await api.transactWriteItems(request, retryingContention: retryingContention)
    }

    func createTable(_ request: CreateTableRequest) async throws -> CreateTableResponse {
        var answer = CreateTableResponse()
        answer.tableDescription = try store.create(request)
        return answer
    }

    func describeTable(_ request: DescribeTableRequest) async throws -> DescribeTableResponse {
        var answer = DescribeTableResponse()
        answer.table = try store.describe(request.tableName)
        return answer
    }

    func updateTable(_ request: UpdateTableRequest) async throws -> UpdateTableResponse {
        var answer = UpdateTableResponse()
        answer.tableDescription = try store.update(request)
        return answer
    }

    func deleteTable(_ request: DeleteTableRequest) async throws -> DeleteTableResponse {
        var answer = DeleteTableResponse()
        answer.tableDescription = try store.delete(request.tableName)
        return answer
    }

    func updateTimeToLive(_ request: UpdateTimeToLiveRequest) async throws -> UpdateTimeToLiveResponse {
        UpdateTimeToLiveResponse()
    }
}
