import AWSClient
import DynamoDBPatternsTesting
import Synchronization
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A table in memory: a text `pk`, a number `sk`, a sparse index `ranks` over `group` and `rank`, and a stream.
struct Fixture {
    let clock = TestClock()
    let db: MemoryDynamoDB
    let table = "items"

    init(projection: Projection = .init(projectionType: .keysOnly), streamShards: Int = 1, seed: UInt64 = 1) throws {
        db = MemoryDynamoDB(clock: { [clock] in clock.now }, seed: seed)
        try db.createTable(Self.request(table, projection), timeToLive: "ttl", streamShards: streamShards)
    }

    static func request(_ name: String, _ projection: Projection = .init(projectionType: .keysOnly))
        -> CreateTableRequest
    {
        CreateTableRequest(
            tableName: name,
            attributeDefinitions: [
                .init(attributeName: "pk", attributeType: .string), .init(attributeName: "sk", attributeType: .number),
                .init(attributeName: "group", attributeType: .string),
                .init(attributeName: "rank", attributeType: .number),
            ],
            keySchema: [.init(attributeName: "pk", keyType: .hash), .init(attributeName: "sk", keyType: .range)],
            globalSecondaryIndexes: [
                .init(
                    indexName: "ranks",
                    keySchema: [
                        .init(attributeName: "group", keyType: .hash), .init(attributeName: "rank", keyType: .range),
                    ], projection: projection)
            ],
            streamSpecification: .init(streamEnabled: true, streamViewType: .newAndOldImages))
    }

    static func key(_ pk: String, _ sk: Int) -> [String: AttributeValue] {
        ["pk": .string(pk), "sk": .integer(sk)]
    }

    func put(_ pk: String, _ sk: Int, _ attributes: [String: AttributeValue] = [:]) async throws {
        _ = try await db.putItem(
            .init(tableName: table, item: Self.key(pk, sk).merging(attributes) { first, _ in first }))
    }

    func get(_ pk: String, _ sk: Int) async throws -> [String: AttributeValue]? {
        try await db.getItem(.init(tableName: table, key: Self.key(pk, sk), consistentRead: true)).item
    }
}

/// A clock that a test moves.
final class TestClock: Sendable {
    private let seconds = Mutex(1_700_000_000.0)
    var now: Date { Date(timeIntervalSince1970: seconds.withLock { $0 }) }
    func advance(by seconds: Double) { self.seconds.withLock { $0 += seconds } }
}

/// The code of what a call throws; `nil` where it throws nothing.
func code(_ body: () async throws -> some Sendable) async -> AWSError.Code? {
    do {
        _ = try await body()
        return nil
    } catch {
        return (error as? AWSError)?.code ?? "no AWSError"
    }
}
