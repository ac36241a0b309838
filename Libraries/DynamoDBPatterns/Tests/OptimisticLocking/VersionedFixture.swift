import AWSClient
import DynamoDBPatternsTesting
import Synchronization

@testable import DynamoDBPatterns

/// What the tests store: words that DynamoDB reserves among its members.
struct Account: Codable, Sendable, Equatable {
    var id: String
    var status = "open"
    /// What was done to it, in order; each by a name of its own.
    var entries: [String] = []
}

extension MemoryDynamoDB {
    /// A table with a stream, whose key has any type.
    func createTable(
        _ name: String, partition: String = "id", _ type: ScalarAttributeType = .string,
        sort: (name: String, type: ScalarAttributeType)? = nil, timeToLive: String? = nil
    ) throws {
        var definitions = [AttributeDefinition(attributeName: partition, attributeType: type)]
        var schema = [KeySchemaElement(attributeName: partition, keyType: .hash)]
        if let sort {
            definitions.append(.init(attributeName: sort.name, attributeType: sort.type))
            schema.append(.init(attributeName: sort.name, keyType: .range))
        }
        try createTable(
            CreateTableRequest(
                tableName: name, attributeDefinitions: definitions, keySchema: schema,
                streamSpecification: .init(streamEnabled: true, streamViewType: .newAndOldImages)),
            timeToLive: timeToLive)
    }

    /// A store with one table of accounts.
    static func withAccounts() throws -> MemoryDynamoDB {
        let store = MemoryDynamoDB()
        try store.createTable("accounts")
        return store
    }
}

/// The accounts, by way of any DynamoDB.
func accounts(
    _ api: any DynamoDBAPI, clock: PatternClock = PatternClock(), attributes: VersionAttributes = .init()
) -> VersionedTable<Account> {
    VersionedTable("accounts", in: api, key: .init(partition: "id"), attributes: attributes, clock: clock)
}

extension PatternClock {
    /// A clock whose pauses are over at once.
    static let hasty = PatternClock(sleep: { _ in })
}

/// A DynamoDB that carries out a put, lets others act, and then makes the put again because its answer was lost.
struct Overtaken: DynamoDBDecorator {
    let base: any DynamoDBAPI
    /// Whether the first try of the put arrives.
    var arrives = true
    let others: @Sendable () async throws -> Void

    func putItem(_ request: PutItemRequest) async throws -> PutItemResponse {
        if arrives { _ = try await base.putItem(request) }
        try await others()
        do {
            return try await base.putItem(request)
        } catch var error as AWSError {
            error.mayHaveTakenEffect = true
            throw error
        }
    }
}

/// Counts from 1.
final class CallCount: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }

    func next() -> Int {
        count.withLock {
            $0 += 1
            return $0
        }
    }
}
