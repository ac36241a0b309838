import AWSClient
import DynamoDBPatterns
import DynamoDBPatternsTesting
import Foundation
import Testing

/// What the article says that things cost.
@Suite struct PeriodicCostTests {
    /// Requests, units written and units read of what the body does.
    private struct Cost: Equatable {
        var requests: Int
        var written: Double
        var read: Double
    }

    private static func cost(_ store: MemoryDynamoDB, _ body: () async throws -> Void) async throws -> Cost {
        store.resetUsage()
        try await body()
        let usage = store.usage
        return Cost(
            requests: usage.requests.values.reduce(0, +), written: usage.writeUnits, read: usage.readUnits)
    }

    @Test("Collecting costs one request and one unit, four in the danger zone, ten after the close")
    func collecting() async throws {
        let fixture = try PeriodicFixture()
        let (store, minutes) = (fixture.store, try fixture.aggregator())
        let collect: @Sendable (String) async throws -> Void = { id in
            try await minutes.collect("m", id: id, at: PeriodicTime.start)
        }
        #expect(try await Self.cost(store) { try await collect("1") } == Cost(requests: 2, written: 3, read: 0))
        #expect(try await Self.cost(store) { try await collect("2") } == Cost(requests: 1, written: 1, read: 0))
        #expect(try await Self.cost(store) { try await collect("2") } == Cost(requests: 1, written: 1, read: 0))
        fixture.time.move(to: 55)
        #expect(try await Self.cost(store) { try await collect("3") } == Cost(requests: 1, written: 4, read: 0))
        fixture.time.move(to: 90)
        try await minutes.runDue { _ in [] }
        try await minutes.collect("m", id: "1", at: PeriodicTime.at(90))
        #expect(try await Self.cost(store) { try await collect("4") } == Cost(requests: 2, written: 10, read: 0))
        #expect(try await Self.cost(store) { try await collect("4") } == Cost(requests: 1, written: 4, read: 0))
    }

    @Test("Processing a thousand members costs a fraction of what collecting them costs")
    func processing() async throws {
        let fixture = try PeriodicFixture()
        let minutes = try fixture.aggregator(shards: 4) { all, _ in
            fixture.time.move(by: .milliseconds(1))
            all = ["\((Int(all.first ?? "") ?? 0) + 1)"]
        }
        for id in 0..<1000 {
            try await minutes.collect(String(repeating: "x", count: 100), id: "event-\(id)", at: PeriodicTime.start)
        }
        fixture.time.move(to: 90)
        let finishes = PeriodicFinishes()
        let cost = try await Self.cost(fixture.store) { try await minutes.runDue(finish: finishes.finish) }
        #expect(finishes.members == ["1000"])
        #expect(cost == Cost(requests: 12, written: 29, read: 48.5))
        #expect(
            try await Self.cost(fixture.store) { try await minutes.runDue(finish: finishes.finish) }
                == Cost(requests: 1, written: 0, read: 0.5))
    }

    @Test("An almost empty bucket costs little, and a schedule that finds nothing costs one query")
    func almostEmpty() async throws {
        let fixture = try PeriodicFixture()
        let minutes = try fixture.aggregator(shards: 1, fold: fixture.slowFold)
        try await minutes.collect("m", id: "1", at: PeriodicTime.start)
        #expect(
            try await Self.cost(fixture.store) { try await minutes.runDue { _ in [] } }
                == Cost(requests: 1, written: 0, read: 0.5))
        fixture.time.move(to: 90)
        let cost = try await Self.cost(fixture.store) { try await minutes.runDue { _ in [] } }
        #expect(cost == Cost(requests: 6, written: 12, read: 1.5))
    }

    @Test("A write of the finish costs its own two units, and the mark one more")
    func finishing() async throws {
        let fixture = try PeriodicFixture()
        let minutes = try fixture.aggregator(shards: 1, fold: fixture.slowFold)
        try await minutes.collect("m", id: "1", at: PeriodicTime.start)
        fixture.time.move(to: 90)
        let finishes = PeriodicFinishes()
        let cost = try await Self.cost(fixture.store) { try await minutes.runDue(finish: finishes.mark) }
        #expect(cost == Cost(requests: 6, written: 15, read: 1.5))
    }
}

extension PeriodicFixture {
    /// Takes a little time, so that a checkpoint extends the lease.
    fileprivate var slowFold: @Sendable (inout [String], String) -> Void {
        let time = time
        return { all, member in
            time.move(by: .milliseconds(1))
            all.append(member)
        }
    }
}
