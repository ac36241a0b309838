import AWSClient
import DynamoDBPatternsTesting
import Foundation
import Testing

@testable import DynamoDBPatterns

@Suite struct HistoricRecordTests {
    @Test("Every write becomes an entry: what it was, when, by whom, and in which life")
    func entries() async throws {
        let fixture = try HistoricFixture()
        try await fixture.documents.insert(Document(text: "one", editor: "ann"))
        fixture.at(5)
        try await fixture.documents.update("a") { ($0.text, $0.editor) = ("two", "bob") }
        fixture.at(7)
        try await fixture.documents.delete(try #require(try await fixture.documents.load("a")))
        fixture.at(9)
        try await fixture.documents.insert(Document(text: "again"))
        try await fixture.deliver()
        let entries = try await fixture.history.history(of: "a").entries
        #expect(entries.map(\.kind) == [.inserted, .removed, .modified, .inserted])
        #expect(entries.map(\.version) == [1, 3, 2, 1])
        #expect(entries.map(\.by) == [nil, nil, "bob", "ann"])
        #expect(entries.map { $0.time?.milliseconds } == [9, 7, 5, 0].map { HistoricFixture.epoch + $0 * 1000 })
        #expect(entries.allSatisfy { $0.recordedAt == HistoricFixture.second(9) && !$0.isRecovered })
        #expect(Set(entries.map(\.life)).count == 2 && entries[1].life == entries[3].life)
        #expect(try entries.map { try $0.item?.text } == ["again", nil, "two", "one"])
        #expect(try await fixture.history.gaps(of: "a").isEmpty)
        #expect(try await fixture.history.history(of: "other").entries.isEmpty)
    }

    @Test("A deletion says by whom, and what comes later in the same or another life does not")
    func deletions() async throws {
        let fixture = try HistoricFixture()
        let item = try await fixture.documents.insert(Document(text: "one", editor: "ann"))
        fixture.at(5)
        try await fixture.history.delete(item, by: "bob")
        fixture.at(10)
        try await fixture.documents.insert(Document(text: "two", editor: "cid"))
        try await fixture.deliver()
        var entries = try await fixture.history.history(of: "a").entries
        #expect(entries.map(\.kind) == [.inserted, .removed, .modified, .inserted])
        #expect(entries.map(\.by) == ["cid", "bob", "bob", "ann"])

        // Restored from the version that named its deleter, and one who died between the two writes.
        try await fixture.history.restore(entries[2])
        let dying = try fixture.history(
            through: FaultyDynamoDB(
                fixture.store, plan: .at(call: 1, .crashBefore).where { $0.operation == .deleteItem }))
        let loaded = try #require(try await fixture.documents.load("a"))
        await #expect(throws: SimulatedCrash.self) { try await dying.delete(loaded, by: "dan") }
        try await fixture.documents.update("a") { ($0.text, $0.editor) = ("three", "eve") }
        try await fixture.documents.delete(try #require(try await fixture.documents.load("a")))
        try await fixture.deliver()
        entries = try await fixture.history.history(of: "a").entries
        #expect(entries.prefix(4).map(\.by) == [nil, "eve", "dan", "ann"])
        await #expect(throws: Conflict<Document>.self) { try await fixture.history.delete(loaded, by: "bob") }
    }

    @Test("Duplicates and stragglers: records may come again, in any order, and leave one entry each")
    func duplicates() async throws {
        let fixture = try HistoricFixture()
        for number in 1...6 {
            try await fixture.documents.update("a", orInsert: Document(text: "")) { $0.text = "\(number)" }
        }
        let records = try await fixture.store.records(of: "documents")
        for record in records + records.reversed() + records.shuffled() { try await fixture.history.record(record) }
        let entries = try await fixture.history.history(of: "a").entries
        #expect(entries.map(\.version) == [6, 5, 4, 3, 2, 1] && entries.allSatisfy { !$0.isRecovered })
    }

    @Test("What came too late to be first replaces what was recovered in its place")
    func replacesRecovered() async throws {
        let fixture = try HistoricFixture()
        try await fixture.documents.insert(Document(text: "1"))
        try await fixture.documents.update("a") { $0.text = "2" }
        let records = try await fixture.store.records(of: "documents")
        try await fixture.history.record(records[1])
        #expect(try await fixture.history.history(of: "a").entries.map(\.isRecovered) == [false, true])
        try await fixture.history.record(records[0])
        let entries = try await fixture.history.history(of: "a").entries
        #expect(entries.map(\.isRecovered) == [false, false] && entries[1].time != nil)
    }

    @Test("REMOVE has only the old image: a deletion is the version after that, which is recovered where it was lost")
    func removals() async throws {
        let fixture = try HistoricFixture()
        try await fixture.documents.insert(Document(text: "1"))
        let two = try await fixture.documents.update("a") { $0.text = "2" }
        try await fixture.documents.delete(two)
        let record = try #require(try await fixture.store.records(of: "documents").last)
        #expect(record.change?.newImage == nil)
        try await fixture.history.record(record)
        let entries = try await fixture.history.history(of: "a").entries
        #expect(entries.map(\.kind) == [.removed, .modified] && entries.map(\.version) == [3, 2])
        #expect(entries[0].attributes == nil && entries[1].isRecovered)
        #expect(try entries[1].item?.text == "2")
    }

    @Test("TTL identity: an item that expired was deleted by DynamoDB")
    func expiry() async throws {
        let fixture = try HistoricFixture()
        let seconds = Int(HistoricFixture.epoch / 1000)
        try await fixture.documents.insert(Document(text: "x", expires: seconds + 10))
        fixture.at(20)
        #expect(fixture.store.expireItems(in: "documents") == 1)
        try await fixture.deliver()
        let entry = try #require(try await fixture.history.history(of: "a").entries.first)
        #expect(entry.kind == .removed && entry.by == "dynamodb.amazonaws.com" && entry.version == 2)
        #expect(try await fixture.state(30) == "deleted at 20 by dynamodb.amazonaws.com")
    }

    @Test("Sequence numbers and shards say nothing: versions order what was written before and after a split")
    func shards() async throws {
        let fixture = try HistoricFixture()
        for number in 1...4 {
            try await fixture.documents.update("a", orInsert: Document(text: "")) { $0.text = "\(number)" }
            fixture.store.splitShards(of: "documents")
        }
        let records = try await fixture.store.records(of: "documents")
        // As if each shard counted for itself.
        for (number, record) in records.enumerated() {
            var record = record
            record.change?.sequenceNumber = "\(9 - number)"
            try await fixture.history.record(record)
        }
        #expect(try await fixture.history.history(of: "a").entries.map(\.version) == [4, 3, 2, 1])
    }

    @Test("What does not count versions is poison, with the reason")
    func poison() async throws {
        let fixture = try HistoricFixture()
        func put(_ item: StoredItem) async throws {
            _ = try await fixture.store.putItem(PutItemRequest(tableName: "documents", item: item))
        }
        func reason() async -> String {
            let error = await #expect(throws: PatternError.self) { try await fixture.deliver() }
            return error?.code == .poison ? error?.message ?? "" : "\(String(describing: error))"
        }
        try await put(["id": .string("plain"), "text": .string("secret")])
        let plain = await reason()
        #expect(plain.contains("without the attribute “version”") && !plain.contains("secret"))

        try await fixture.documents.insert(Document(text: "x"))
        try await fixture.deliver()
        _ = try await fixture.store.updateItem(
            UpdateItemRequest(
                tableName: "documents", key: ["id": .string("a")], updateExpression: "SET #t = :t",
                expressionAttributeNames: ["#t": "text"], expressionAttributeValues: [":t": .string("y")]))
        #expect(await reason().contains("change of version 1 that has no new version"))

        for text in ["x", "y"] {
            try await put(["id": .string("n"), "text": .string(text), "version": .integer(1)])
            _ = try await fixture.store.deleteItem(DeleteItemRequest(tableName: "documents", key: ["id": .string("n")]))
        }
        #expect(await reason().contains("the second one that makes version 1"))
        try await put(["id": .string("b"), "version": .string("x")])
        #expect(await reason().contains("not what VersionedTable writes"))
    }

    @Test("A record without both images, or of another table, is poison")
    func images() async throws {
        let fixture = try HistoricFixture()
        try await fixture.documents.insert(Document(text: "x"))
        var record = try #require(try await fixture.store.records(of: "documents").first)
        record.change?.newImage = nil
        let error = await #expect(throws: PatternError.self) { try await fixture.history.record(record) }
        #expect(error?.code == .poison && error?.hint?.contains("NEW_AND_OLD_IMAGES") == true)
        record.change?.keys = ["other": .string("a")]
        let other = await #expect(throws: PatternError.self) { try await fixture.history.record(record) }
        #expect(other?.code == .poison)
    }

    @Test("No time and no allowance is beyond what can be counted", arguments: [1e300, -1e300, .infinity, .nan])
    func extremes(seconds: Double) async throws {
        let fixture = try HistoricFixture()
        try await fixture.documents.insert(Document(text: "x"))
        var record = try #require(try await fixture.store.records(of: "documents").first)
        record.change?.approximateCreationDateTime = seconds
        try await fixture.history.record(record)
        #expect(try await fixture.history.history(of: "a").entries.count == 1)
        for moment in [Date.distantPast, .distantFuture, Date(timeIntervalSince1970: seconds)] {
            _ = try await fixture.history.item("a", at: moment)
        }
        for skew in [Duration.seconds(-1), .seconds(Int64.max), .seconds(Int64.min)] {
            let error = #expect(throws: PatternError.self) { try HistoricFixture(allowedSkew: skew) }
            #expect(error?.code == .invalidArgument)
        }
    }

    @Test("An item that is nearly 400 KB is too large for its history, and blocks nothing")
    func tooLarge() async throws {
        let fixture = try HistoricFixture()
        try await fixture.documents.insert(Document(text: String(repeating: "x", count: 409_450)))
        let error = await #expect(throws: PatternError.self) { try await fixture.deliver() }
        #expect(error?.code == .poison && error?.message.contains("400 KB") == true)
        // The records after it are recorded, though the version before them cannot be recovered.
        try await fixture.lose()
        try await fixture.documents.update("a") { $0.text = "small" }
        try await fixture.deliver()
        #expect(try await fixture.history.history(of: "a").entries.map(\.version) == [2])
        #expect(try await fixture.history.gaps(of: "a").map { [$0.after, $0.before] } == [[0, 2]])
    }

    @Test("Costs: one write of the item's size and half a read for each change")
    func costs() async throws {
        let fixture = try HistoricFixture()
        try await fixture.documents.insert(Document(text: "x"))
        // Longer after the insertion than clocks differ.
        fixture.at(4000)
        try await fixture.documents.update("a") { $0.text = "y" }
        fixture.store.resetUsage()
        try await fixture.deliver()
        let usage = fixture.store.usage
        #expect(usage.requests["PutItem"] == 2 && usage.requests["GetItem"] == 1)
        #expect(usage.writeUnits == 2 && usage.readUnits == 0.5)
        fixture.store.resetUsage()
        _ = try await fixture.state(5000)
        #expect(fixture.store.usage.requests == ["Query": 1, "GetItem": 1])
        #expect(fixture.store.usage.readUnits == 2)
    }

    @Test("Every key has a text of its own, however its parts are written")
    func keyTexts() {
        let keys = [
            PrimaryKey("a|b"), PrimaryKey("a", "b"), PrimaryKey("a%7Cb"), PrimaryKey("a|", "b"), PrimaryKey("a", "|b"),
            // With accents after the signs, which then are no characters of their own.
            PrimaryKey("a|\u{301}b"), PrimaryKey("a", "\u{301}b"), PrimaryKey("a%\u{301}b"), PrimaryKey("a%25\u{301}b"),
            PrimaryKey("\u{E9}"), PrimaryKey("e\u{301}"),
        ]
        #expect(Set(keys.map { Array($0.text.utf8) }).count == keys.count)
        #expect(PrimaryKey("a%7C\u{301}b").text == "a%257C\u{301}b")
        for (text, canonical) in [
            ("7", "7"), ("7.0", "7"), ("+07", "7"), ("70e-1", "7"), ("-0.50", "-0.5"), ("0.0", "0"), ("-0", "0"),
            ("1e2", "100"), ("123.456", "123.456"), ("1E-3", "0.001"), ("1e100", "1e100"), ("12e-100", "12e-100"),
            ("x", "x"), ("1.2.3", "1.2.3"), ("", ""), (".", "."),
            ("1e-9223372036854775808", "1e-9223372036854775808"), ("1e1000", "1e1000"),
        ] {
            #expect(PrimaryKey(.number(text)).text == canonical, "\(text)")
        }
        #expect(PrimaryKey(.number("1.0")) == PrimaryKey(.number("1")))
    }
}
