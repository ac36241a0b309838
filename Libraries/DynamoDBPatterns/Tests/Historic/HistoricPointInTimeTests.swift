import AWSClient
import DynamoDBPatternsTesting
import Testing

@testable import DynamoDBPatterns

@Suite struct HistoricPointInTimeTests {
    /// Inserted at 10, changed at 20, 30, deleted at 40, inserted again at 50.
    private func lived(_ fixture: HistoricFixture) async throws {
        fixture.at(10)
        try await fixture.documents.insert(Document(text: "ten"))
        for (second, text) in [(20, "twenty"), (30, "thirty")] {
            fixture.at(Double(second))
            try await fixture.documents.update("a") { $0.text = text }
        }
        fixture.at(40)
        try await fixture.documents.delete(try #require(try await fixture.documents.load("a")))
        fixture.at(50)
        try await fixture.documents.insert(Document(text: "fifty"))
        fixture.at(60)
    }

    @Test("At every moment of a whole history, what was is known")
    func moments() async throws {
        let fixture = try HistoricFixture()
        #expect(try await fixture.state(5) == "not yet", "nothing was there, and nothing is")
        try await lived(fixture)
        try await fixture.deliver()
        for (second, state) in [
            (5, "not yet"), (9.999, "not yet"), (10, "1 ten"), (19, "1 ten"), (20, "2 twenty"), (35, "3 thirty"),
            (40, "deleted at 40"), (49, "deleted at 40"), (50, "1 fifty"), (1000, "1 fifty"),
        ] {
            #expect(try await fixture.state(second) == state, "at \(second)")
        }
    }

    @Test("Of several changes in a second the last one counts, or, with exact times, each in its turn")
    func withinASecond() async throws {
        for isExact in [false, true] {
            let fixture = try HistoricFixture(attributes: .init(modified: isExact ? "modified" : nil))
            for (second, text) in [(10.1, "one"), (10.4, "two"), (10.8, "three")] {
                fixture.at(second)
                try await fixture.documents.update("a", orInsert: Document(text: "")) { $0.text = text }
            }
            try await fixture.deliver()
            #expect(try await fixture.state(10.5) == (isExact ? "2 two" : "3 three"))
            #expect(try await fixture.state(10) == (isExact ? "not yet" : "3 three"))
            #expect(try await fixture.state(9) == "not yet")
        }
    }

    @Test("While the consumer is behind, the newest entry is not called fresh")
    func behind() async throws {
        let fixture = try HistoricFixture()
        try await lived(fixture)
        #expect(try await fixture.state(55) == "unknown 0-2")
        let records = try await fixture.store.records(of: "documents")
        for (count, state) in [
            (1, "unknown 1-"), (2, "unknown 2-"), (3, "unknown 3-"), (4, "unknown 0-2"), (5, "1 fifty"),
        ] {
            try await fixture.history.record(records[count - 1])
            #expect(try await fixture.state(55) == state, "after \(count)")
        }
        try await fixture.documents.update("a") { $0.text = "sixty" }
        #expect(try await fixture.state(55) == "unknown 1-3")
    }

    @Test("A lost deletion, a lost beginning and a lost end are gaps, and moments in them unknown")
    func lostEnds() async throws {
        let fixture = try HistoricFixture()
        try await lived(fixture)
        let records = try await fixture.store.records(of: "documents")
        // The deletion is lost, and the first two.
        for index in [2, 4] { try await fixture.history.record(records[index]) }
        #expect(
            try await fixture.history.gaps(of: "a").map { [$0.after, $0.before] } == [[3, nil], [0, 2]])
        for (second, state) in [
            (5, "unknown 0-2"), (25, "unknown 0-2"), (30, "unknown 3-"), (45, "unknown 3-"), (50, "1 fifty"),
        ] {
            #expect(try await fixture.state(Double(second)) == state, "at \(second)")
        }
        // A deletion that nothing came after.
        try await fixture.deliver()
        try await fixture.documents.delete(try #require(try await fixture.documents.load("a")))
        try await fixture.lose()
        #expect(try await fixture.history.gaps(of: "a").map { [$0.after, $0.before] } == [[1, nil]])
        #expect(try await fixture.state(70) == "unknown 1-")
    }

    @Test("Lives whose writers' clocks differ are told apart by the stream's time", arguments: [3000.0, -3000])
    func skew(ahead: Double) async throws {
        let fixture = try HistoricFixture()
        let skewed = fixture.documents(ahead: ahead)
        for life in 0..<3 {
            fixture.at(Double(life) * 100)
            // The first and the last life begin by a clock that is wrong.
            let table = life == 1 ? fixture.documents : skewed
            let document = try await table.insert(Document(text: "life \(life)"))
            fixture.at(Double(life) * 100 + 50)
            try await fixture.documents.delete(document)
        }
        try await fixture.deliver()
        for life in 0..<3 {
            #expect(try await fixture.state(Double(life) * 100 + 20) == "1 life \(life)")
            #expect(try await fixture.state(Double(life) * 100 + 70) == "deleted at \(life * 100 + 50)")
        }
        #expect(try await fixture.state(-1) == "not yet")
    }

    @Test("A life whose beginning was lost may have begun at any time after the last one")
    func lostBeginning() async throws {
        let fixture = try HistoricFixture()
        try await lived(fixture)
        let records = try await fixture.store.records(of: "documents")
        for record in records.dropLast() { try await fixture.history.record(record) }
        try await fixture.lose()
        try await fixture.documents.delete(try #require(try await fixture.documents.load("a")))
        try await fixture.deliver()
        #expect(try await fixture.state(45) == "unknown 0-1")
        #expect(try await fixture.state(60) == "deleted at 60")
    }

    @Test("A life that begins in the second in which the last one ended follows it, whatever the clocks")
    func sameSecond() async throws {
        let fixture = try HistoricFixture()
        fixture.at(10)
        let first = try await fixture.documents(ahead: 1000).insert(Document(text: "first"))
        fixture.at(20.1)
        try await fixture.documents.delete(first)
        fixture.at(20.5)
        try await fixture.documents.insert(Document(text: "second"))
        try await fixture.deliver()
        #expect(try await fixture.state(20.9) == "1 second")
        #expect(try await fixture.state(19) == "1 first")
    }

    @Test("A life without stamps, of a program that does not know them, may come after one that has them")
    func unstamped() async throws {
        let fixture = try HistoricFixture()
        fixture.at(10)
        let stamped = try await fixture.documents.insert(Document(text: "ten"))
        fixture.at(20)
        try await fixture.documents.delete(stamped)
        for (second, version) in [(30.0, 1), (40, 2)] {
            fixture.at(second)
            _ = try await fixture.store.putItem(
                PutItemRequest(
                    tableName: "documents",
                    item: ["id": .string("a"), "text": .string("\(second)"), "version": .integer(version)]))
        }
        fixture.at(50)
        _ = try await fixture.store.deleteItem(DeleteItemRequest(tableName: "documents", key: ["id": .string("a")]))
        try await fixture.deliver()
        for (second, state) in [
            (5, "not yet"), (15, "1 ten"), (25, "deleted at 20"), (35, "1 30.0"), (45, "2 40.0"), (55, "deleted at 50"),
        ] as [(Double, String)] {
            #expect(try await fixture.state(second) == state, "at \(second)")
        }
    }

    @Test("A long history is read in pages, and only as far back as needed")
    func pages() async throws {
        let fixture = try HistoricFixture()
        for number in 1...60 {
            fixture.at(Double(number))
            try await fixture.documents.update("a", orInsert: Document(text: "")) { $0.text = "\(number)" }
        }
        try await fixture.deliver()
        var versions: [Int64] = []
        var next: String?
        repeat {
            let page = try await fixture.history.history(of: "a", from: next, limit: 25)
            versions += page.entries.map(\.version)
            next = page.next
        } while next != nil
        for start in ["", "~", "x", "2#1#0"] {
            let error = await #expect(throws: PatternError.self) {
                try await fixture.history.history(of: "a", from: start)
            }
            #expect(error?.code == .invalidArgument)
        }
        #expect(versions == (1...60).reversed().map(Int64.init))
        fixture.store.resetUsage()
        #expect(try await fixture.state(58) == "58 58")
        #expect(fixture.store.usage.requests == ["Query": 1])
        #expect(try await fixture.state(3) == "3 3")
        #expect(try await fixture.state(0) == "not yet")
    }
}
