import AWSClient
import AWSTestSupport
import DynamoDBPatterns
import Testing

@Suite(.enabled(if: Ministack.skipReason == nil, Comment(rawValue: Ministack.skipReason ?? "")))
struct AggregatorMinistackTests {
    @Test("Ten concurrent writers: the set completes exactly once", arguments: AddingTests.storages)
    func writers(storage: AggregateStorage) async throws {
        let table = try await StandIn.table()
        let clicks = try Aggregator(
            "clicks", of: Click.self, in: table, rule: .count(10), timeout: .seconds(3600), storage: storage)
        let answers = try await withThrowingTaskGroup(of: AggregateAddition.self) { group in
            for writer in 1...10 {
                for member in [writer, writer % 10 + 1, writer + 10] {
                    group.addTask { try await clicks.add(Click(page: "p"), id: "m\(member)", to: "s") }
                }
            }
            return try await group.reduce(into: [AggregateAddition: Int]()) { $0[$1, default: 0] += 1 }
        }
        #expect(answers[.added] == 9)
        let completions = try #require(answers[.completed])
        // The one member that completes it may be delivered twice.
        #expect((1...2).contains(completions))
        #expect(try await clicks.read("s")?.count == 10)
    }

    @Test("Ten concurrent writers of a merged set: nothing is merged twice or lost")
    func mergers() async throws {
        let table = try await StandIn.table()
        let visits = try Aggregator(
            "visits", of: Click.self, in: table,
            rule: .merging(into: Visit(), { $0.pages.append($1.page) }, until: { _, count in count == 10 }),
            timeout: .seconds(3600))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 1...10 {
                group.addTask { _ = try await visits.add(Click(page: "p\(writer)"), id: "m\(writer)", to: "s") }
            }
            try await group.waitForAll()
        }
        let set = try #require(try await visits.read("s"))
        #expect(set.state == .ready && Set(set.value.pages).count == 10 && set.value.pages.count == 10)
    }

    @Test(
        "A set from its first member to its end, with an effect in the same transaction",
        arguments: AddingTests.storages)
    func life(storage: AggregateStorage) async throws {
        let table = try await StandIn.table()
        try await StandIn.keepExpiredItems(in: table.name)
        let dynamoDB = DynamoDB(try await StandIn.client())
        let clicks = try Aggregator(
            "clicks", of: Click.self, in: table, rule: .count(2), timeout: .milliseconds(1), lease: .milliseconds(1),
            retention: .milliseconds(1), storage: storage)
        _ = try await clicks.add(Click(page: "a"), id: "1", to: "s")
        #expect(try await clicks.incomplete().sets.map(\.key) == ["s"])
        #expect(try await clicks.add(Click(page: "a"), id: "1", to: "s") == .duplicate)
        #expect(try await clicks.add(Click(page: "b"), id: "2", to: "s") == .completed)
        let effect = ["pk": AttributeValue.string("effect"), "sk": .string("effect")]
        for outcome in [AggregateOutcome.acted, .done] {
            let found = try await clicks.act(on: "s") { set in
                #expect(set.members.count == (storage == .inHead ? 2 : 0))
                return [
                    .put(.init(tableName: table.name, item: effect, conditionExpression: "attribute_not_exists(pk)"))
                ]
            }
            #expect(found == outcome)
        }
        #expect(try await dynamoDB.getItem(.init(tableName: table.name, key: effect)).item == effect)
        #expect(try await clicks.add(Click(page: "c"), id: "3", to: "s") == .late)
        _ = try await clicks.sweep { _ in [] }
        let left = try await clicks.read("s")
        #expect(left == nil || storage != .asItems)
    }
}
