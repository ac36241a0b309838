import AWSClient
import DynamoDBPatterns
import Foundation
import Synchronization

/// The table that a contestant works on, and the effects of its work outside of it.
struct Place: Sendable {
    let table: PatternTable
    let effects: Effects

    init(_ name: String, in api: any DynamoDBAPI, effects: Effects = Effects()) {
        table = PatternTable(name, in: api, clock: Self.clock)
        self.effects = effects
    }

    private static let start = Date()
    /// Begins at noon, so that each run has the same bucket of a day from its first event to its last.
    static let clock = PatternClock(now: {
        let noon = (start.timeIntervalSince1970 / 86_400).rounded(.down) * 86_400 + 43_200
        return Date(timeIntervalSince1970: noon + Date().timeIntervalSince(start))
    })
}

extension Place {
    /// Reads an item, strongly consistent: the naive ways are not made worse than they need be.
    func get(_ partition: String) async throws -> [String: AttributeValue]? {
        let key: [String: AttributeValue] = ["pk": .string(partition), "sk": .string("-")]
        return try await table.api.getItem(
            GetItemRequest(tableName: table.name, key: key, consistentRead: true)
        ).item
    }

    /// Stores an item, whatever is there.
    func put(_ attributes: [String: AttributeValue], at partition: String, _ sort: String = "-") async throws {
        var item = attributes
        item["pk"] = .string(partition)
        item["sk"] = .string(sort)
        _ = try await table.api.putItem(PutItemRequest(tableName: table.name, item: item))
    }
}

/// Counts what was done outside of the table, as an alert that was sent or a payment that was made.
final class Effects: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    func happen(_ name: String) { counts.withLock { $0[name, default: 0] += 1 } }

    /// How many of these effects did not happen exactly once.
    func mistakes(of names: some Sequence<String>) -> Int {
        counts.withLock { counts in names.count { counts[$0] != 1 } }
    }
}
