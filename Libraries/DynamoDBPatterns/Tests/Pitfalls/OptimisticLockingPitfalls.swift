import AWSClient
import DynamoDBPatterns
import DynamoDBPatternsTesting
import Testing

/// Conditions hold in one region only; there are no global tables here, and the documentation says so.
@Suite("Pitfalls of optimistic locking, with deliveries of which every fourth call goes wrong")
struct OptimisticLockingPitfalls {
    private struct Counter: Codable, Sendable {
        var pk = "counter"
        var sk = "1"
        var steps: [String] = []
    }

    private static let key = PrimaryKey("counter", "1")

    private func counters(in table: PatternTable) -> VersionedTable<Counter> {
        VersionedTable(table.name, in: table.api, key: .init(partition: "pk", sort: "sk"), clock: table.clock)
    }

    @Test("Lost updates: changes that are made again after lost answers are made once", arguments: PitfallPlace.all)
    func updates(place: PitfallPlace) async throws {
        let world = try await PitfallWorld(place)
        let names = (1...10).map { "\($0)" }
        for name in names {
            var isAgain = false
            try await world.deliver { table in
                defer { isAgain = true }
                try await counters(in: table).update(Self.key, orInsert: Counter()) { counter in
                    // As who calls again after an error that leaves it open has to; `update` itself need not.
                    if !isAgain || !counter.steps.contains(name) { counter.steps.append(name) }
                }
            }
        }
        let counter = try #require(try await counters(in: world.table).load(Self.key))
        #expect(counter.item.steps == names && counter.version == 10)
    }

    @Test("Lost updates: of two who have loaded the same version, the second one is told", arguments: PitfallPlace.all)
    func conflicts(place: PitfallPlace) async throws {
        let world = try await PitfallWorld(place)
        let counters = counters(in: world.table)
        let inserted = try await counters.insert(Counter())
        var (first, second) = (inserted, inserted)
        first.item.steps = ["first"]
        second.item.steps = ["second"]
        try await counters.save(first)
        let late = second
        let conflict = await #expect(throws: Conflict<Counter>.self) { try await counters.save(late) }
        #expect(conflict?.newer?.item.steps == ["first"] && conflict?.newer?.version == 2)
        #expect(try await counters.load(Self.key)?.item.steps == ["first"])
    }

    @Test(
        "Deletes and ABA: an item that was deleted and inserted again is another one, at the same version too",
        arguments: PitfallPlace.all)
    func reborn(place: PitfallPlace) async throws {
        let world = try await PitfallWorld(place)
        let counters = counters(in: world.table)
        let first = try await counters.insert(Counter())
        try await counters.delete(first)
        let second = try await counters.insert(Counter(steps: ["second"]))
        #expect(second.version == first.version)
        var changed = first
        changed.item.steps = ["first"]
        let conflict = await #expect(throws: Conflict<Counter>.self) { try await counters.save(changed) }
        #expect(conflict?.newer?.item.steps == ["second"])
        await #expect(throws: Conflict<Counter>.self) { try await counters.delete(first) }
        #expect(try await counters.load(Self.key)?.item.steps == ["second"])
    }

    @Test("Phantoms: a save after a deletion makes no item", arguments: PitfallPlace.all)
    func phantoms(place: PitfallPlace) async throws {
        let world = try await PitfallWorld(place)
        let counters = counters(in: world.table)
        let counter = try await counters.insert(Counter())
        try await counters.delete(counter)
        let conflict = await #expect(throws: Conflict<Counter>.self) { try await counters.save(counter) }
        #expect(conflict != nil && conflict?.newer == nil)
        #expect(try await counters.load(Self.key) == nil)
        let error = await #expect(throws: PatternError.self) {
            try await counters.update(Self.key) { $0.steps.append("x") }
        }
        #expect(error?.code == .notFound)
    }
}
