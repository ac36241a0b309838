import AWSClient
import DynamoDBPatternsTesting
import Testing

@testable import DynamoDBPatterns

/// The numbers of the article on aggregators.
@Suite struct AggregatorCostTests {
    private struct Cost: Equatable {
        var requests: Int
        var written = 0.0
        var read = 0.0
    }

    private func cost(_ fixture: PatternWorld, _ body: () async throws -> Void) async throws -> Cost {
        fixture.store.resetUsage()
        try await body()
        let usage = fixture.store.usage
        return Cost(requests: usage.requests.values.reduce(0, +), written: usage.writeUnits, read: usage.readUnits)
    }

    @Test(
        "What a counted set costs",
        arguments: [(AggregateStorage.inHead, 1.0, 1.0), (.idsOnly, 1, 1), (.asItems, 4, 1)])
    func counted(storage: AggregateStorage, unit: Double, index: Double) async throws {
        let fixture = try PatternWorld()
        let clicks = try fixture.clicks(3, storage: storage)
        var costs: [Cost] = []
        for id in ["1", "2", "2", "3", "4"] {
            costs.append(
                try await cost(fixture) { _ = try await clicks.add(Click(page: "p"), id: id, to: "s") })
        }
        let reads = storage == .asItems
        #expect(
            costs == [
                Cost(requests: 1, written: unit + index),
                Cost(requests: 1, written: unit),
                Cost(requests: reads ? 2 : 1, written: unit, read: reads ? 1 : 0),
                Cost(requests: 2, written: 2 * unit + 2 * index),
                Cost(requests: reads ? 3 : 1, written: unit, read: reads ? 3 : 0),
            ])
    }

    @Test("What a merged set costs")
    func merged() async throws {
        let fixture = try PatternWorld()
        let visits = try fixture.visits()
        var costs: [Cost] = []
        for (id, page) in [("1", "home"), ("2", "cart"), ("2", "cart"), ("3", "checkout"), ("4", "home")] {
            costs.append(try await cost(fixture) { _ = try await visits.add(Click(page: page), id: id, to: "s") })
        }
        #expect(
            costs == [
                Cost(requests: 2, written: 2, read: 1), Cost(requests: 2, written: 1, read: 1),
                Cost(requests: 1, written: 0, read: 1), Cost(requests: 2, written: 3, read: 1),
                Cost(requests: 1, written: 0, read: 1),
            ])
    }

    @Test("What acting and sweeping cost")
    func acting() async throws {
        let fixture = try PatternWorld()
        let clicks = try fixture.clicks(1)
        #expect(try await cost(fixture) { _ = try await clicks.sweep { _ in [] } } == Cost(requests: 1, read: 0.5))
        _ = try await clicks.add(Click(page: "p"), id: "1", to: "s")
        fixture.time.advance(by: .seconds(1))
        #expect(try await cost(fixture) { try await clicks.act(on: "s") { _ in [] } } == Cost(requests: 2, written: 5))
        #expect(try await cost(fixture) { try await clicks.act(on: "s") { _ in [] } } == Cost(requests: 1, written: 1))
        _ = try await clicks.add(Click(page: "p"), id: "1", to: "t")
        fixture.time.advance(by: .seconds(1))
        let transaction = try await cost(fixture) { try await clicks.act(on: "t") { [PatternWorld.effect($0.key)] } }
        #expect(transaction == Cost(requests: 2, written: 8))

        let apart = try fixture.clicks(1, storage: .asItems)
        _ = try await apart.add(Click(page: "p"), id: "1", to: "u")
        fixture.time.advance(by: .seconds(1))
        #expect(
            try await cost(fixture) { try await apart.act(on: "u") { _ in [] } }
                == Cost(requests: 3, written: 6, read: 1))
    }
}
