import AWSClient
import DynamoDBPatterns
import Foundation

/// Sales of each hour, added up once: two runs at the same time, and a sale that comes when its hour is closed.
@main
struct HourlyReport {
    struct Sale: Codable, Sendable {
        var cents: Int
    }

    static func main() async {
        // An error that leaves main() is printed as a crash. Caught, it is one line that says what to do.
        do { try await run() } catch {
            print(error)
            exit(1)
        }
    }

    static func run() async throws {
        let client = try AWSClient(configuration: AWSConfiguration(environment: .process()))
        try await PatternTable.create("hourly-report", in: DynamoDB(client))
        let table = PatternTable("hourly-report", in: DynamoDB(client))
        let name = "sales-\(UInt32.random(in: 0 ... .max))"
        let sales = try PeriodicAggregator<Sale, Int>(
            name, in: table, period: .seconds(3600), pageSize: 10, initial: 0
        ) { total, sale in total += sale.cents }

        // Three hours ago: 25 sales, more than a page, each delivered twice.
        let then = Date().addingTimeInterval(-3 * 3600)
        for number in 1...25 {
            for _ in 1...2 { _ = try await sales.collect(Sale(cents: number), id: "sale-\(number)", at: then) }
        }
        async let one = sales.runDue(finish: report)
        async let other = sales.runDue(finish: report)
        print("closed by two runs at a time: \(try await (one + other).count) bucket")

        // The hour is closed: a sale of it goes into the current one, and says so; delivered again, it is known.
        for delivery in ["first", "second"] {
            switch try await sales.collect(Sale(cents: 1000), id: "late", at: then) {
            case .collected: print("late sale, \(delivery) delivery: in its own hour")
            case .late(let bucket?):
                print(
                    "late sale, \(delivery) delivery: into the hour that ends \(bucket.end > .now ? "next" : "before")")
            case .late(nil): print("late sale, \(delivery) delivery: refused")
            case .duplicate: print("late sale, \(delivery) delivery: a duplicate")
            }
        }
        try await client.shutdown()
    }

    @Sendable static func report(_ closed: ClosedBucket<Int>) -> [TransactWriteItem] {
        print("REPORT: \(closed.count) sales, \(closed.partial) cents")
        return []
    }
}
