import AWSClient
import DynamoDBPatterns
import Foundation
import Synchronization

/// The table that a contestant works on, and the effects of its work outside of it.
struct Place: Sendable {
    let table: PatternTable
    let effects: Effects

    init(
        _ name: String, in api: any DynamoDBAPI, clock: PatternClock = Self.clock, effects: Effects = Effects()
    ) {
        table = PatternTable(name, in: api, clock: clock)
        self.effects = effects
    }

    private static let start = Date()
    /// Begins at noon, so that each run has the same bucket of a day from its first event to its last.
    static let clock = PatternClock(now: { noon.addingTimeInterval(Date().timeIntervalSince(start)) })
    private static let noon = Date(
        timeIntervalSince1970: (start.timeIntervalSince1970 / 86_400).rounded(.down) * 86_400 + 43_200)

    /// A clock that is 5 ms later at each look, as if requests took that long.
    ///
    /// In memory they take no time, and what is written at the same millisecond costs less: its index stays as it is.
    static func tickingClock() -> PatternClock {
        let looks = Mutex(0)
        return PatternClock(now: {
            let count = looks.withLock { looks in
                looks += 1
                return looks
            }
            return noon.addingTimeInterval(Double(count) * 0.005)
        })
    }
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

extension Place {
    /// Makes a call, and makes it again as long as it is refused with a code that says that nothing was written.
    func insist(on code: PatternError.Code, _ call: () async throws -> Void) async throws {
        while true {
            do {
                return try await call()
            } catch let error as PatternError where error.code == code {
                effects.happen(Effects.givenUp)
                try await table.clock.sleep(.milliseconds(5))
            }
        }
    }
}

/// Counts what was done outside of the table, as an alert that was sent or a payment that was made.
final class Effects: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    /// That a call gave up, and was made again.
    static let givenUp = "given up"

    func happen(_ name: String) { counts.withLock { $0[name, default: 0] += 1 } }

    func count(of name: String) -> Int { counts.withLock { $0[name] ?? 0 } }

    /// How many of these effects did not happen exactly once.
    func mistakes(of names: some Sequence<String>) -> Int {
        counts.withLock { counts in names.count { counts[$0] != 1 } }
    }
}
