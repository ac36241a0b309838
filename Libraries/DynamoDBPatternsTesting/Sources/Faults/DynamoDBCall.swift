/// One call of DynamoDB or its streams, as decorators see it.
public struct DynamoDBCall: Sendable, Hashable {
    /// What is called.
    public enum Operation: String, Sendable, Hashable, CaseIterable {
        case getItem = "GetItem"
        case query = "Query"
        case scan = "Scan"
        case putItem = "PutItem"
        case updateItem = "UpdateItem"
        case deleteItem = "DeleteItem"
        case batchGetItem = "BatchGetItem"
        case batchWriteItem = "BatchWriteItem"
        case transactGetItems = "TransactGetItems"
        case transactWriteItems = "TransactWriteItems"
        case describeStream = "DescribeStream"
        case getShardIterator = "GetShardIterator"
        case getRecords = "GetRecords"
    }

    /// What is called.
    public var operation: Operation
    /// How many items a transaction has; 0 for everything else.
    public var transactionSize: Int

    /// A call.
    ///
    /// - Parameters:
    ///   - operation: What is called.
    ///   - transactionSize: How many items a transaction has.
    public init(_ operation: Operation, transactionSize: Int = 0) {
        self.operation = operation
        self.transactionSize = transactionSize
    }

    /// Whether it can change items.
    public var isWrite: Bool {
        switch operation {
        case .putItem, .updateItem, .deleteItem, .batchWriteItem, .transactWriteItems: true
        default: false
        }
    }
}
