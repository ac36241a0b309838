import AWSClient
import DynamoDBPatternsTesting
import Testing

@testable import DynamoDBPatterns

@Suite struct AddingTests {
    static let storages: [AggregateStorage] = [.inHead, .idsOnly, .asItems]

    @Test("The member that makes the count completes the set, and none before or after it", arguments: storages)
    func count(storage: AggregateStorage) async throws {
        let clicks = try PatternWorld().clicks(3, storage: storage)
        var answers: [AggregateAddition] = []
        for number in 1...5 {
            answers.append(try await clicks.add(Click(page: "p\(number)"), id: "c\(number)", to: "s"))
        }
        #expect(answers == [.added, .added, .completed, .late, .late])
    }

    @Test("A set of one is complete with its first member")
    func one() async throws {
        let clicks = try PatternWorld().clicks(1)
        #expect(try await clicks.add(Click(page: "a"), id: "1", to: "s") == .completed)
        #expect(try await clicks.add(Click(page: "b"), id: "2", to: "s") == .late)
        #expect(try await clicks.read("s")?.count == 1)
    }

    @Test("Duplicates: a member counts once, before and after the set is complete", arguments: storages)
    func duplicates(storage: AggregateStorage) async throws {
        let fixture = try PatternWorld()
        let clicks = try fixture.clicks(3, storage: storage)
        for _ in 1...4 { _ = try await clicks.add(Click(page: "a"), id: "1", to: "s") }
        #expect(try await clicks.read("s")?.count == 1)
        _ = try await clicks.add(Click(page: "b"), id: "2", to: "s")
        #expect(try await clicks.add(Click(page: "c"), id: "3", to: "s") == .completed)
        let before = Set(fixture.store.items(in: PatternWorld.tableName))
        #expect(try await clicks.add(Click(page: "a"), id: "1", to: "s") == .duplicate)
        #expect(try await clicks.add(Click(page: "c"), id: "3", to: "s") == .completed)
        #expect(Set(fixture.store.items(in: PatternWorld.tableName)) == before)
    }

    @Test("Duplicates of a merged member are not merged again", arguments: storages)
    func mergedDuplicates(storage: AggregateStorage) async throws {
        let visits = try PatternWorld().visits(storage: storage)
        for _ in 1...3 { _ = try await visits.add(Click(page: "home"), id: "1", to: "s") }
        #expect(try await visits.add(Click(page: "checkout"), id: "2", to: "s") == .completed)
        #expect(try await visits.add(Click(page: "home"), id: "1", to: "s") == .duplicate)
        #expect(try await visits.add(Click(page: "checkout"), id: "2", to: "s") == .completed)
        let set = try #require(try await visits.read("s"))
        #expect(set.value == Visit(pages: ["home", "checkout"]))
        #expect(set.count == 2 && set.state == .ready)
    }

    @Test("Late members change nothing, not even the stream", arguments: storages)
    func late(storage: AggregateStorage) async throws {
        let fixture = try PatternWorld()
        let visits = try fixture.visits(storage: storage)
        _ = try await visits.add(Click(page: "checkout"), id: "1", to: "s")
        let before = Set(fixture.store.items(in: PatternWorld.tableName))
        let records = try await Aggregators.records(of: fixture.store).count
        #expect(try await visits.add(Click(page: "home"), id: "2", to: "s") == .late)
        #expect(Set(fixture.store.items(in: PatternWorld.tableName)) == before)
        #expect(try await Aggregators.records(of: fixture.store).count == records)
    }

