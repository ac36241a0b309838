import AWSClient
import DynamoDBPatterns
import Foundation

/// Every version of a price list, read from its stream by two workers: who changed what, what it was, and back again.
@main
struct AuditTrail {
    struct Price: Codable, Sendable {
        var id: String
        var cents: Int
        var author: String
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
        let dynamoDB = DynamoDB(client)
        let run = "\(UInt32.random(in: 0 ... .max))"
        let name = "audit-trail-\(run)"
        let prices = VersionedTable<Price>(name, in: dynamoDB, key: .init(partition: "id"))
        try await prices.create(in: dynamoDB)
        try await PatternTable.create("audit-trail-history", in: dynamoDB)
        let kept = PatternTable("audit-trail-history", in: dynamoDB)

        let history = try Historic("prices-\(run)", of: prices, in: kept, author: "author")
        try await prices.insert(Price(id: "tea", cents: 300, author: "ann"))
        try await prices.update("tea") { $0 = Price(id: "tea", cents: 350, author: "ben") }
        if let tea = try await prices.load("tea") { try await history.delete(tea, by: "cid") }

        // By attributes, so that a change of the type `Price` stops no record.
        let recorder = try StreamProcessor<[String: AttributeValue]>("recorder-\(run)") {
            try await history.record($0.record)
        }
        for _ in 1...2 {
            // The second worker finds nothing left to do: the leases say how far the first one came.
            let worker = try await StreamConsumer(recorder, ofTable: name, in: dynamoDB, leases: kept)
            var count = 0
            while case let read = try await worker.step(), read > 0 { count += read }
            print("a worker read \(count) records")
        }
        let page = try await history.history(of: "tea")
        for entry in page.entries {
            let price = try entry.item.map { "\($0.cents) cents" } ?? "gone"
            print("version \(entry.version): \(entry.kind), \(price), by \(entry.by ?? "unknown")")
        }
        if case .deleted = try await history.item("tea", at: .now) { print("now: deleted") }
        if let entry = page.entries.first(where: { $0.version == 2 }) {
            let restored = try await history.restore(entry)
            print("restored: \(restored.item.cents) cents, version \(restored.version)")
        }
        try await client.shutdown()
    }
}
