import AWSClient
import DynamoDBPatternsTesting
import Testing

@testable import DynamoDBPatterns

/// A table of the patterns in memory, and a time that moves only when a test says so.
struct PatternWorld: Sendable {
    static let tableName = "patterns"
    let time = Simulation(seed: 1)
    let store: MemoryDynamoDB

    init() throws {
        store = MemoryDynamoDB(clock: time.clock.now)
        try store.createPatternTable(Self.tableName)
    }

    func table(_ api: (any DynamoDBAPI)? = nil) -> PatternTable {
        PatternTable(Self.tableName, in: api ?? store, clock: time.clock)
    }

    /// A write that counts how often it was carried out.
    static func effect(_ key: String, in table: String = tableName) -> TransactWriteItem {
        .update(
            .init(
                tableName: table, key: effectKey(key), updateExpression: "ADD times :one",
                expressionAttributeValues: [":one": .integer(1)]))
    }

    static func effectKey(_ key: String) -> [String: AttributeValue] {
        ["pk": .string("effect#\(key)"), "sk": .string("effect")]
    }

    /// How often the effect of a key was written.
    static func effects(_ key: String, in store: MemoryDynamoDB) -> Int64 {
        store.items(in: tableName).first { $0["pk"]?.string == "effect#\(key)" }?["times"]?.int64 ?? 0
    }

    /// What a call costs.
    func cost(_ body: () async throws -> Void) async throws -> PatternCost {
        store.resetUsage()
        try await body()
        let usage = store.usage
        return PatternCost(
            requests: usage.requests.values.reduce(0, +), written: usage.writeUnits, read: usage.readUnits)
    }
}

struct PatternCost: Equatable {
    var requests: Int
    var written = 0.0
    var read = 0.0
}

/// Expects a `PatternError` with a code.
func expect(
    _ code: PatternError.Code, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
) async {
    let error = await #expect(throws: PatternError.self, sourceLocation: sourceLocation) { try await body() }
    #expect(error?.code == code, sourceLocation: sourceLocation)
}
