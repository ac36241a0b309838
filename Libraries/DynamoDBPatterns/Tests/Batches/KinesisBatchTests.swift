import AWSClient
import DynamoDBPatternsTesting
import Testing

@testable import DynamoDBPatterns

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct KinesisBatchTests {
    private struct Failure: Error {}
    private struct Click: Decodable { var page: String }

    private static func event(_ numbers: [Int]) -> [UInt8] {
        let records = numbers.map { number in
            let data = Data(#"{"page":"p\#(number)"}"#.utf8).base64EncodedString()
            return #"""
                {"kinesis":{"kinesisSchemaVersion":"1.0","partitionKey":"k\#(number)","sequenceNumber":"4959\#(number)",
                "data":"\#(data)","approximateArrivalTimestamp":1545084650.987},"eventSource":"aws:kinesis",
                "eventVersion":"1.0","eventID":"shardId-000000000006:4959\#(number)","eventName":"aws:kinesis:record",
                "invokeIdentityArn":"arn:aws:iam::123456789012:role/r","awsRegion":"us-east-2",
                "eventSourceARN":"arn:aws:kinesis:us-east-2:123456789012:stream/clicks"}
                """#
        }
        return Array(#"{"Records":[\#(records.joined(separator: ","))]}"#.utf8)
    }

    private func answer(_ processor: KinesisProcessor, _ numbers: [Int], deadline: Date? = nil) async throws -> String {
        String(decoding: try await processor.answer(event: Self.event(numbers), deadline: deadline), as: UTF8.self)
    }

    @Test("A record has what Lambda says of it")
    func shape() async throws {
        let processor = try KinesisProcessor("clicks", logger: ProcessorWorld.logger) { record in
            #expect(record.id == "shardId-000000000006:49597" && record.sequenceNumber == "49597")
            #expect(record.partitionKey == "k7" && record.time == Date(timeIntervalSince1970: 1_545_084_650.987))
            let click: Click = try record.decode()
            #expect(click.page == "p7")
            #expect { try record.decode([Int].self) } throws: { ($0 as? PatternError)?.code == .poison }
        }
        #expect(try await answer(processor, [7]) == QueueEvent.answer([]))
    }

    @Test("A batch stops at the first failure, and is delivered again from there")
    func failure() async throws {
        let seen = Journal()
        let processor = try KinesisProcessor("clicks", logger: ProcessorWorld.logger) { record in
            seen.write(record.sequenceNumber)
            if record.sequenceNumber == "49592" { throw Failure() }
        }
        #expect(try await answer(processor, [1, 2, 3]) == QueueEvent.answer(["49592"]))
        #expect(seen.entries == ["49591", "49592"])
        #expect(try await answer(processor, []) == QueueEvent.answer([]))
    }

    @Test("After the deadline nothing is begun but the first record; poison goes where it is asked to go")
    func deadline() async throws {
        let time = Simulation(seed: 1)
        let aside = Journal()
        let processor = try KinesisProcessor(
            "clicks", clock: time.clock, onPoison: { record, _ in aside.write(record.sequenceNumber) }
        ) { record in
            time.advance(by: .seconds(10))
            if record.sequenceNumber == "49591" { throw PatternError(.poison, "Never.") }
        }
        let soon = Date(milliseconds: time.clock.milliseconds + 15_000)
        #expect(try await answer(processor, [1, 2, 3], deadline: soon) == QueueEvent.answer(["49593"]))
        #expect(try await answer(processor, [1, 2, 3], deadline: soon) == QueueEvent.answer(["49592"]))
        #expect(aside.entries == ["49591", "49591"])
    }

    @Test(
        "Events of another shape are refused by name",
        arguments: [
            "", "{}", #"{"Records":[{}]}"#, String(decoding: QueueEvent.json([("a", nil)], fifo: false), as: UTF8.self),
            String(decoding: event([1]), as: UTF8.self).replacing("4959", with: "x"),
            String(decoding: event([1]), as: UTF8.self).replacing(":kinesis:", with: ":dynamodb:"),
            String(decoding: event([1]), as: UTF8.self).replacing(#""data":""#, with: #""data":"?"#),
        ])
    func shapes(event: String) async throws {
        let processor = try KinesisProcessor("clicks", logger: ProcessorWorld.logger) { _ in
            Issue.record("It was handled.")
        }
        await expect(.invalidArgument) { _ = try await processor.answer(event: Array(event.utf8)) }
    }

    @Test("Delivered until all is done, with faults at each call: each record's effect exactly once")
    func faults() async throws {
        try await FaultSweep.run { run in
            let world = try PatternWorld()
            var waiting = [1, 2, 3]
            for _ in 1...20 where !waiting.isEmpty {
                let api = run.dynamoDB(world.store)
                let inbox = try Inbox("inbox", in: world.table(api), logger: ProcessorWorld.logger)
                let processor = try KinesisProcessor("clicks", clock: world.time.clock, logger: ProcessorWorld.logger) {
                    record in
                    try await inbox.receive(record.id) { $0.write(PatternWorld.effect(record.id)) }
                }
                let answer = try await processor.answer(event: Self.event(waiting))
                world.time.advance(by: .seconds(61))
                if api.hasCrashed { continue }
                let failed = try JSONReader.value(of: answer).map?["batchItemFailures"]?.list ?? []
                let first = failed.first?.map?["itemIdentifier"]?.string.flatMap { Int($0.dropFirst(4)) }
                waiting = waiting.filter { $0 >= first ?? .max }
            }
            try run.check(waiting.isEmpty, "Left: \(waiting).")
            for number in 1...3 {
                let effects = PatternWorld.effects("shardId-000000000006:4959\(number)", in: world.store)
                try run.check(effects == 1, "Record \(number) was handled \(effects) times.")
            }
        }
    }
}
