import AWSClient
import DynamoDBPatternsTesting
import Testing

@testable import DynamoDBPatterns

/// What is stored is not what this version of a program would store.
@Suite struct AggregatorChangeTests {
    @Test("A count that was made smaller ends the open sets with their next member", arguments: AddingTests.storages)
    func smallerCount(storage: AggregateStorage) async throws {
        let fixture = try PatternWorld()
        let before = try fixture.clicks(10, storage: storage)
        for number in 1...6 { _ = try await before.add(Click(page: "p"), id: "\(number)", to: "s") }
        let after = try fixture.clicks(3, storage: storage)
        #expect(try await after.add(Click(page: "p"), id: "6", to: "s") == .duplicate)
        #expect(try await after.add(Click(page: "p"), id: "7", to: "s") == .completed)
        #expect(try await after.add(Click(page: "p"), id: "8", to: "s") == .late)
        #expect(try await after.read("s")?.count == 7)
    }

    @Test("A head that nobody understands keeps no other set from being acted on")
    func corruptHead() async throws {
        let fixture = try PatternWorld()
        let clicks = try fixture.clicks(2)
        for set in ["a", "b", "c"] { _ = try await clicks.add(Click(page: "p"), id: "1", to: set) }
        _ = try await fixture.store.updateItem(
            .init(
                tableName: PatternWorld.tableName, key: clicks.headKey(of: "b").attributes,
                updateExpression: "REMOVE generation"))
        fixture.time.advance(by: .seconds(601))
        let sweep = try await clicks.sweep { _ in [] }
        #expect(sweep.acted.sorted() == ["a", "c"] && sweep.isFinished)
        #expect(sweep.failed.map(\.set) == ["b"])
        #expect((sweep.failed.first?.error as? PatternError)?.code == .corrupt)
    }

    @Test("More writes than a transaction takes are refused by name, and the set is acted on again")
    func tooManyWrites() async throws {
        let fixture = try PatternWorld()
        let clicks = try fixture.clicks(1)
        _ = try await clicks.add(Click(page: "p"), id: "1", to: "s")
        let error = await #expect(throws: PatternError.self) {
            try await clicks.act(on: "s") { set in (0..<100).map { PatternWorld.effect("\(set.key)\($0)") } }
        }
        #expect(error?.code == .invalidArgument)
        let outcome = try await clicks.act(on: "s") { set in (0..<99).map { PatternWorld.effect("\(set.key)\($0)") } }
        #expect(outcome == .acted)
    }
}
