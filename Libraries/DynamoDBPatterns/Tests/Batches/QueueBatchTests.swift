import AWSClient
import DynamoDBPatternsTesting
import Synchronization
import Testing

@testable import DynamoDBPatterns

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Events of SQS as Lambda makes them.
enum QueueEvent {
    static func json(_ messages: [(id: String, group: String?)], fifo: Bool) -> [UInt8] {
        let records = messages.map { id, group in
            let groupID = group.map { #","MessageGroupId":"\#($0)""# } ?? ""
            return #"""
                {"messageId":"\#(id)","receiptHandle":"AQEB","body":"{\"number\":\#(id.utf8.count)}","attributes":
                {"ApproximateReceiveCount":"2","SentTimestamp":"1545082649183","SenderId":"AIDA"\#(groupID)},
                "messageAttributes":{"kind":{"stringValue":"order","stringListValues":[],"dataType":"String"},
                "raw":{"binaryValue":"AAE=","dataType":"Binary"}},"md5OfBody":"098f","eventSource":"aws:sqs",
                "eventSourceARN":"arn:aws:sqs:us-east-2:123456789012:queue\#(fifo ? ".fifo" : "")","awsRegion":"us-east-2"}
                """#
        }
        return Array(#"{"Records":[\#(records.joined(separator: ","))]}"#.utf8)
    }

    static func answer(_ ids: [String]) -> String {
        let items = ids.map { #"{"itemIdentifier":"\#($0)"}"# }
        return #"{"batchItemFailures":[\#(items.joined(separator: ","))]}"#
    }
}

@Suite struct QueueBatchTests {
    private struct Failure: Error {}
    private struct Order: Decodable { var number: Int }

    private func answer(
        _ processor: QueueProcessor, _ messages: [(id: String, group: String?)], fifo: Bool, deadline: Date? = nil
    ) async throws -> String {
        String(
            decoding: try await processor.answer(event: QueueEvent.json(messages, fifo: fifo), deadline: deadline),
            as: UTF8.self)
    }

    @Test("A message has what Lambda says of it")
    func shape() async throws {
        let processor = try QueueProcessor("orders", logger: ProcessorWorld.logger) { message in
            #expect(message.id == "m1" && message.groupID == "g" && message.isOrdered && message.receiveCount == 2)
            #expect(message.messageAttributes == ["kind": "order"])
            #expect(message.sent == Date(milliseconds: 1_545_082_649_183))
            let order: Order = try message.decode()
            #expect(order.number == 2)
            #expect { try message.decode([Int].self) } throws: { ($0 as? PatternError)?.code == .poison }
        }
        #expect(try await answer(processor, [("m1", "g")], fifo: true) == QueueEvent.answer([]))
    }

    @Test("Of a standard queue only what failed is delivered again", arguments: [1, 3])
    func standard(concurrency: Int) async throws {
        let seen = Journal()
        let processor = try QueueProcessor("orders", concurrency: concurrency, logger: ProcessorWorld.logger) {
            message in
            seen.write(message.id)
            if ["b", "d"].contains(message.id) { throw Failure() }
        }
        // Groups of a standard queue have no order.
        let messages = [("a", "g"), ("b", "g"), ("c", "g"), ("d", nil), ("e", nil)]
        #expect(try await answer(processor, messages, fifo: false) == QueueEvent.answer(["b", "d"]))
        #expect(seen.entries.sorted() == ["a", "b", "c", "d", "e"])
    }

    @Test(
        "Of a FIFO queue everything after a failure fails in its group, unhandled, and in no other", arguments: [1, 3])
    func fifo(concurrency: Int) async throws {
        let seen = Journal()
        let processor = try QueueProcessor("orders", concurrency: concurrency, logger: ProcessorWorld.logger) {
            message in
            seen.write(message.id)
            if message.id == "g2" { throw Failure() }
        }
        let messages = [("g1", "g"), ("h1", "h"), ("g2", "g"), ("h2", "h"), ("g3", "g"), ("h3", "h"), ("g4", "g")]
        #expect(try await answer(processor, messages, fifo: true) == QueueEvent.answer(["g2", "g3", "g4"]))
        #expect(seen.entries.filter { $0.hasPrefix("g") } == ["g1", "g2"])
        #expect(seen.entries.filter { $0.hasPrefix("h") } == ["h1", "h2", "h3"])
    }

    @Test("No more messages are handled at one time than is allowed")
    func concurrency() async throws {
        let running = Mutex((now: 0, most: 0))
        let processor = try QueueProcessor("orders", concurrency: 3, logger: ProcessorWorld.logger) { _ in
            running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            for _ in 1...20 { await Task.yield() }
            running.withLock { $0.now -= 1 }
        }
        _ = try await answer(processor, (1...20).map { ("m\($0)", nil) }, fifo: false)
        #expect((1...3).contains(running.withLock { $0.most }))
    }

    @Test("After the deadline nothing is begun but the first message")
    func deadline() async throws {
        let time = Simulation(seed: 1)
        let seen = Journal()
        let processor = try QueueProcessor("orders", clock: time.clock, logger: ProcessorWorld.logger) { message in
            seen.write(message.id)
            time.advance(by: .seconds(10))
        }
        let messages = [("a", "g"), ("b", "g"), ("c", "h")]
        let soon = Date(milliseconds: time.clock.milliseconds + 15_000)
        #expect(try await answer(processor, messages, fifo: true, deadline: soon) == QueueEvent.answer(["c"]))
        #expect(try await answer(processor, messages, fifo: true, deadline: soon) == QueueEvent.answer(["b", "c"]))
        #expect(seen.entries == ["a", "b", "a"])
    }

    @Test("Poison goes where it is asked to go, and its group goes on; it fails if that does not work")
    func poison() async throws {
        let aside = Journal()
        let processor = try QueueProcessor(
            "orders",
            onPoison: { message, _ in
                if message.id == "d" { throw Failure() }
                aside.write(message.id)
            }
        ) { message in
            if ["b", "d"].contains(message.id) { throw PatternError(.poison, "Never.") }
        }
        let messages = ["a", "b", "c", "d", "e"].map { ($0, "g" as String?) }
        #expect(try await answer(processor, messages, fifo: true) == QueueEvent.answer(["d", "e"]))
        #expect(aside.entries == ["b"])
        let plain = try QueueProcessor("orders", logger: ProcessorWorld.logger) { _ in
            throw PatternError(.poison, "Never.")
        }
        #expect(try await answer(plain, [("a", nil)], fifo: false) == QueueEvent.answer(["a"]))
    }

    @Test(
        "Events of another shape are refused by name",
        arguments: [
            "", "{}", "[]", #"{"Records":[{}]}"#,
            #"{"Records":[{"messageId":"1","body":"b","eventSourceARN":"arn:aws:sns:x"}]}"#,
            #"{"Records":[{"messageId":"","body":"b","eventSourceARN":"arn:aws:sqs:x"}]}"#,
            #"{"Records":[{"messageId":"1","eventSourceARN":"arn:aws:sqs:x"}]}"#,
        ])
    func shapes(event: String) async throws {
        let processor = try QueueProcessor("orders", logger: ProcessorWorld.logger) { _ in
            Issue.record("It was handled.")
        }
        await expect(.invalidArgument) { _ = try await processor.answer(event: Array(event.utf8)) }
        #expect(try await answer(processor, [], fifo: false) == QueueEvent.answer([]))
    }

    @Test("Identities are escaped in the answer")
    func escaping() async throws {
        let event = #"{"Records":[{"messageId":"a\"]}","body":"","eventSourceARN":"arn:aws:sqs:x:y:q"}]}"#
        let processor = try QueueProcessor("orders", logger: ProcessorWorld.logger) { _ in throw Failure() }
        let answer = try await processor.answer(event: Array(event.utf8))
        #expect(String(decoding: answer, as: UTF8.self) == QueueEvent.answer([#"a\"]}"#]))
    }

    /// A FIFO queue that delivers until all is done, batch by batch, with an inbox behind it.
    @Test("With an inbox each message is handled once, and each group in its order, whatever happens to which call")
    func faults() async throws {
        try await FaultSweep.run { run in
            let world = try PatternWorld()
            let handled = Journal()
            var waiting: [(id: String, group: String?)] = [
                ("g1", "g"), ("h1", "h"), ("g2", "g"), ("h2", "h"), ("g3", "g"),
            ]
            for _ in 1...20 where !waiting.isEmpty {
                let api = run.dynamoDB(world.store)
                let inbox = try Inbox("inbox", in: world.table(api), logger: ProcessorWorld.logger)
                let processor = try QueueProcessor("orders", clock: world.time.clock, logger: ProcessorWorld.logger) {
                    message in
                    try await inbox.receive(message.id) { call in
                        handled.write(message.id)
                        call.write(PatternWorld.effect(message.id))
                    }
                }
                let answer = try await processor.answer(event: QueueEvent.json(waiting, fifo: true))
                world.time.advance(by: .seconds(61))
                // After a crash nobody hears the answer.
                if api.hasCrashed { continue }
                let failed = try JSONReader.value(of: answer).map?["batchItemFailures"]?.list ?? []
                let ids = failed.compactMap { $0.map?["itemIdentifier"]?.string }
                waiting.removeAll { !ids.contains($0.id) }
            }
            try run.check(waiting.isEmpty, "Left: \(waiting.map(\.id)).")
            for id in ["g1", "g2", "g3", "h1", "h2"] {
                let effects = PatternWorld.effects(id, in: world.store)
                try run.check(effects == 1, "\(id) was handled \(effects) times.")
            }
            let order = handled.entries.filter { $0.hasPrefix("g") }
            try run.check(order == order.sorted(), "The order was \(order).")
        }
    }
}
