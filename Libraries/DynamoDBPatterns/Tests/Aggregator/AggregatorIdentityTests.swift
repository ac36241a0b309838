import AWSClient
import DynamoDBPatternsTesting
import Testing

@testable import DynamoDBPatterns

/// Keys and identities that characters, as Swift sees them, would tell apart or join otherwise than DynamoDB does.
@Suite struct AggregatorIdentityTests {
    /// A combining mark makes one character with what comes before it; so do a variation selector and a joiner.
    static let odd = ["\u{301}x", "\u{FE0F}", "\u{200D}#%", "a#b%41é"]

    @Test("Whatever a set's key begins with, its timeout is found, and its record is acted on", arguments: odd)
    func setKeys(set: String) async throws {
        let fixture = try PatternWorld()
        let clicks = try fixture.clicks(2)
        _ = try await clicks.add(Click(page: "a"), id: "1", to: set)
        #expect(try await clicks.incomplete().sets.map(\.key) == [set])
        fixture.time.advance(by: .seconds(601))
        #expect(try await clicks.sweep { [PatternWorld.effect($0.key)] }.acted == [set])
        let single = try Aggregator(
            "singles", of: Click.self, in: fixture.table(), rule: .count(1), timeout: .seconds(60))
        _ = try await single.add(Click(page: "a"), id: "1", to: set)
        let record = try #require(try await Aggregators.records(of: fixture.store).last)
        #expect(try await single.handle(record) { _ in [] } == .acted)
    }

    @Test(
        "Whatever a member's identity begins with, it is read under it", arguments: AddingTests.storages, odd)
    func identities(storage: AggregateStorage, id: String) async throws {
        let clicks = try PatternWorld().clicks(2, storage: storage)
        #expect(try await clicks.add(Click(page: "a"), id: id, to: "s") == .added)
        #expect(try await clicks.add(Click(page: "a"), id: id, to: "s") == .duplicate)
        #expect(try await clicks.add(Click(page: "b"), id: "2", to: "s") == .completed)
        #expect(try await clicks.add(Click(page: "a"), id: id, to: "s") == .duplicate)
        let set = try #require(try await clicks.read("s"))
        if storage == .inHead { #expect(set.members[id] == Click(page: "a") && set.members.count == 2) }
        if storage == .asItems { #expect(try await clicks.members(of: "s").members.map(\.id).contains(id)) }
    }

    @Test("Identities are told apart by their bytes, canonically equal or not", arguments: AddingTests.storages)
    func canonicallyEqual(storage: AggregateStorage) async throws {
        let clicks = try PatternWorld().clicks(3, storage: storage)
        #expect(try await clicks.add(Click(page: "a"), id: "\u{E9}", to: "s") == .added)
        #expect(try await clicks.add(Click(page: "b"), id: "e\u{301}", to: "s") == .added)
        #expect(try await clicks.add(Click(page: "c"), id: "c", to: "s") == .completed)
        #expect(try await clicks.add(Click(page: "d"), id: "d", to: "s") == .late)
    }

    @Test("The completing member is told so again, and one that is canonically equal to it is late")
    func completingTwin() async throws {
        let clicks = try PatternWorld().clicks(1)
        #expect(try await clicks.add(Click(page: "a"), id: "\u{E9}", to: "s") == .completed)
        #expect(try await clicks.add(Click(page: "b"), id: "e\u{301}", to: "s") == .late)
        #expect(try await clicks.add(Click(page: "a"), id: "\u{E9}", to: "s") == .completed)
    }

    @Test("Of named members, one that is canonically equal to a name does not count for another one")
    func namedTwin() async throws {
        let mails = try Aggregator(
            "mails", of: Click.self, in: PatternWorld().table(), rule: .all(of: ["\u{E9}", "b"]),
            timeout: .seconds(60))
        #expect(try await mails.add(Click(page: "a"), id: "\u{E9}", to: "s") == .added)
        await #expect(throws: PatternError.self) {
            try await mails.add(Click(page: "a"), id: "e\u{301}", to: "s")
        }
        #expect(try await mails.add(Click(page: "a"), id: "b", to: "s") == .completed)
    }
}
