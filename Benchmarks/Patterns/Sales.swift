import AWSClient
import DynamoDBPatterns
import Foundation

/// A sale, of which a day's are added up.
struct Sale: Codable, Sendable {
    var shop: String
    var cents: Int

    init(_ number: Int) {
        shop = "shop-\(number % 7)"
        cents = number
    }
}

/// The periodic aggregator: collects the sales of today, and adds them up two days later.
struct CollectedSales: Contestant {
    let pattern = "Periodic aggregator"
    let way = "`collect`"
    let isNaive = false
    let event = "member"
    let results = Results(count: eventCount, of: "members")

    private func sales(in table: PatternTable) throws -> PeriodicAggregator<Sale, Int> {
        try PeriodicAggregator("sales", in: table, period: .seconds(86_400), initial: 0) { $0 += $1.cents }
    }

    func worker(at place: Place) throws -> Work {
        let sales = try sales(in: place.table)
        return { number, _ in
            try await sales.collect(Sale(number), id: "sale-\(number)", at: place.table.clock.now())
        }
    }

    func finish(at place: Place) async throws -> Finish? {
        var clock = place.table.clock
        let now = clock.now
        clock.now = { now().addingTimeInterval(2 * 86_400) }
        let later = PatternTable(place.table.name, in: place.table.api, clock: clock)
        try await sales(in: later).runDue { _ in [] }
        return Finish(way: "`runDue`, all \(eventCount) members", event: "bucket")
    }

    func mistakes(at place: Place) async throws -> Int {
        let sales = try sales(in: place.table)
        let closed = try await sales.result(of: sales.bucket(of: place.table.clock.now()))
        let isWhole = closed?.partial == (0..<eventCount).reduce(0, +)
        return isWhole ? 0 : max(abs(eventCount - (closed?.count ?? 0)), 1)
    }
}

/// Keeps the members of a day in a list in its item, which each member reads and writes.
struct NaiveSales: Contestant {
    let pattern = "Periodic aggregator"
    let way = "naive: get, append, put"
    let isNaive = true
    let event = "member"
    let results = Results(count: eventCount, of: "members")

    func worker(at place: Place) throws -> Work {
        { number, _ in
            var members = try await place.get("today")?["members"]?.list ?? []
            let sale = try AttributeEncoder().attribute(of: Sale(number))
            members.append(.map(["id": .string("sale-\(number)"), "sale": sale]))
            try await place.put(["members": .list(members)], at: "today")
        }
    }

    func finish(at place: Place) async throws -> Finish? {
        _ = try await place.get("today")
        return Finish(way: "naive: get, all \(eventCount) members", event: "bucket")
    }

    func mistakes(at place: Place) async throws -> Int {
        let members = try await place.get("today")?["members"]?.list ?? []
        return eventCount - Set(members.compactMap { $0.map?["id"]?.string }).count
    }
}
