import AWSClient
import DynamoDBPatterns
import DynamoDBPatternsTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Pitfalls of the periodic aggregator, with calls of which every fourth goes wrong")
struct PeriodicAggregatorPitfalls {
    private typealias Minutes = PeriodicAggregator<String, [String]>

    private func minutes(in table: PatternTable, shards: Int = 2) throws -> Minutes {
        try Minutes(
            "minutes", in: table, period: .seconds(60), grace: .seconds(30), shards: shards, lease: .seconds(60),
            pageSize: 3, initial: []
        ) { $0.append($1) }
    }

    /// The beginning of a minute that is not over yet.
    private func start(_ world: PitfallWorld) -> Date {
        let now = world.time.clock.now().timeIntervalSince1970
        return Date(timeIntervalSince1970: (now / 60).rounded(.down) * 60)
    }

    private func collect(_ ids: [String], at time: Date, in world: PitfallWorld) async throws -> [Collected] {
        var collected: [Collected] = []
        for id in ids {
            // Through a clock that stands still, so that deliveries do not outlast the minute.
            collected.append(
                try await world.deliver(pausing: false) { try await minutes(in: $0).collect(id, id: id, at: time) })
        }
        return collected
    }

    /// Processes what is due, one run after the other.
    private func run(_ finishes: PeriodicFinishes, in world: PitfallWorld) async throws {
        for _ in 0..<4 {
            try await world.deliver { table in
                try await minutes(in: table).runDue { closed in
                    _ = finishes.finish(closed)
                    return [world.effect(closed.idempotencyKey)]
                }
            }
            world.time.advance(by: .seconds(61))
        }
    }

    @Test(
        "Duplicates and runs that die: each member is folded once, and each bucket finished once",
        arguments: PitfallPlace.all)
    func once(place: PitfallPlace) async throws {
        let world = try await PitfallWorld(place)
        let time = start(world)
        let ids = (0..<8).map { "\($0)" }
        _ = try await collect(ids + ids, at: time, in: world)
        world.time.advance(by: .seconds(90))
        let finishes = PeriodicFinishes()
        try await run(finishes, in: world)
        #expect(Set(finishes.closed.map { $0.partial.sorted() }) == [ids])
        let key = try #require(finishes.closed.first?.idempotencyKey)
        #expect(try await world.effects(key) == 1)
    }

    @Test("Overlapping runs: who was taken over writes nothing", arguments: PitfallPlace.all)
    func overlap(place: PitfallPlace) async throws {
        let world = try await PitfallWorld(place)
        let (one, other) = (try minutes(in: world.table), try minutes(in: world.table))
        try await one.collect("a", id: "1", at: start(world))
        world.time.advance(by: .seconds(90))
        let finished = try await one.runDue { closed in
            world.time.advance(by: .seconds(61))
            let taken = try await other.runDue { [world.effect($0.idempotencyKey)] }
            #expect(taken == [closed.bucket])
            return [world.effect("zombie")]
        }
        #expect(finished == [])
        #expect(try await world.effects("zombie") == 0)
    }

    @Test(
        "Stragglers: what comes after the close is in the next bucket, once, and says where it belonged",
        arguments: PitfallPlace.all)
    func stragglers(place: PitfallPlace) async throws {
        let world = try await PitfallWorld(place)
        let time = start(world)
        _ = try await collect(["1"], at: time, in: world)
        world.time.advance(by: .seconds(90))
        let finishes = PeriodicFinishes()
        try await run(finishes, in: world)
        let late = try await collect(["2", "2", "1"], at: time, in: world)
        guard case .late(let bucket?) = late[0] else {
            Issue.record("It came too late: \(late[0])")
            return
        }
        #expect(Array(late.dropFirst()) == [.duplicate, .duplicate])
        #expect(try await minutes(in: world.table).members(of: bucket).members.map(\.lateFrom) == [time])
        world.time.advance(by: .seconds(150))
        try await run(finishes, in: world)
        let folded = Dictionary(grouping: finishes.closed, by: \.bucket).values.compactMap(\.last).flatMap(\.partial)
        #expect(folded.sorted() == ["1", "2"])
    }

    @Test("Hot bucket: members are spread over partitions, and all are found again", arguments: PitfallPlace.all)
    func hot(place: PitfallPlace) async throws {
        let world = try await PitfallWorld(place)
        let time = start(world)
        let minutes = try minutes(in: world.table, shards: 4)
        for id in 0..<40 { try await minutes.collect("\(id)", id: "\(id)", at: time) }
        let items = try await world.api.scan(ScanRequest(tableName: world.name)).items ?? []
        let shards = Dictionary(grouping: items.filter { $0["member"] != nil }) { $0["pk"] }
        #expect(shards.count == 4 && shards.values.allSatisfy { $0.count >= 4 })
        world.time.advance(by: .seconds(90))
        let finishes = PeriodicFinishes()
        try await minutes.runDue(finish: finishes.finish)
        #expect(finishes.members == (0..<40).map { "\($0)" }.sorted())
    }

    @Test(
        "Clock skew: a collector that is behind by less than grace and skew loses nothing; by more, the audit tells",
        arguments: PitfallPlace.all)
    func skew(place: PitfallPlace) async throws {
        let world = try await PitfallWorld(place)
        let time = start(world)
        var clock = world.time.clock
        clock.now = { world.time.clock.now().addingTimeInterval(-39) }
        let behind = try minutes(in: PatternTable(world.name, in: world.api, clock: clock))
        clock.now = { world.time.clock.now().addingTimeInterval(-3600) }
        let farBehind = try minutes(in: PatternTable(world.name, in: world.api, clock: clock))
        let minutes = try minutes(in: world.table)
        let bucket = try minutes.bucket(of: time)
        #expect(try await behind.collect("1", id: "1", at: time) == .collected(in: bucket))
        #expect(try await farBehind.collect("2", id: "2", at: time) == .collected(in: bucket))
        world.time.advance(by: .seconds(90))
        let finishes = PeriodicFinishes()
        try await minutes.runDue(finish: finishes.finish)
        #expect(finishes.members == ["1", "2"])
        #expect(try await behind.collect("3", id: "3", at: time) != .collected(in: bucket))
        #expect(try await minutes.audit(bucket).missed.isEmpty)
        #expect(try await farBehind.collect("4", id: "4", at: time) == .collected(in: bucket))
        #expect(try await minutes.audit(bucket).missed.map(\.id) == ["4"])
    }
}
