import AWSClient
import DynamoDBPatternsTesting
import Testing

@testable import DynamoDBPatterns

/// Each fault at each call, after which the event is delivered again, or the sweep comes, as it would be.
@Suite struct AggregatorFaultTests {
    /// Faults after which more can go wrong, for two of them in one run.
    private static let deep: [Fault] = [.crashAfter, .lostReplyThenRetried, .notSent]

    @Test("Counted sets: acted on exactly once whatever happens to which call", arguments: AddingTests.storages)
    func counting(storage: AggregateStorage) async throws {
        let runs = try await FaultSweep.run { run in
            try await Self.scenario(run, members: 3) { fixture, api in try fixture.clicks(2, storage: storage, in: api)
            }
        }
        #expect(runs > 60)
    }

    @Test("Merged sets: acted on exactly once whatever happens to which call", arguments: AddingTests.storages)
    func merging(storage: AggregateStorage) async throws {
        let runs = try await FaultSweep.run { run in
            try await Self.scenario(run, members: 3) { fixture, api in
                try fixture.visits(until: "p2", storage: storage, in: api)
            }
        }
        #expect(runs > 60)
    }

    @Test("Sets that time out: acted on exactly once whatever happens to which two calls")
    func timingOut() async throws {
        try await FaultSweep.run(depth: 2) { run in
            try await Self.scenario(run, members: 1) { fixture, api in try fixture.clicks(2, in: api) }
        }
    }

    @Test(
        "Complete sets: acted on exactly once whatever happens to which two calls",
        arguments: [
            AggregateStorage.inHead, .asItems,
        ])
    func twoFaults(storage: AggregateStorage) async throws {
        let runs = try await FaultSweep.run(faults: Self.deep, depth: 2) { run in
            try await Self.scenario(run, members: 2) { fixture, api in try fixture.clicks(2, storage: storage, in: api)
            }
        }
        #expect(runs > 400)
    }

    @Test("Sets that are forgotten: nothing is left whatever happens to which call")
    func forgetting() async throws {
        try await FaultSweep.run(depth: 2) { run in
            let fixture = try PatternWorld()
            let clicks = try fixture.clicks(2, storage: .asItems)
            for number in 1...2 { _ = try await clicks.add(Click(page: "p"), id: "\(number)", to: "s") }
            _ = try await clicks.act(on: "s") { _ in [] }
            fixture.time.advance(by: .seconds(8 * 86_400))
            try await run.deliver(to: fixture.store) { api in
                _ = try await fixture.clicks(2, storage: .asItems, in: api).sweep { _ in [] }
            }
            try run.check(fixture.store.items(in: PatternWorld.tableName).isEmpty, "Something is left.")
        }
    }

    /// Members are delivered, each until that succeeds, and once more; the writer acts; the sweep comes after a while.
    private static func scenario<Value: Codable & Sendable>(
        _ run: FaultedRun, members: Int,
        _ make: (PatternWorld, any DynamoDBAPI) throws -> Aggregator<Click, Value>
    ) async throws {
        let fixture = try PatternWorld()
        let keys = Journal()
        func action(_ set: Aggregate<Click, Value>) async throws -> [TransactWriteItem] {
            keys.write(set.idempotencyKey)
            return [PatternWorld.effect(set.key)]
        }
        for number in 1...members {
            for delivery in 1...2 {
                let answer = try await run.deliver(to: fixture.store) { api in
                    let aggregator = try make(fixture, api)
                    let answer = try await aggregator.add(Click(page: "p\(number)"), id: "\(number)", to: "s")
                    if answer == .completed { try await aggregator.act(on: "s", action) }
                    return answer
                }
                let expected: [AggregateAddition] =
                    switch (number, delivery) {
                    case (1, 1): [.added, .duplicate]
                    case (1, _): [.duplicate]
                    case (2, _): [.completed]
                    default: [.late]
                    }
                try run.check(expected.contains(answer), "Delivery \(delivery) of member \(number) was \(answer).")
            }
        }
        for _ in 1...3 {
            fixture.time.advance(by: .seconds(700))
            try await run.deliver(to: fixture.store) { api in
                let sweep = try await make(fixture, api).sweep(action)
                if let failure = sweep.failed.first { throw failure.error }
            }
        }
        let aggregator = try make(fixture, fixture.store)
        let set = try await aggregator.read("s")
        try run.check(set?.state == .done && set?.count == min(members, 2), "The set is not done, or miscounted.")
        try run.check(set?.isTimedOut == (members == 1), "It was ended by the wrong thing.")
        if let visit = set?.value as? Visit {
            try run.check(visit.pages == ["p1", "p2"], "Members were merged twice, or not.")
        }
        let effects = PatternWorld.effects("s", in: fixture.store)
        try run.check(effects == 1, "The effect was written \(effects) times.")
        try run.check(!keys.entries.isEmpty && Set(keys.entries).count == 1, "The attempts had several keys.")
        let waking = try await Aggregators.records(of: fixture.store).filter {
            $0.change?.newImage?["state"]?.string == "READY"
        }
        try run.check(waking.count == members - 1 || waking.count == 1, "\(waking.count) records wake a function.")
        try run.check(members > 1 || waking.isEmpty, "A set that timed out was marked as complete.")
    }
}
