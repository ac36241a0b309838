import AWSClient
import DynamoDBPatterns

/// A click of a session, ten of which make a set.
struct Click: Codable, Sendable {
    var page: String
    var weight = 1
}

private let sets = (0..<eventCount / 10).map { "session-\($0)" }

/// The aggregator: adds clicks to the set of their session, and acts on it at the tenth.
struct CountingClicks<Value: Codable & Sendable>: Contestant {
    let pattern = "Aggregator"
    let way: String
    let isNaive = false
    let event = "click"
    let results = Results(count: sets.count, of: "sets")
    let wakesFunction = true
    let rule: AggregateRule<Click, Value>
    var storage = AggregateStorage.inHead

    private func clicks(at place: Place) throws -> Aggregator<Click, Value> {
        try Aggregator(
            "clicks", of: Click.self, in: place.table, rule: rule, timeout: .seconds(3600), storage: storage)
    }

    func filter(at place: Place) throws -> FilterCriteria? { try clicks(at: place).filterCriteria }

    func worker(at place: Place) throws -> Work {
        let clicks = try clicks(at: place)
        return { number, _ in
            let set = sets[number / 10]
            let click = Click(page: "/page/\(number)")
            guard try await clicks.add(click, id: "click-\(number)", to: set) == .completed else { return }
            try await clicks.act(on: set) { complete in
                if complete.count == 10 { place.effects.happen(complete.key) }
                return []
            }
        }
    }

    func mistakes(at place: Place) async throws -> Int { place.effects.mistakes(of: sets) }
}

/// Reads the count, writes it one larger, and acts where it has become ten.
struct NaiveClicks: Contestant {
    let pattern = "Aggregator"
    let way = "naive: get, put"
    let isNaive = true
    let event = "click"
    let results = Results(count: sets.count, of: "sets")
    let wakesFunction = true

    func worker(at place: Place) throws -> Work {
        { number, _ in
            let set = sets[number / 10]
            let count = (try await place.get(set)?["count"]?.int64 ?? 0) + 1
            try await place.put(["count": .integer(count)], at: set)
            if count == 10 { place.effects.happen(set) }
        }
    }

    func mistakes(at place: Place) async throws -> Int { place.effects.mistakes(of: sets) }
}
