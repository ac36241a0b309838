// swift-format-ignore-file
// The code is laid out as on the page.

import AWSClient
import DynamoDBPatterns
import Foundation
import LambdaRuntime

extension PatternsGuide {
    static func aggregator(table: PatternTable, click: Click, event: Event, session: String) async throws {
        let clicks = try Aggregator("clicks", of: Click.self, in: table, rule: .count(10), timeout: .seconds(3600))
        if try await clicks.add(click, id: event.id, to: session) == .completed {
            try await clicks.act(on: session) { set in [/* writes that belong to it, carried out exactly once */] }
        }
        try await clicks.sweep { set in [] }  // once a minute: what timed out, and what nobody finished; or `run`, in a server
    }

    static func periodicAggregator(table: PatternTable, sale: Sale, event: Event) async throws {
        let sales = try PeriodicAggregator<Sale, Int>("sales", in: table, period: .seconds(3600), initial: 0) { $0 += $1.cents }
        try await sales.collect(sale, id: event.id, at: event.time)       // one write unit
        try await sales.runDue { closed in [/* writes */] }                // once a minute; two at a time do no harm
    }

    static func periodicAggregatorTry(table: PatternTable) async throws {
        let sales = try PeriodicAggregator<Sale, Int>("try", in: table, period: .seconds(5), initial: 0) { $0 += $1.cents }
        try await sales.collect(Sale(cents: 300), id: "1", at: .now)
        try await sales.runDue(waiting: .seconds(15)) { print("\($0.count) sales, \($0.partial) cents"); return [] }
    }

    static func processor(
        table: PatternTable, hall: Hall, bank: Bank, queue: Queue, id: String, order: Order
    ) async throws {
        let orders = try Processor<Order>("orders", in: table, steps: [
            Step("reserve") { order, step in
                order.seats = try await hall.reserve(order.show, key: step.idempotencyKey)
                return .done
            } compensation: { order, step in
                try await hall.release(order.show, key: step.effectKey)
            },
            Step("pay", retry: StepRetry(attempts: 5)) { order, step in
                try await bank.pay(order.cents, key: step.idempotencyKey)
                return .done
            },
            Step("ship") { order, step in
                try step.send("shipped", order.id)
                return .done
            },
        ])
        try await orders.start(id, order)
        try await orders.runDue()                    // workers, as many as you like
        try await orders.relay { message in          // what the steps sent
            try await queue.send(message.decode(String.self), to: message.topic, id: message.id)
        }
    }

    static func optimisticLocking(
        dynamoDB: DynamoDB, loaded: Versioned<Show>, booking: Booking, bookings: VersionedTable<Booking>,
        review: (Show) -> Void
    ) async throws {
        let shows = VersionedTable<Show>("shows", in: dynamoDB, key: .init(partition: "id"))
        try await shows.create(in: dynamoDB)                              // in development, with a stream; check(in:) only checks
        try await shows.update("hamlet") { $0.free -= 1 }                 // load, change, save; again on a conflict
        do { try await shows.save(loaded) } catch let conflict as Conflict<Show> {
            if let newer = conflict.newer { review(newer.item) }
        }
        try await dynamoDB.transact { transaction in                      // all of it, or none
            guard var show = try await transaction.load("hamlet", from: shows) else { return }
            show.item.free -= 1
            try transaction.save(show, in: shows)
            try transaction.insert(booking, into: bookings)
        }
    }

    static func historic(
        dynamoDB: DynamoDB, prices: VersionedTable<Price>, tea: Versioned<Price>, lastTuesday: Date
    ) async throws {
        let history = try Historic("prices", of: prices, in: PatternTable("history", in: dynamoDB), author: "author")
        // By attributes, and not by the type: what was written before a change of the type is recorded, too.
        let recorder = try StreamProcessor<[String: AttributeValue]>("recorder") { try await history.record($0.record) }
        let past = try await history.item("tea", at: lastTuesday)  // .found, .deleted, .didNotExistYet or .unknown: no guess
        try await history.restore("tea", at: lastTuesday)
        try await history.delete(tea, by: "ann")           // DynamoDB does not say who deleted something: so this does
        _ = (recorder, past)
    }

    static func idempotentHandler(
        table: PatternTable, bank: Bank, request: Request, deadline: Date, entry: TransactWriteItem.Put,
        message: QueueMessage, booking: Booking, bookings: VersionedTable<Booking>
    ) async throws {
        let payments = try IdempotentHandler("payments", answering: Receipt.self, in: table)
        let receipt = try await payments.handle(request.id, payload: request, until: deadline) { call in
            call.write(.put(entry))                                                // exactly once, with the answer
            return try await bank.pay(request.amount, key: call.idempotencyKey)    // at least once, under one key
        }.answer
        let inbox = try Inbox("orders", in: table)
        try await inbox.receive(message.id) { call in try await fulfil(message, key: call.idempotencyKey) }
        try await inbox.transact(message.id) { transaction in                      // a transaction of VersionedTables, once
            try transaction.insert(booking, into: bookings)
        }
        _ = receipt
    }

    static func lease(
        table: PatternTable, dynamoDB: DynamoDB, report: Report, reports: VersionedTable<Report>
    ) async throws {
        let leases = try LeaseManager("jobs", in: table, duration: .seconds(30))
        try await leases.withLease("nightly", waiting: .seconds(10)) { lease in    // renewed meanwhile; cancelled if it is lost
            try await dynamoDB.transact { transaction in
                try transaction.check(lease)                                       // refused for a holder that was taken over
                try transaction.insert(report, into: reports)
            }
        }
    }

    static func uniqueConstraint(
        table: PatternTable, dynamoDB: DynamoDB, user: User, users: VersionedTable<User>
    ) async throws {
        let emails = try UniqueConstraint("users.email", in: table)
        try await dynamoDB.transact { transaction in                               // throws `taken` if another user has it
            try transaction.claim(user.email, for: user.id, in: emails)            // or move(from:to:of:in:), release(_:of:in:)
            try transaction.insert(user, into: users)
        }
    }

    static func shardedCounter(table: PatternTable, video: String, event: Event) async throws {
        let likes = try ShardedCounter("likes", in: table, shards: 10)
        try await likes.add(to: video)                                             // 1 write unit; at least once
        try await likes.add(1, to: video, request: event.id)                       // 4 write units; once
        let count = try await likes.value(of: video)                               // 1 read unit for each shard
        _ = count
    }

    static func batchAnswers(inbox: Inbox, invocation: Invocation, deadline: Date) async throws -> [UInt8] {
        let orders = try QueueProcessor("orders", concurrency: 5) { message in
            try await inbox.receive(message.id) { call in try await fulfil(message, key: call.idempotencyKey) }
        }
        return try await orders.answer(event: invocation.body, deadline: deadline) // KinesisProcessor is the same for Kinesis
    }

    static func fulfil(_ message: QueueMessage, key: String) async throws {}
}
