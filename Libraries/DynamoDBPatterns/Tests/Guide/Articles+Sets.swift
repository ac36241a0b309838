// swift-format-ignore-file
// The code is laid out as in the articles.

import AWSClient
import DynamoDBPatterns
import Foundation
import ServiceLifecycle

extension PatternsGuide {
    static func aggregatorArticle(
        client: AWSClient, event: Event, session: String, mails: Mails, record: StreamRecord
    ) async throws {
        struct Click: Codable, Sendable { var page: String }

        let table = PatternTable("patterns", in: DynamoDB(client))
        let clicks = try Aggregator("clicks", of: Click.self, in: table, rule: .count(10), timeout: .seconds(1800))

        // Wherever a click comes in:
        if try await clicks.add(Click(page: event.page), id: event.id, to: session) == .completed {
            try await clicks.act(on: session, alert)
        }

        // Once a minute, from a schedule:
        try await clicks.sweep(alert)

        // Or in a server, as a service:
        let sweeping = ClosureService { try await clicks.run { try await alert($0) } }

        @Sendable func alert(_ set: Aggregate<Click, NoValue>) async throws -> [TransactWriteItem] {
            if set.isTimedOut { return [] }  // Fewer than ten clicks: nothing to say.
            try await mails.send(set.members.values, idempotencyKey: set.idempotencyKey)
            return []
        }

        try await clicks.handle(record, alert)
        let carts = try Aggregator(
            "carts", of: Sale.self, in: table,
            rule: .merging(into: 0, { sum, sale in sum += sale.cents }, until: { sum, count in sum >= 1_000 || count == 10 }),
            timeout: .seconds(1800))
        _ = (sweeping, carts)
    }

    static func periodicArticle(client: AWSClient, event: Event, visit: Visit) async throws {
        let table = PatternTable("Patterns", in: DynamoDB(client))
        let minutes = try PeriodicAggregator<Visit, Totals>(
            "visits", in: table, period: .seconds(60), initial: Totals()
        ) { totals, visit in
            totals.visits += 1
            totals.seconds += visit.seconds
        }

        // Wherever visits come in, such as a function that reads a queue:
        try await minutes.collect(visit, id: event.id, at: event.time)

        // On a schedule, once a minute, whatever the period; in a server, `run` does it:
        try await minutes.runDue { closed in
            [.put(.init(
                tableName: "VisitsByMinute", item: try AttributeEncoder().item(of: Row(closed.bucket.start, closed.partial))))]
        }
        do {
            let sums = try PeriodicAggregator<Int, Int>("try", in: table, period: .seconds(5), initial: 0) { $0 += $1 }
            try await sums.collect(7, id: "1", at: .now)
            try await sums.runDue(waiting: .seconds(15)) { print($0.partial); return [] }      // 5 to 10 s later: 7
        }
    }

    static func counterArticle(
        table: PatternTable, dynamoDB: DynamoDB, video: String, event: Event, like: Booking,
        all: VersionedTable<Booking>
    ) async throws {
        let likes = try ShardedCounter("likes", in: table, shards: 10)
        try await likes.add(to: video)                              // at least once
        try await likes.add(1, to: video, request: event.id)        // once for each event, for 15 days
        let count = try await likes.value(of: video)

        // Counted if and only if the transaction is carried out:
        try await dynamoDB.transact { transaction in
            try transaction.insert(like, into: all)
            try transaction.add(likes.adding(1, to: video))
        }
        _ = count
    }
}
