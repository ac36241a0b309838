// swift-format-ignore-file
// The code is laid out as in the articles.

import AWSClient
import DynamoDBPatterns
import DynamoDBPatternsTesting
import Foundation
import LambdaRuntime
import Logging
import Testing

extension PatternsGuide {
    static func streamsArticle(
        table: PatternTable, dynamoDB: DynamoDB, store: MemoryDynamoDB, mails: Mails, logger: Logger
    ) async throws {
        struct Order: Codable, Sendable { var total: Int }

        let letters = TableDeadLetters(in: table)
        let processor = try StreamProcessor<Order>("orders", deadLetters: letters) { change in
            guard case .inserted(let new?) = change.kind else { return }
            try await mails.send(new, idempotencyKey: change.id)
        }
        try await LambdaRuntime(environment: ProcessInfo.processInfo.environment, logger: logger).run { invocation in
            let left = (invocation.deadline - .now) / .seconds(1)
            return try await processor.answer(event: invocation.body, deadline: Date(timeIntervalSinceNow: left - 1))
        }
        do {
            let consumer = try await StreamConsumer(processor, ofTable: "orders", in: dynamoDB, leases: table)
            try await consumer.run()              // as a service of a group
        }
        do {
            let consumer = StreamConsumer(processor, of: try #require(store.streamARN(of: "orders")), in: store, leases: table)
            while try await consumer.step() > 0 {}
        }
        for letter in try await letters.letters(of: "orders") {
            // A record that fails again is the same letter again: do not remove it.
            if await processor.process([try letter.record()]).isHandled { try await letters.remove(letter) }
        }
    }

    static func eventSourcesArticle(
        processor: StreamProcessor<Price>, streamARN: String, streams: any StreamsAPI
    ) async throws {
        let filter = try FilterCriteria(.becomes("state", "READY"))
        let mapping = try EventSourceMapping(filter: filter, maximumRetryAttempts: 5, bisectsOnError: true)

        print(mapping.samSnippet(stream: "!GetAtt Orders.StreamArn", onFailure: .queue("!GetAtt Failures.Arn"), indent: 10))

        var runner = EventSourceRunner(mapping, of: streamARN, in: streams) { event in
            try await processor.answer(event: event)
        }
        try await runner.drain()
    }

    static func batchesArticle(inbox: Inbox, logger: Logger) async throws {
        let orders = try QueueProcessor("orders", concurrency: 5) { message in
            try await inbox.receive(message.id) { call in try await fulfil(message, key: call.idempotencyKey) }
        }
        try await LambdaRuntime(environment: ProcessInfo.processInfo.environment, logger: logger).run { invocation in
            let left = (invocation.deadline - .now) / .seconds(1)
            return try await orders.answer(event: invocation.body, deadline: Date(timeIntervalSinceNow: left - 1))
        }
    }
}
