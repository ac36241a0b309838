import AWSClient
import DynamoDBPatternsTesting
import Testing

@testable import DynamoDBPatterns

@Suite struct HistoricRestoreTests {
    private func written() async throws -> HistoricFixture {
        let fixture = try HistoricFixture()
        for number in 1...3 {
            fixture.at(Double(number) * 10)
            try await fixture.documents.update("a", orInsert: Document(text: "")) { $0.text = "\(number)" }
        }
        try await fixture.deliver()
        fixture.at(40)
        return fixture
    }

    @Test("An old version becomes the newest one, and the history has that too")
    func toVersion() async throws {
        let fixture = try await written()
        let entries = try await fixture.history.history(of: "a").entries
        let restored = try await fixture.history.restore(entries[2])
        #expect(restored.version == 4 && restored.item.text == "1")
        try await fixture.deliver()
        #expect(try await fixture.state(40) == "4 1")
        #expect(try await fixture.state(30) == "3 3")
    }

    @Test("An item that cannot be read any more is restored to a version that can")
    func broken() async throws {
        let fixture = try await written()
        var broken = try #require(fixture.store.items(in: "documents").first)
        broken["text"] = .list([])
        _ = try await fixture.store.putItem(PutItemRequest(tableName: "documents", item: broken))
        await #expect(throws: PatternError.self) { try await fixture.documents.load("a") }
        let restored = try await fixture.history.restore(try await fixture.history.history(of: "a").entries[0])
        #expect(restored.item.text == "3" && restored.version == 4)
        #expect(try await fixture.documents.load("a")?.item.text == "3")
    }

    @Test("What was at a moment can be restored, of a deleted item by inserting it, in a new life")
    func toMoment() async throws {
        let fixture = try await written()
        try await fixture.documents.delete(try #require(try await fixture.documents.load("a")))
        try await fixture.deliver()
        fixture.at(50)
        let restored = try await fixture.history.restore("a", at: HistoricFixture.second(25))
        #expect(restored.version == 1 && restored.item.text == "2")
        try await fixture.deliver()
        #expect(try await fixture.state(50) == "1 2")
        #expect(try await fixture.state(45) == "deleted at 40")
        for second in [5, 45] {
            let error = await #expect(throws: PatternError.self) {
                try await fixture.history.restore("a", at: HistoricFixture.second(Double(second)))
            }
            #expect(error?.code == .notFound)
        }
        let entries = try await fixture.history.history(of: "a").entries
        let deletion = try #require(entries.first { $0.kind == .removed })
        await #expect(throws: PatternError.self) { try await fixture.history.restore(deletion) }
    }

    @Test("Attributes that the type does not know are restored as they were")
    func otherAttributes() async throws {
        let fixture = try HistoricFixture()
        _ = try await fixture.store.putItem(
            PutItemRequest(
                tableName: "documents",
                item: ["id": .string("a"), "text": .string("x"), "tag": .string("old"), "version": .integer(1)]))
        try await fixture.deliver()
        _ = try await fixture.store.putItem(
            PutItemRequest(
                tableName: "documents", item: ["id": .string("a"), "text": .string("y"), "version": .integer(2)]))
        try await fixture.history.restore(try #require(try await fixture.history.history(of: "a").entries.first))
        let stored = try #require(fixture.store.items(in: "documents").first)
        #expect(stored["tag"] == .string("old") && stored["text"] == .string("x") && stored["version"] == .number("3"))
    }

    @Test("A restore meets somebody else's write as a conflict, and overwrites nothing")
    func conflict() async throws {
        struct Raced: DynamoDBDecorator {
            let base: any DynamoDBAPI
            let others: @Sendable () async throws -> Void
            func putItem(_ request: PutItemRequest) async throws -> PutItemResponse {
                try await others()
                return try await base.putItem(request)
            }
        }
        let fixture = try await written()
        let entry = try #require(try await fixture.history.history(of: "a").entries.last)
        let raced = Raced(base: fixture.store) { try await fixture.documents.update("a") { $0.text = "other" } }
        let conflict = await #expect(throws: Conflict<Document>.self) {
            try await fixture.history(through: raced).restore(entry)
        }
        #expect(conflict?.newer?.item.text == "other")
    }

    @Test("Whatever happens to whichever call, each record leaves one entry")
    func faults() async throws {
        let runs = try await FaultSweep.run(depth: 2) { run in
            let fixture = try await written()
            let fresh = try HistoricFixture()
            // The first of the records is lost, so that the second one recovers it.
            for record in try await fixture.store.records(of: "documents").dropFirst() {
                try await run.deliver(to: fresh.store) { api in try await fresh.history(through: api).record(record) }
            }
            let entries = try await fresh.history.history(of: "a").entries
            try run.check(entries.map(\.version) == [3, 2, 1], "\(entries.map(\.version))")
            try run.check(entries.map(\.isRecovered) == [false, false, true], "What was recovered is not marked.")
        }
        #expect(runs > 100)
    }
}
