import AWSClient
import DynamoDBPatternsTesting
import Testing

@testable import DynamoDBPatterns

@Suite struct AggregatorStreamTests {
    /// All that a set goes through, with duplicates and late members.
    private func life(_ fixture: PatternWorld, storage: AggregateStorage) async throws {
        let clicks = try fixture.clicks(10, storage: storage)
        for number in 1...12 {
            for _ in 1...2 { _ = try await clicks.add(Click(page: "p"), id: "\(number)", to: "s") }
        }
        _ = try await clicks.act(on: "s") { _ in [] }
        _ = try await clicks.add(Click(page: "p"), id: "13", to: "s")
        fixture.time.advance(by: .seconds(8 * 86_400))
        fixture.store.expireItems(in: PatternWorld.tableName)
        _ = try await clicks.sweep { _ in [] }
    }

    @Test(
        "Loop on own writes: of all records of a set's life, one has what the filter looks for",
        arguments: AddingTests.storages)
    func wakesOnce(storage: AggregateStorage) async throws {
        let fixture = try PatternWorld()
        try await life(fixture, storage: storage)
        let records = try await Aggregators.records(of: fixture.store)
        let filter = try fixture.clicks().filterCriteria
        #expect(records.count > 10 && records.filter(filter.matches).count == 1)
        #expect(
            filter.patterns.map(\.json)
                == [#"{"dynamodb":{"NewImage":{"pk":{"S":[{"prefix":"A#clicks#"}]},"state":{"S":["READY"]}}}}"#])
        let other = try fixture.visits().filterCriteria
        #expect(records.filter(other.matches).isEmpty)
    }

    @Test("A handler of all records acts once, and asks DynamoDB about no other record")
    func handles() async throws {
        let fixture = try PatternWorld()
        let clicks = try fixture.clicks(3)
        for number in 1...4 { _ = try await clicks.add(Click(page: "p"), id: "\(number)", to: "s") }
        let counting = FaultyDynamoDB(fixture.store, plan: .none)
        let handler = try fixture.clicks(3, in: counting)
        var outcomes: [AggregateOutcome?] = []
        for record in try await Aggregators.records(of: fixture.store) {
            outcomes.append(try await handler.handle(record) { [PatternWorld.effect($0.key)] })
        }
        #expect(outcomes == [nil, nil, .acted])
        #expect(counting.calls == 2)
        outcomes = []
        for record in try await Aggregators.records(of: fixture.store) {
            outcomes.append(try await handler.handle(record) { [PatternWorld.effect($0.key)] })
        }
        // The record is delivered again, and then come those of the handler's own writes.
        #expect(outcomes == [nil, nil, .done, nil, nil, nil])
        #expect(counting.calls == 3)
        #expect(PatternWorld.effects("s", in: fixture.store) == 1)
    }

    @Test("Records without images, of other aggregators, of members and of deletions")
    func records() async throws {
        let fixture = try PatternWorld()
        let clicks = try fixture.clicks(1)
        _ = try await clicks.add(Click(page: "p"), id: "1", to: "s")
        var record = try #require(try await Aggregators.records(of: fixture.store).first)
        let other = try fixture.visits()
        #expect(try await other.handle(record) { _ in [] } == nil)
        record.eventName = .remove
        #expect(try await clicks.handle(record) { _ in [] } == nil)
        record.eventName = .insert
        record.change?.newImage = nil
        record.change?.keys?["sk"] = .string("m#1")
        #expect(try await clicks.handle(record) { _ in [] } == nil)
        record.change?.keys?["sk"] = .string("head")
        #expect(try await clicks.handle(record) { _ in [] } == .acted)
    }
}
