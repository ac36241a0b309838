import AWSClient
import DynamoDBPatterns
import DynamoDBPatternsTesting

/// One of ten counters.
struct Counter: Codable, Sendable {
    var pk: String
    var sk = "-"
    var count = 0
}

/// The counter of an event, by a chance that is the same in each run.
func counter(of number: Int) -> String {
    var chance = SeededGenerator(seed: UInt64(number))
    return "counter-\(Int.random(in: 0..<10, using: &chance))"
}

/// How many increments are missing, or too many.
func wrongIncrements(at place: Place) async throws -> Int {
    var wanted: [String: Int64] = [:]
    for number in 0..<eventCount { wanted[counter(of: number), default: 0] += 1 }
    var mistakes = 0
    for (name, count) in wanted { mistakes += Int(abs(count - (try await place.get(name)?["count"]?.int64 ?? 0))) }
    return mistakes
}

/// Reads the counter of an event, and writes it one larger: right if nobody else does at that time.
func incrementNaively(_ number: Int, at place: Place) async throws {
    let name = counter(of: number)
    let count = try await place.get(name)?["count"]?.int64 ?? 0
    try await place.put(["count": .integer(count + 1)], at: name)
}

/// Inserts the counters.
func prepareCounters(at place: Place) async throws {
    let table = counters(at: place)
    for number in 0..<10 { try await table.insert(Counter(pk: "counter-\(number)")) }
}

func counters(at place: Place) -> VersionedTable<Counter> {
    VersionedTable(
        place.table.name, in: place.table.api, key: KeyAttributes(partition: "pk", sort: "sk"),
        clock: place.table.clock)
}

/// Optimistic locking: loads, changes and saves, again after a conflict.
struct LockedCounters: Contestant {
    let pattern = "Optimistic locking"
    let way = "`update`"
    let isNaive = false
    let event = "increment"
    let results = Results(count: eventCount, of: "increments")

    func prepare(at place: Place) async throws { try await prepareCounters(at: place) }

    func worker(at place: Place) throws -> Work {
        let counters = counters(at: place)
        return { number, _ in
            try await place.insist(on: .contention) {
                try await counters.update(PrimaryKey(counter(of: number), "-")) { $0.count += 1 }
            }
        }
    }

    func mistakes(at place: Place) async throws -> Int { try await wrongIncrements(at: place) }
}

/// Reads a counter, and writes it one larger.
struct NaiveCounters: Contestant {
    let pattern = "Optimistic locking"
    let way = "naive: get, put"
    let isNaive = true
    let event = "increment"
    let results = Results(count: eventCount, of: "increments")

    func prepare(at place: Place) async throws { try await prepareCounters(at: place) }

    func worker(at place: Place) throws -> Work {
        { number, _ in try await incrementNaively(number, at: place) }
    }

    func mistakes(at place: Place) async throws -> Int { try await wrongIncrements(at: place) }
}
