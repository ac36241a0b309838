import AWSClient
import DynamoDBPatterns

private let names = (0..<eventCount).map { "name-\($0)" }

/// A unique constraint: two accounts want each name, and one gets it.
struct ClaimedNames: Contestant {
    let pattern = "Unique constraint"
    let way = "`claim` with an insertion"
    let isNaive = false
    let event = "name"
    let deliveries = 2
    let results = Results(count: names.count, of: "names")

    private struct Account: Codable, Sendable {
        var pk: String
        var sk = "-"
        var name: String
    }

    func worker(at place: Place) throws -> Work {
        let constraint = try UniqueConstraint("names", in: place.table)
        let accounts = VersionedTable<Account>(
            place.table.name, in: place.table.api, key: KeyAttributes(partition: "pk", sort: "sk"),
            clock: place.table.clock)
        return { number, delivery in
            let id = "account-\(number)-\(delivery)"
            do {
                try await place.table.api.transact(clock: place.table.clock) { transaction in
                    try transaction.claim(names[number], for: id, in: constraint)
                    try transaction.insert(Account(pk: id, name: names[number]), into: accounts)
                }
                place.effects.happen(names[number])
            } catch let error as PatternError where error.code == .taken {
                // The other account has it.
            }
        }
    }

    func mistakes(at place: Place) async throws -> Int { place.effects.mistakes(of: names) }
}

/// Looks whether a name is taken, and takes it.
struct NaiveNames: Contestant {
    let pattern = "Unique constraint"
    let way = "naive: get, put, put"
    let isNaive = true
    let event = "name"
    let deliveries = 2
    let results = Results(count: names.count, of: "names")

    func worker(at place: Place) throws -> Work {
        { number, delivery in
            let id = "account-\(number)-\(delivery)"
            guard try await place.get(names[number]) == nil else { return }
            try await place.put(["owner": .string(id)], at: names[number])
            try await place.put(["name": .string(names[number])], at: id)
            place.effects.happen(names[number])
        }
    }

    func mistakes(at place: Place) async throws -> Int { place.effects.mistakes(of: names) }
}
