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

@Suite struct DeadLetterTests {
    private func letter(_ record: StreamRecord, text: String = "No.") -> DeadLetter {
        DeadLetter(
            record, from: RecordOrigin(stream: "s", shardID: "shard", failures: 2), processor: "notes",
            reason: .refused, error: PatternError(.poison, text), time: .init(timeIntervalSince1970: 1_800_000_000))
    }

    @Test("A table keeps letters, lists them oldest first and removes them; one that comes twice is one")
    func table() async throws {
        let fixture = try StreamFixture()
        let target = TableDeadLetters(in: fixture.table())
        try await fixture.write("a", 1...2)
        var letters = try await fixture.records().map { letter($0) }
        letters[0].time.addTimeInterval(10)
        for letter in letters + letters { try await target.take(letter) }
        #expect(try await target.letters(of: "notes") == [letters[1], letters[0]])
        #expect(try await target.letters(of: "notes", limit: 1) == [letters[1]])
        #expect(try await target.letters(of: "other").isEmpty)
        let item = try #require(fixture.store.items(in: "leases").first { $0["sk"] == .string("letter") })
        #expect(item["ttl"]?.int64 ?? 0 > 1_800_000_000 + 13 * 86_400)
        try await target.remove(letters[1])
        #expect(try await target.letters(of: "notes") == [letters[0]])
        try await target.remove(letters[0])
        #expect(fixture.store.items(in: "leases").isEmpty)
    }

    @Test("In a FIFO queue a letter is told from one of another processor about the same record")
    func deduplication() async throws {
        let fixture = try StreamFixture()
        try await fixture.write("a", 1...1)
        var letter = letter(try await fixture.records()[0])
        let id = QueueDeadLetters.deduplicationID(of: letter)
        #expect(id == QueueDeadLetters.deduplicationID(of: letter) && id.hasSuffix(letter.id))
        letter.processor = String(repeating: "p", count: 64)
        #expect(QueueDeadLetters.deduplicationID(of: letter) != id)
        for strange in [String(repeating: "x", count: 500), "a b", "ü", ""] {
            letter.id = strange
            let id = QueueDeadLetters.deduplicationID(of: letter)
            #expect(id.utf8.count <= 128 && id.utf8.allSatisfy { (0x21...0x7E).contains($0) })
        }
    }

    @Test("An item of somebody else's whose key only looks alike is no letter of one's own")
    func lookalikes() async throws {
        let fixture = try StreamFixture()
        let target = TableDeadLetters(in: fixture.table())
        func wrote(_ partition: String, _ sort: String) throws -> Bool {
            var record = StreamRecord()
            record.change = .init()
            record.change?.keys = ["pk": .string(partition), "sk": .string(sort)]
            return target.wrote(record, in: "arn:aws:dynamodb:eu-west-1:1:table/leases/stream/2026")
        }
        #expect(try wrote("D#notes#1", "letter") && wrote("D#notes#1", "part#2"))
        for (partition, sort) in [("D#7", "letter"), ("D#notes#1", "letters/2026"), ("X#notes#1", "letter")] {
            #expect(try !wrote(partition, sort), "\(partition) \(sort)")
        }
    }

    @Test("A record that fits no item is kept in several, and comes back whole")
    func large() async throws {
        let fixture = try StreamFixture()
        let target = TableDeadLetters(in: fixture.table())
        // Characters of three bytes, so that cuts fall into them.
        let text = String(repeating: "€", count: 120_000)
        for number in 1...2 {
            _ = try await fixture.store.putItem(
                PutItemRequest(
                    tableName: "notes",
                    item: ["id": .string("a"), "number": .integer(number), "text": .string("\(number)" + text)]))
        }
        let letter = letter(try await fixture.records()[1])
        #expect(letter.recordJSON.utf8.count > 700_000)
        let crashing = TableDeadLetters(
            in: fixture.table(FaultyDynamoDB(fixture.store, plan: .at(call: 2, .crashBefore))))
        await #expect(throws: SimulatedCrash.self) { try await crashing.take(letter) }
        #expect(try await target.letters(of: "notes").isEmpty, "half a letter is not shown")
        try await target.take(letter)
        #expect(fixture.store.items(in: "leases").count == 3)
        #expect(try await target.letters(of: "notes") == [letter])
        try await target.remove(letter)
        #expect(fixture.store.items(in: "leases").isEmpty)
    }

    @Test("A letter of which a part has expired is not shown")
    func expiring() async throws {
        let fixture = try StreamFixture()
        let target = TableDeadLetters(in: fixture.table())
        let text = String(repeating: "x", count: 350_000)
        _ = try await fixture.store.putItem(
            PutItemRequest(tableName: "notes", item: ["id": .string("a"), "text": .string(text)]))
        try await target.take(letter(try await fixture.records()[0]))
        #expect(try await target.letters(of: "notes").count == 1)
        let part = try #require(fixture.store.items(in: "leases").first { $0["sk"] == .string("part#1") })
        _ = try await fixture.store.deleteItem(
            DeleteItemRequest(tableName: "leases", key: part.filter { ["pk", "sk"].contains($0.key) }))
        #expect(try await target.letters(of: "notes").isEmpty)
    }

