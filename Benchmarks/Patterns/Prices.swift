import AWSClient
import DynamoDBPatterns

private let names = (0..<eventCount / 10).map { "tea-\($0)" }

/// How many versions of the prices are missing, or recorded more than once, where each name has these in its history.
private func wrongVersions(_ versions: (String) async throws -> [Int64]) async throws -> Int {
    var mistakes = 0
    for name in names {
        let counts = Dictionary(grouping: try await versions(name)) { $0 }.mapValues(\.count)
        for version in 1...10 { mistakes += abs((counts[Int64(version)] ?? 0) - 1) }
    }
    return mistakes
}

/// The history: puts each version under its own number, where there is none.
struct RecordedPrices: Contestant {
    let pattern = "Historic"
    let way = "`record`"
    let isNaive = false
    let event = "change"
    let eventsInOrder = 10
    let deliveries = 2
    let results = Results(count: eventCount, of: "versions")

    private func history(at place: Place) throws -> Historic<Price> {
        try Historic("prices", of: PriceChanges.source(in: place.table.api), in: place.table)
    }

    func worker(at place: Place) throws -> Work {
        let history = try history(at: place)
        return { number, _ in
            for record in try await PriceChanges.shared(of: names[number]) { try await history.record(record) }
        }
    }

    func mistakes(at place: Place) async throws -> Int {
        let history = try history(at: place)
        return try await wrongVersions { name in
            try await history.history(of: PrimaryKey(name)).entries.map(\.version)
        }
    }
}

/// Asks for the newest entry, and puts the change behind it.
struct NaivePrices: Contestant {
    let pattern = "Historic"
    let way = "naive: query, put"
    let isNaive = true
    let event = "change"
    let eventsInOrder = 10
    let deliveries = 2
    let results = Results(count: eventCount, of: "versions")

    func worker(at place: Place) throws -> Work {
        { number, _ in
            for record in try await PriceChanges.shared(of: names[number]) {
                let newest = try await entries(of: names[number], at: place, limit: 1).first
                let next = (newest?["sk"]?.string.flatMap { Int($0) } ?? 1000) + 1
                try await place.put(["image": .map(record.change?.newImage ?? [:])], at: names[number], "\(next)")
            }
        }
    }

    func mistakes(at place: Place) async throws -> Int {
        try await wrongVersions { name in
            try await entries(of: name, at: place).compactMap { $0["image"]?.map?["version"]?.int64 }
        }
    }

    private func entries(of name: String, at place: Place, limit: Int? = nil) async throws -> [[String: AttributeValue]]
    {
        try await place.table.api.query(
            QueryRequest(
                tableName: place.table.name, keyConditionExpression: "pk = :p",
                expressionAttributeValues: [":p": .string(name)], consistentRead: true, scanIndexForward: false,
                limit: limit)
        ).items ?? []
    }
}
