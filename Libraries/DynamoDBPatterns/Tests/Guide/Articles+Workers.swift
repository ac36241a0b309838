// swift-format-ignore-file
// The code is laid out as in the articles.

import AWSClient
import CoreMetrics
import DynamoDBPatterns
import Foundation
import LambdaRuntime
import Logging
import ServiceLifecycle
import UnixSignals

extension PatternsGuide {
    static func processorArticle(
        client: AWSClient, stock: Stock, bank: Bank, queue: Queue, end: Date, logger: Logger
    ) async throws {
        struct Order: Codable, Sendable {
            var amount: Int
            var payment: String?
        }

        let orders = try Processor(
            "orders", in: PatternTable("patterns", in: DynamoDB(client)),
            steps: [
                Step<Order>("reserve") { order, context in
                    try await stock.reserve(order.amount, key: context.idempotencyKey)
                    return .done
                } compensation: { order, context in
                    try await stock.free(context.effectKey)
                },
                Step("pay", retry: StepRetry(attempts: 8), timeout: .seconds(10)) { order, context in
                    guard let payment = try await bank.charge(order.amount, key: context.idempotencyKey) else {
                        return .fail("The card was declined.")
                    }
                    order.payment = payment
                    try context.send("receipts", payment)
                    return .done
                } compensation: { order, context in
                    try await bank.refund(context.effectKey)
                },
                Step("ship") { order, context in
                    try context.signal("picked-up", as: Bool.self) == true ? .done : .waitForSignal(atMost: .seconds(86400))
                },
            ])

        try await orders.start("order-42", Order(amount: 12))       // anywhere; a repetition changes nothing
        try await orders.signal("picked-up", of: "order-42")         // from a webhook
        try await orders.cancel("order-42")                          // turns it back

        // A worker, and the relay that sends the messages in the outbox; any number, anywhere. Both run until they are stopped.
        let relay = ClosureService { try await orders.runRelay { try await queue.send($0) } }
        try await ServiceGroup(services: [orders, relay], gracefulShutdownSignals: [.sigterm], logger: logger).run()
        let wakeUps = try StreamProcessor<[String: AttributeValue]>("orders-wake-ups") { change in
            try await orders.handle(change.record, until: end) { try await queue.send($0) }
        }
        _ = wakeUps
    }

    static func leaseArticle(
        table: PatternTable, dynamoDB: DynamoDB, pages: [Report], reports: VersionedTable<Report>
    ) async throws {
        let leases = try LeaseManager("jobs", in: table, duration: .seconds(30))
        try await leases.withLease("nightly", waiting: .seconds(10)) { lease in
            for page in pages {
                try Task.checkCancellation()                                  // the body is cancelled if the lease is lost
                try await dynamoDB.transact { transaction in
                    try transaction.check(lease)                              // an earlier holder writes nothing
                    try transaction.insert(page, into: reports)
                }
            }
        }
        while !Task.isCancelled {
            do { try await leases.withLease("leader", waiting: .seconds(300)) { lease in try await lead(lease.fence) } }
            catch let error as PatternError where [.busy, .leaseLost].contains(error.code) {}
        }
        let service = ClosureService {
            do {
                try await cancelWhenGracefulShutdown {
                    try await leases.withLease("leader", waiting: .seconds(300)) { lease in try await lead(lease.fence) }
                }
            } catch is CancellationError {}
        }
        _ = service
        @Sendable func lead(_ fence: Int64) async throws {}
    }

    static func workersArticle(
        orders: Processor<Order>, clicks: Aggregator<Click, NoValue>, sales: PeriodicAggregator<Sale, Int>,
        consumer: StreamConsumer, client: AWSClient, queue: Queue, alert: @escaping @Sendable (Aggregate<Click,
        NoValue>) async throws -> [TransactWriteItem],
        report: @escaping @Sendable (ClosedBucket<Int>) async throws -> [TransactWriteItem], logger: Logger
    ) async throws {
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    .init(service: orders),
                    .init(service: consumer),
                    .init(service: ClosureService { try await orders.runRelay { try await queue.send($0) } }),
                    .init(service: ClosureService { try await clicks.run { set in try await alert(set) } }),
                    .init(service: ClosureService { try await sales.run { closed in try await report(closed) } }),
                ],
                gracefulShutdownSignals: [.sigterm], logger: logger))
        try await group.run()
        try await client.shutdown()
    }

    static func metricsArticle(
        dynamoDB: DynamoDB, prometheus: any MetricsFactory, orders: Processor<Order>
    ) async throws {
        let table = PatternTable("patterns", in: dynamoDB, metrics: PatternMetrics(factory: prometheus))

        // Once a minute, in one process:
        try await orders.backlog()     // also of Aggregator and PeriodicAggregator; returns what it found
        _ = table
    }
}