    @Test("Of no letters, or fewer, none are listed")
    func limits() async throws {
        let fixture = try StreamFixture()
        let target = TableDeadLetters(in: fixture.table())
        try await fixture.write("a", 1...1)
        try await target.take(letter(try await fixture.records()[0]))
        for limit in [0, -1, Int.min] { #expect(try await target.letters(of: "notes", limit: limit).isEmpty) }
        #expect(try await target.letters(of: "notes", limit: .max).count == 1)
    }

    @Test("A letter that is processed again and fails again is a letter again, and does not count as handled")
    func again() async throws {
        let fixture = try StreamFixture()
        let target = TableDeadLetters(in: fixture.table())
        let isMended = Mutex(false)
        let processor = try StreamProcessor<Note>(
            "notes", deadLetters: target, clock: fixture.clock, logger: StreamFixture.silent
        ) { _ in
            if !isMended.withLock({ $0 }) { throw PatternError(.poison, "No.") }
        }
        try await fixture.write("a", 1...2)
        #expect(await !processor.process(try await fixture.records(), of: fixture.arn).isHandled)
        for left in [2, 0] {
            for letter in try await target.letters(of: "notes") {
                if await processor.process([try letter.record()]).isHandled { try await target.remove(letter) }
            }
            #expect(try await target.letters(of: "notes").count == left)
            isMended.withLock { $0 = true }
        }
    }

    @Test("What a letter says of its error is short, whatever a character is")
    func shortMessage() async throws {
        let fixture = try StreamFixture()
        try await fixture.write("a", 1...1)
        let letter = letter(try await fixture.records()[0], text: String(repeating: "e\u{301}\u{302}", count: 5000))
        #expect(letter.message.unicodeScalars.count == 1000)
    }

    @Test("A message for a queue is JSON with the record, or without its images where they are too long")
    func message() async throws {
        let fixture = try StreamFixture()
        try await fixture.write("a\u{FFFF}", 1...1)
        let short = letter(try await fixture.records()[0])
        let body = try QueueDeadLetters.body(of: short)
        #expect(body.contains(#""reason":"refused""#) && body.contains(#""NewImage":{"#) && body.contains("\\uFFFF"))
        #expect(!body.contains("isShortened") && !body.unicodeScalars.contains("\u{FFFF}"))
        _ = try await fixture.store.putItem(
            PutItemRequest(
                tableName: "notes",
                item: ["id": .string("b"), "text": .string(String(repeating: "x", count: 300_000))]))
        let cut = try QueueDeadLetters.body(of: letter(try await fixture.records()[1]))
        #expect(cut.utf8.count < 2000 && cut.contains(#""isShortened":true"#) && !cut.contains("NewImage"))
        #expect(cut.contains(#""Keys":{"id":{"S":"b"}}"#))
    }

    @Test("Letters in the table whose stream is read do not make letters of their own")
    func ownLetters() async throws {
        let store = MemoryDynamoDB()
        try store.createPatternTable("patterns")
        let table = PatternTable("patterns", in: store)
        _ = try await store.putItem(
            PutItemRequest(tableName: "patterns", item: ["pk": .string("x"), "sk": .string("y")]))
        struct Strict: Decodable { var mandatory: String }
        let processor = try StreamProcessor<Strict>(
            "loop", deadLetters: TableDeadLetters(in: table), logger: StreamFixture.silent
        ) { _ in }
        let arn = try #require(store.streamARN(of: "patterns"))
        var options = StreamConsumer.Options()
        options.discoveryInterval = .seconds(3600)
        let consumer = StreamConsumer(processor, of: arn, in: store, leases: table, options: options)
        for _ in 0..<5 { try await consumer.step() }
        let letters = store.items(in: "patterns").filter { $0["sk"] == .string("letter") }
        #expect(letters.count == 1)
    }

    @Test("Leases in the table whose stream is read do not keep the consumer busy for ever")
    func ownLeases() async throws {
        let store = MemoryDynamoDB()
        try store.createPatternTable("patterns")
        let table = PatternTable("patterns", in: store)
        let arn = try #require(store.streamARN(of: "patterns"))
        let handled = Mutex(0)
        let consumers = try ["one", "two"].map { name in
            let processor = try StreamProcessor<[String: AttributeValue]>(name, logger: StreamFixture.silent) { _ in
                handled.withLock { $0 += 1 }
            }
            return StreamConsumer(processor, of: arn, in: store, leases: table)
        }
        for consumer in consumers { try await consumer.step() }
        _ = try await store.putItem(
            PutItemRequest(tableName: "patterns", item: ["pk": .string("x"), "sk": .string("y")]))
        for _ in 0..<5 { for consumer in consumers { try await consumer.step() } }
        #expect(handled.withLock { $0 } == 2)
        let writes = store.usage.writeUnits
        for _ in 0..<5 { for consumer in consumers { #expect(try await consumer.step() == 0) } }
        #expect(store.usage.writeUnits == writes)
    }
}