    @Test("Content: a set of named members is complete once each is there")
    func named() async throws {
        let fixture = try PatternWorld()
        let mails = try Aggregator(
            "mails", of: Click.self, in: fixture.table(), rule: .all(of: ["recommendation", "login"]),
            timeout: .seconds(60))
        #expect(try await mails.add(Click(page: "r"), id: "recommendation", to: "user-1") == .added)
        #expect(try await mails.add(Click(page: "r"), id: "recommendation", to: "user-1") == .duplicate)
        #expect(try await mails.add(Click(page: "l"), id: "login", to: "user-1") == .completed)
        #expect(try await mails.read("user-1")?.members["login"] == Click(page: "l"))
        let error = await #expect(throws: PatternError.self) {
            try await mails.add(Click(page: "x"), id: "logout", to: "user-2")
        }
        #expect(error?.code == .invalidArgument)
    }

    @Test("Each set is for itself, and so is each aggregator")
    func apart() async throws {
        let fixture = try PatternWorld()
        let clicks = try fixture.clicks(2)
        let visits = try fixture.visits()
        #expect(try await clicks.add(Click(page: "a"), id: "1", to: "s") == .added)
        #expect(try await clicks.add(Click(page: "a"), id: "1", to: "t") == .added)
        #expect(try await visits.add(Click(page: "a"), id: "1", to: "s") == .added)
        #expect(try await clicks.read("s")?.count == 1)
        #expect(try await clicks.read("u") == nil)
    }

    @Test("400 KB: a set in one item ends with a hint, and can still be acted on")
    func tooLarge() async throws {
        let fixture = try PatternWorld()
        let clicks = try fixture.clicks(1000)
        let page = String(repeating: "x", count: 50_000)
        for number in 1...7 { _ = try await clicks.add(Click(page: page), id: "\(number)", to: "s") }
        let error = await #expect(throws: PatternError.self) {
            try await clicks.add(Click(page: page), id: "8", to: "s")
        }
        #expect(error?.code == .tooLarge)
        #expect(error?.hint?.contains("asItems") == true)
        #expect(try await clicks.add(Click(page: "small"), id: "9", to: "s") == .added)
        fixture.time.advance(by: .seconds(601))
        #expect(try await clicks.act(on: "s") { [PatternWorld.effect($0.key)] } == .acted)
    }

    @Test("400 KB: a merged value that grows ends with a hint")
    func valueTooLarge() async throws {
        let visits = try PatternWorld().visits(storage: .asItems)
        let page = String(repeating: "x", count: 150_000)
        for number in 1...2 { _ = try await visits.add(Click(page: page), id: "\(number)", to: "s") }
        let error = await #expect(throws: PatternError.self) {
            try await visits.add(Click(page: page), id: "3", to: "s")
        }
        #expect(error?.code == .tooLarge)
        #expect(try await visits.read("s")?.count == 2)
    }

    @Test("400 KB: members in items of their own outgrow it, and are read in pages")
    func outgrows() async throws {
        let clicks = try PatternWorld().clicks(12, storage: .asItems)
        let page = String(repeating: "x", count: 60_000)
        for number in 11...21 { _ = try await clicks.add(Click(page: page), id: "\(number)", to: "s") }
        #expect(try await clicks.add(Click(page: page), id: "22", to: "s") == .completed)
        var ids: [String] = []
        var after: String?
        repeat {
            let found = try await clicks.members(of: "s", after: after, limit: 5)
            ids += found.members.map(\.id)
            after = found.next
        } while after != nil
        #expect(ids == (11...22).map(String.init))
    }

    @Test("What is not allowed is refused by name")
    func refusals() async throws {
        let fixture = try PatternWorld()
        #expect(throws: PatternError.self) { try fixture.clicks(0) }
        #expect(throws: PatternError.self) {
            try Aggregator("a b", of: Click.self, in: fixture.table(), rule: .count(2), timeout: .seconds(1))
        }
        #expect(throws: PatternError.self) {
            try Aggregator("clicks", of: Click.self, in: fixture.table(), rule: .count(2), timeout: .zero)
        }
        let clicks = try fixture.clicks()
        await #expect(throws: PatternError.self) { try await clicks.add(Click(page: "a"), id: "", to: "s") }
        await #expect(throws: PatternError.self) { try await clicks.add(Click(page: "a"), id: "1", to: "") }
    }
}
