import AWSClient
import DynamoDBPatternsTesting
import InMemoryLogging
import Logging
import Synchronization
import Testing

@testable import DynamoDBPatterns

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct StreamProcessorTests {
    private func changes(_ fixture: StreamFixture) async throws -> [StreamChange<Note>] {
        try await fixture.records().map { try StreamChange<Note>($0) }
    }

    @Test("A change has the item before and after, its key, its place and its time")
    func images() async throws {
        let fixture = try StreamFixture()
        try await fixture.write("a", 1...2)
        try await fixture.delete("a")
        let changes = try await changes(fixture)
        #expect(changes.map(\.new?.number) == [1, 2, nil] && changes.map(\.old?.number) == [nil, 1, 2])
        guard case .inserted = changes[0].kind, case .modified = changes[1].kind, case .removed = changes[2].kind else {
            Issue.record("The kinds are wrong.")
            return
        }
        #expect(changes[0].keys == ["id": .string("a")] && Set(changes.map(\.id)).count == 3)
        #expect(changes[0].time.map { abs($0.timeIntervalSince(fixture.clock.now())) < 2 } == true)
    }

    @Test("TTL identity: an expiry is told from a deletion")
    func expiry() async throws {
        let fixture = try StreamFixture()
        try await fixture.write("a", 1...1)
        try await fixture.delete("a")
        var item = try AttributeEncoder().item(of: Note(id: "b", number: 1))
        item["ttl"] = .integer(fixture.clock.milliseconds / 1000 + 1)
        _ = try await fixture.store.putItem(PutItemRequest(tableName: "notes", item: item))
        try await fixture.clock.sleep(.seconds(2))
        #expect(fixture.store.expireItems(in: "notes") == 1)
        let changes = try await changes(fixture)
        #expect(changes.map(\.isExpiry) == [false, false, false, true])
        #expect(changes[3].identity?.principalID == "dynamodb.amazonaws.com" && changes[1].identity == nil)
    }

    @Test("No log repeats what an error says, which may be an item's content")
    func silence() async throws {
        let fixture = try StreamFixture()
        try await fixture.write("a", 1...2)
        let log = InMemoryLogHandler()
        let errors: [any Error] = [
            PatternError(.poison, "bad address ann@example.org"), PatternError(.conflict, "ann@example.org"),
            AWSError("ValidationException", "ann@example.org"),
        ]
        for error in errors {
            for letters in [nil, ClosureDeadLetters { _ in throw error }] {
                let processor = try StreamProcessor<Note>(
                    "notes", deadLetters: letters, logger: Logger(label: "test") { _ in log }
                ) { _ in
                    throw error
                }
                _ = await processor.process(try await fixture.records())
            }
        }
        #expect(log.entries.count == 6 && !"\(log.entries)".contains("ann@"))
        #expect(log.entries.allSatisfy { $0.metadata["error.code"] != nil })
    }

    @Test("A stream of keys only has no images")
    func keysOnly() async throws {
        let fixture = try StreamFixture(view: .keysOnly)
        try await fixture.write("a", 1...2)
        let changes = try await changes(fixture)
        #expect(changes.count == 2 && changes.allSatisfy { $0.new == nil && $0.old == nil && !$0.keys.isEmpty })
    }

    @Test("Partial batch: it stops at the first failure, and what comes again begins there")
    func partialBatch() async throws {
        let fixture = try StreamFixture()
        let ledger = StreamLedger()
        try await fixture.write("a", 1...5)
        ledger.fail(Note(id: "a", number: 3), times: 1)
        let processor = try StreamProcessor<Note>("notes", logger: StreamFixture.silent) {
            try ledger.handle($0, by: "w")
        }
        let records = try await fixture.records()
        let outcome = await processor.process(records)
        #expect(outcome.completed == 2 && outcome.failure?.sequenceNumber == records[2].change?.sequenceNumber)
        #expect(outcome.failure?.error is StreamLedger.Hiccup)
        let second = await processor.process(Array(records.dropFirst(outcome.completed)))
        #expect(second.completed == 3 && second.failure == nil && ledger.numbers == [1, 2, 3, 4, 5])
    }

    @Test("Poison: what the handler refuses and what cannot be decoded goes to the dead letters, and the batch goes on")
    func poison() async throws {
        let fixture = try StreamFixture()
        let ledger = StreamLedger()
        let letters = Mutex<[DeadLetter]>([])
        try await fixture.write("a", 1...2)
        _ = try await fixture.store.putItem(
            PutItemRequest(tableName: "notes", item: ["id": .string("b"), "number": .string("no number")]))
        try await fixture.write("a", 3...3)
        let processor = try StreamProcessor<Note>(
            "notes", deadLetters: ClosureDeadLetters { letter in letters.withLock { $0.append(letter) } },
            logger: StreamFixture.silent
        ) { change in
            if change.new?.number == 2 { throw PatternError(.poison, "Two is too much.") }
            try ledger.handle(change, by: "w")
        }
        let records = try await fixture.records()
        let outcome = await processor.process(records, of: fixture.arn)
        #expect(outcome.completed == 4 && outcome.deadLetters == 2 && outcome.failure == nil)
        #expect(ledger.numbers == [1, 3])
        let taken = letters.withLock { $0 }
        #expect(taken.map(\.reason) == [.refused, .undecodable] && taken.map(\.id) == records[1...2].map(\.eventID))
        #expect(taken[0].message.contains("Two is too much.") && taken[0].stream == fixture.arn)
        #expect(taken[0].sequenceNumber == records[1].change?.sequenceNumber)
        let again = try taken[1].record()
        #expect(again.change?.newImage == records[2].change?.newImage && again.eventID == records[2].eventID)
        #expect(again.change?.sequenceNumber == records[2].change?.sequenceNumber && again.eventName == .insert)
    }

    @Test("Without a target, poison is a failure: nothing is lost silently")
    func poisonWithoutTarget() async throws {
        let fixture = try StreamFixture()
        try await fixture.write("a", 1...2)
        let processor = try StreamProcessor<Note>("notes", logger: StreamFixture.silent) { _ in
            throw PatternError(.poison, "No.")
        }
        let outcome = await processor.process(try await fixture.records())
        #expect(outcome.completed == 0 && (outcome.failure?.error as? PatternError)?.code == .poison)
    }

    @Test("When the dead letters fail, the record counts as failed")
    func deadLettersFail() async throws {
        let fixture = try StreamFixture()
        try await fixture.write("a", 1...2)
        let processor = try StreamProcessor<Note>(
            "notes", deadLetters: ClosureDeadLetters { _ in throw StreamLedger.Hiccup() }, logger: StreamFixture.silent
        ) { change in
            if change.new?.number == 2 { throw PatternError(.poison, "No.") }
        }
        let outcome = await processor.process(try await fixture.records())
        #expect(outcome.completed == 1 && outcome.deadLetters == 0 && outcome.failure?.error is StreamLedger.Hiccup)
    }

    @Test("A record without its id, its keys or a known name is poison", arguments: 0..<4)
    func malformed(part: Int) async throws {
        let fixture = try StreamFixture()
        try await fixture.write("a", 1...1)
        var record = try #require(try await fixture.records().first)
        switch part {
        case 0: record.eventID = nil
        case 1: record.change?.keys = nil
        case 2: record.eventName = .init(rawValue: "RENAME")
        default: record.change = nil
        }
        #expect { try StreamChange<Note>(record) } throws: { ($0 as? PatternError)?.code == .poison }
        let letters = Mutex<[DeadLetter]>([])
        let processor = try StreamProcessor<Note>(
            "notes", deadLetters: ClosureDeadLetters { letter in letters.withLock { $0.append(letter) } },
            logger: StreamFixture.silent
        ) { _ in }
        #expect(await processor.process([record]).deadLetters == 1)
        #expect(letters.withLock { $0.first?.id.isEmpty } == false)
    }

    @Test("A processor's name is checked")
    func name() {
        #expect { try StreamProcessor<Note>("a#b") { _ in } } throws: {
            ($0 as? PatternError)?.code == .invalidArgument
        }
    }
}
