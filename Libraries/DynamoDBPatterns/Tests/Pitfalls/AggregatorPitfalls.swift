import AWSClient
import DynamoDBPatterns
import DynamoDBPatternsTesting
import Testing

@Suite("Pitfalls of the aggregator, with deliveries of which every fourth call goes wrong")
struct AggregatorPitfalls {
    private func clicks(
        in table: PatternTable, storage: AggregateStorage = .inHead
    ) throws -> Aggregator<Click, NoValue> {
        try Aggregator(
            "clicks", in: table, rule: .count(3), timeout: .seconds(100_000), lease: .seconds(60), storage: storage)
    }

    @Test(
        "Duplicates: members that are delivered again count once, and the set is acted on once",
        arguments: PitfallPlace.all)
    func duplicates(place: PitfallPlace) async throws {
        for storage in AddingTests.storages {
            let world = try await PitfallWorld(place)
            let reader = try clicks(in: world.table, storage: storage)
            for (number, id) in ["1", "2", "1", "2", "3", "3", "1"].enumerated() {
                try await world.deliver { table in
                    let clicks = try clicks(in: table, storage: storage)
                    _ = try await clicks.add(Click(page: "p"), id: id, to: "s")
                    try await clicks.act(on: "s") { set in
                        #expect(set.count == 3)
                        if storage == .inHead { #expect(Set(set.members.keys) == ["1", "2", "3"]) }
                        return [world.effect(set.key)]
                    }
                }
                let count = try await reader.read("s")?.count
                #expect(count == min(number + 1, number < 4 ? 2 : 3))
            }
            let set = try #require(try await clicks(in: world.table, storage: storage).read("s"))
            #expect(set.count == 3 && set.state == .done)
            #expect(try await world.effects("s") == 1)
        }
    }

    @Test(
        "Loop on own writes: of all records that a set makes, one wakes the function, and its writes wake none",
        arguments: PitfallPlace.all)
    func ownWrites(place: PitfallPlace) async throws {
        let world = try await PitfallWorld(place)
        for id in ["1", "2", "3", "4"] {
            try await world.deliver { _ = try await self.clicks(in: $0).add(Click(page: "p"), id: id, to: "s") }
        }
        let criteria = try clicks(in: world.table).filterCriteria
        let waking = try await world.records().filter(criteria.matches)
        #expect(waking.count == 1)
        for _ in 1...2 {
            for record in try await world.records() {
                try await world.deliver { try await clicks(in: $0).handle(record) { [world.effect($0.key)] } }
            }
        }
        #expect(try await world.effects("s") == 1)
        #expect(try await world.records().filter(criteria.matches).count == 1)
    }

    @Test(
        "400 KB: a set may outgrow an item where members have items of their own; in one it is refused, and kept",
        arguments: PitfallPlace.all)
    func large(place: PitfallPlace) async throws {
        let world = try await PitfallWorld(place)
        let page = String(repeating: "x", count: 150_000)
        let apart = try clicks(in: world.table, storage: .asItems)
        for id in ["1", "2", "3"] { _ = try await apart.add(Click(page: page), id: id, to: "apart") }
        #expect(try await apart.read("apart")?.state == .ready)
        #expect(try await apart.members(of: "apart").members.map(\.member.page.count) == [150_000, 150_000, 150_000])

        let together = try Aggregator(
            "together", of: Click.self, in: world.table, rule: .count(3), timeout: .seconds(60))
        for id in ["1", "2"] { _ = try await together.add(Click(page: page), id: id, to: "s") }
        let error = await #expect(throws: PatternError.self) {
            try await together.add(Click(page: page), id: "3", to: "s")
        }
        #expect(error?.code == .tooLarge)
        #expect(try await together.read("s")?.count == 2)
        #expect(try await together.add(Click(page: "small"), id: "3", to: "s") == .completed)
    }

    @Test(
        "Late members: what comes after the set is complete, or acted on, changes nothing", arguments: PitfallPlace.all)
    func late(place: PitfallPlace) async throws {
        let world = try await PitfallWorld(place)
        for id in ["1", "2", "3"] {
            try await world.deliver { _ = try await self.clicks(in: $0).add(Click(page: "p"), id: id, to: "s") }
        }
        let clicks = try clicks(in: world.table)
        #expect(try await clicks.add(Click(page: "p"), id: "4", to: "s") == .late)
        try await clicks.act(on: "s") { [world.effect($0.key)] }
        #expect(try await clicks.add(Click(page: "p"), id: "5", to: "s") == .late)
        #expect(try await clicks.act(on: "s") { [world.effect($0.key)] } == .done)
        #expect(try await clicks.read("s")?.count == 3)
        #expect(try await world.effects("s") == 1)
    }

    @Test("Incomplete sets are listed, time out once, and leave the index", arguments: PitfallPlace.all)
    func incomplete(place: PitfallPlace) async throws {
        let world = try await PitfallWorld(place)
        for set in ["s", "t"] {
            try await world.deliver { _ = try await self.clicks(in: $0).add(Click(page: "p"), id: "1", to: set) }
        }
        let clicks = try clicks(in: world.table)
        #expect(try await clicks.incomplete().sets.map(\.key).sorted() == ["s", "t"])
        #expect(try await clicks.sweep { [world.effect($0.key)] }.acted == [])
        world.time.advance(by: .seconds(100_001))
        for _ in 1...5 {
            try await world.deliver { table in
                let sweep = try await self.clicks(in: table).sweep { set in
                    #expect(set.isTimedOut && set.count == 1)
                    return [world.effect(set.key)]
                }
                if let error = sweep.failed.first?.error { throw error }
            }
        }
        #expect(try await world.effects("s") == 1)
        #expect(try await world.effects("t") == 1)
        #expect(try await clicks.incomplete().sets.isEmpty)
    }
}
