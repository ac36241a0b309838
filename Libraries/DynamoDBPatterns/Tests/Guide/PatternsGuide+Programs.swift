// swift-format-ignore-file
// The code is laid out as on the page.

import AWSClient
import DynamoDBPatterns
import DynamoDBPatternsTesting
import Foundation
import LambdaRuntime
import Logging
import ServiceLifecycle
import Testing
import UnixSignals

extension PatternsGuide {
    struct Shop {
        static func main() async {
            // An error that leaves main() is printed as a crash. Caught, it is one line that says what to do.
            do { try await run() } catch {
                print(error)
                exit(1)
            }
        }

        static func run() async throws {
            // Region, credentials and endpoint from where each AWS SDK takes them: AWS_REGION, AWS_PROFILE, ~/.aws,
            // AWS_ENDPOINT_URL, or a role.
            let client = try AWSClient(configuration: AWSConfiguration(environment: .process()))
            let dynamoDB = DynamoDB(client)
            // In development; needs CreateTable, DescribeTable, and those of TimeToLive. For a deployment, print
            // PatternTable.samResource(name: "patterns"), or terraformResource(name:), and policyStatement(forTable:).
            try await PatternTable.create("patterns", in: dynamoDB)
            let table = PatternTable("patterns", in: dynamoDB)
            try await sell(table)
            try await client.shutdown()
        }
    }

    /// What the shop does.
    static func sell(_ table: PatternTable) async throws {}

    static func streams(table: PatternTable, dynamoDB: DynamoDB, index: SearchIndex, logger: Logger) async throws {
        let recorder = try StreamProcessor<Price>("recorder", deadLetters: TableDeadLetters(in: table)) { change in
            try await index.update(change.keys, with: change.new)
        }

        // In Lambda:
        try await LambdaRuntime(environment: ProcessInfo.processInfo.environment, logger: logger).run { invocation in
            let left = (invocation.deadline - .now) / .seconds(1)
            return try await recorder.answer(event: invocation.body, deadline: Date(timeIntervalSinceNow: left - 1))
        }
        // Anywhere else:
        try await StreamConsumer(recorder, ofTable: "prices", in: dynamoDB, leases: table).run()
    }

    static func services(
        orders: Processor<Order>, clicks: Aggregator<Click, NoValue>, sales: PeriodicAggregator<Sale, Int>,
        recorder: StreamProcessor<Price>, dynamoDB: DynamoDB, client: AWSClient, table: PatternTable, queue: Queue,
        alert: @escaping @Sendable (Aggregate<Click, NoValue>) async throws -> [TransactWriteItem],
        report: @escaping @Sendable (ClosedBucket<Int>) async throws -> [TransactWriteItem], logger: Logger
    ) async throws {
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    .init(service: orders),
                    .init(service: try await StreamConsumer(recorder, ofTable: "prices", in: dynamoDB, leases: table)),
                    .init(service: ClosureService { try await orders.runRelay { try await queue.send($0) } }),
                    .init(service: ClosureService { try await clicks.run { set in try await alert(set) } }),
                    .init(service: ClosureService { try await sales.run { closed in try await report(closed) } }),
                ],
                gracefulShutdownSignals: [.sigterm], logger: logger))
        try await group.run()
        try await client.shutdown()
    }

    static func testing(recorder: StreamProcessor<Show>) async throws {
        let store = MemoryDynamoDB()
        try store.createPatternTable("patterns")
        let table = PatternTable("patterns", in: store)    // for everything above
        let shows = VersionedTable<Show>("shows", in: store, key: .init(partition: "id"))
        try store.createTable(for: shows)

        let consumer = StreamConsumer(recorder, of: try #require(store.streamARN(of: "shows")), in: store, leases: table)
        while try await consumer.step() > 0 {}
    }
}
