import AWSClient
import DynamoDBPatternsTesting
import Testing

@testable import DynamoDBPatterns

@Suite struct ShardedCounterTests {
    typealias Store = DynamoDBAPI & StreamsAPI

    let world: PatternWorld

    init() throws { world = try PatternWorld() }

    @Test("Increments are spread over the shards, and the sum has all of them")
    func spread() async throws {
        let likes = try ShardedCounter("likes", in: world.table(), shards: 5)
        #expect(try await likes.value(of: "v") == 0)
        for amount in 1...100 { try await likes.add(Int64(amount), to: "v") }
        try await likes.add(to: "w")
        try await likes.add(-50, to: "v")
        #expect(try await likes.value(of: "v") == 5000)
        #expect(try await likes.snapshot(of: "v") == 5000)
        #expect(try await likes.value(of: "w") == 1)
        let partitions = world.store.items(in: PatternWorld.tableName).compactMap { $0["pk"]?.string }
        #expect(Set(partitions.filter { $0.hasSuffix("#v") }).count == 5)
        // More shards later: nothing is lost.
        #expect(try await ShardedCounter("likes", in: world.table(), shards: 50).value(of: "v") == 5000)
    }

    @Test("Keys with separators do not meet in one item")
    func keys() async throws {
        let likes = try ShardedCounter("likes", in: world.table(), shards: 1)
        let pairs = [("a#1", "b"), ("a", "1#b"), ("a#1#b", "c"), ("request#1#a", "b"), ("1", "a#b")]
        for (counter, request) in pairs { #expect(try await likes.add(1, to: counter, request: request)) }
        for (counter, _) in pairs { #expect(try await likes.value(of: counter) == 1) }
    }

    @Test("A request counts once for as long as it is remembered")
    func requests() async throws {
        let likes = try ShardedCounter("likes", in: world.table(), retention: .seconds(60))
        #expect(try await likes.add(2, to: "v", request: "1"))
        #expect(try await likes.add(2, to: "v", request: "1") == false)
        #expect(try await likes.add(2, to: "w", request: "1"))
        world.time.advance(by: .seconds(59))
        #expect(try await likes.add(2, to: "v", request: "1") == false)
        #expect(try await likes.value(of: "v") == 2)
        world.time.advance(by: .seconds(3))
        #expect(try await likes.add(2, to: "v", request: "1"))
        #expect(try await likes.value(of: "v") == 4)
    }

    @Test("What it costs, and what is refused")
    func costs() async throws {
        let likes = try ShardedCounter("likes", in: world.table(), shards: 4)
        #expect(try await world.cost { try await likes.add(to: "v") } == .init(requests: 1, written: 1))
        #expect(try await world.cost { try await likes.add(to: "v", request: "1") } == .init(requests: 1, written: 4))
        #expect(try await world.cost { try await likes.add(to: "v", request: "1") } == .init(requests: 1, written: 4))
        for _ in 1...40 { try await likes.add(to: "v") }
        #expect(try await world.cost { _ = try await likes.value(of: "v") } == .init(requests: 1, read: 4))
        #expect(try await world.cost { _ = try await likes.snapshot(of: "v") } == .init(requests: 1, read: 8))
        for shards in [0, 101] {
            await expect(.invalidArgument) { _ = try ShardedCounter("likes", in: world.table(), shards: shards) }
        }
        await expect(.invalidArgument) { try await likes.add(to: "") }
        await expect(.invalidArgument) { try await likes.add(to: "v", request: "") }
        await expect(.tooLarge) {
            let large = try ShardedCounter("large", in: world.table(), shards: 2)
            for _ in 1...40 { try await large.add(.max / 32, to: "v") }
            _ = try await large.value(of: "v")
        }
    }

    @Test("A sum that fits is returned, also if a shard or a part of the sum does not fit 64 bits")
    func largeShards() async throws {
        let table = world.table()
        let one = try ShardedCounter("one", in: table, shards: 1)
        for _ in 1...3 { try await one.add(.max, to: "v") }
        await expect(.tooLarge) { _ = try await one.value(of: "v") }
        for _ in 1...2 { try await one.add(-.max, to: "v") }
        #expect(try await one.value(of: "v") == .max)
        // The shards are summed in an order of DynamoDB's choice.
        let three = try ShardedCounter("three", in: table, shards: 3)
        for (shard, count) in [Int64.max, .max, -.max].enumerated() {
            let key = three.shardKey(shard, of: "v").attributes
            let item = key.merging(["count": .integer(count)]) { $1 }
            _ = try await world.store.putItem(PutItemRequest(tableName: PatternWorld.tableName, item: item))
        }
        #expect(try await three.value(of: "v") == .max)
        #expect(try await three.snapshot(of: "v") == .max)
    }

    @Test("Requests: counted once, whatever happens to which two calls")
    func faults() async throws {
        try await FaultSweep.run(depth: 2) { run in
            let world = try PatternWorld()
            for request in ["1", "2"] {
                for _ in 1...2 {
                    try await run.deliver(to: world.store) { api in
                        _ = try await ShardedCounter("likes", in: world.table(api), shards: 3)
                            .add(5, to: "v", request: request)
                    }
                }
            }
            let sum = try await run.deliver(to: world.store) { api in
                try await ShardedCounter("likes", in: world.table(api), shards: 3).value(of: "v")
            }
            try run.check(sum == 10, "The sum is \(sum).")
        }
    }

    /// Three processes that count the same requests, and one that reads: never less than before, never too much.
    @Sendable private static func counting(
        _ simulation: Simulation, through: @escaping @Sendable (MemoryDynamoDB) -> any Store
    ) async throws {
        let store = MemoryDynamoDB(clock: simulation.clock.now, seed: simulation.seed)
        try store.createPatternTable(PatternWorld.tableName)
        let broken = through(store)
        let counted = Journal()
        for name in ["a", "b", "c"] {
            simulation.spawn(name) { process in
                let api = process.dynamoDB(broken, faults: .random(percent: 8))
                let table = PatternTable(PatternWorld.tableName, in: api, clock: process.clock)
                let likes = try ShardedCounter("likes", in: table, shards: 3)
                for request in 1...4 {
                    if try await likes.add(1, to: "v", request: "\(request)") { counted.write("\(request)") }
                    try await process.clock.sleep(.milliseconds(20))
                }
            }
        }
        simulation.spawn("reader") { process in
            let api = process.dynamoDB(broken)
            let likes = try ShardedCounter(
                "likes", in: PatternTable(PatternWorld.tableName, in: api, clock: process.clock), shards: 3)
            var last: Int64 = 0
            for _ in 1...10 {
                let known = Int64(Set(counted.entries).count)
                let sum = try await likes.value(of: "v")
                guard sum >= max(last, known), sum <= 4 else {
                    throw InvariantViolation("The sum was \(sum) after \(last), of \(known) that were answered.")
                }
                last = sum
                try await process.clock.sleep(.milliseconds(15))
            }
        }
        try await simulation.run()
        let likes = try ShardedCounter(
            "likes", in: PatternTable(PatternWorld.tableName, in: store, clock: simulation.clock), shards: 3)
        let sum = try await likes.value(of: "v")
        try simulation.check(sum == 4, "The sum is \(sum).")
        let entries = counted.entries
        try simulation.check(Set(entries).count == entries.count, "Counted twice: \(entries).")
    }

    @Test("Each request counts once, and no read goes back, in hundreds of schedules")
    func simulated() async throws {
        try await Simulation.explore(seeds: 0..<500) { try await Self.counting($0) { $0 } }
    }

    @Test("Broken on purpose: without the condition of the request")
    func broken() async throws {
        let failure = try await Simulation.firstFailure(seeds: 0..<500) {
            try await Self.counting($0) { WithoutConditions(base: $0) }
        }
        #expect(failure?.violation != nil, "\(failure?.description ?? "nothing was found")")
    }

    @Test("Pitfall: requests that are delivered again and again count once", arguments: PitfallPlace.all)
    func duplicates(place: PitfallPlace) async throws {
        let world = try await PitfallWorld(place)
        for request in 1...10 {
            for _ in 1...2 {
                try await world.deliver { table in
                    _ = try await ShardedCounter("likes", in: table, shards: 4).add(3, to: "v", request: "\(request)")
                }
            }
        }
        let likes = try ShardedCounter("likes", in: world.table, shards: 4)
        #expect(try await likes.value(of: "v") == 30)
        #expect(try await likes.snapshot(of: "v") == 30)
    }
}
