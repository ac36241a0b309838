import AWSTestSupport
import DiscfgCore
import DiscfgDynamoDB
import DiscfgTestSupport
import Testing

/// What each operation costs is a promise: docs/cost.md makes dollars of it.
///
/// Requests are counted by a proxy, from outside; units are what DynamoDB says that it consumed.
@Suite("What operations cost in requests and units", DynamoDBFixture.isAvailable)
struct CostTests {
    /// A table behind a proxy that counts, with a config that has some keys.
    private func withWorld(_ body: (CostWorld) async throws -> Void) async throws {
        try await FaultProxy.with(before: try await Ministack.shared().url) { proxy in
            let fixture = try await DynamoDBFixture(endpoint: proxy.url)
            let world = CostWorld(proxy: proxy, fixture: fixture, service: fixture.service())
            for number in 0..<12 { try await world.set("/k/\(number)", "value \(number)") }
            // As a server does once a minute.
            try await fixture.engine().maintain()
            _ = world.take()
            try await body(world)
        }
    }

    @Test("A set of a key that the process knows is one request and four write units")
    func warmSet() async throws {
        try await withWorld { world in
            for number in 0..<5 {
                try await world.set("/k/1", "again \(number)")
                #expect(world.take() == ["TransactWriteItems": .init(requests: 1, units: 4)])
            }
            try await world.set("/k/1", String(repeating: "x", count: 256))
            try await world.set("/k/1", String(repeating: "y", count: 256))
            #expect(
                world.take() == ["TransactWriteItems": .init(requests: 2, units: 8)], "with values of 256 bytes too")
        }
    }

    @Test("A set of a key that the process has not seen reads it first")
    func unseenKey() async throws {
        try await withWorld { world in
            let other = world.fixture.service()
            try await world.set("/mine", "1", on: other)
            _ = world.take()
            // Others wrote within the last minute: the first key that is read brings the newest entries of the log along.
            try await world.set("/k/2", "x", on: other)
            #expect(world.take()["Query"]?.requests == 1)
            try await world.set("/k/3", "x", on: other)
            let costs = world.take()
            #expect(costs["GetItem"] == .init(requests: 1, units: 1))
            #expect(costs["TransactWriteItems"] == .init(requests: 1, units: 4))
            #expect(costs.count == 2)
        }
    }

    @Test("The first set of a process is one request more")
    func coldSet() async throws {
        try await withWorld { world in
            for path in ["/k/1", "/new"] {
                try await world.set(path, "cold", on: world.fixture.service())
                let costs = world.take()
                #expect(costs["TransactGetItems"]?.requests == 1)
                #expect(
                    costs["TransactWriteItems"] == .init(requests: 1, units: 6),
                    "it tells the next one where the tail is")
                #expect(costs.count == 2)
            }
        }
    }

    @Test("A get is one request, and three where it must be fresh")
    func gets() async throws {
        try await withWorld { world in
            let reader = world.reader()
            let key = try Key(path: "/k/1")
            _ = try await reader.get(key, in: .default, at: nil, consistency: .eventual)
            #expect(world.take() == ["GetItem": .init(requests: 2, units: 1.5)], "it looks at the config's record once")
            _ = try await reader.get(key, in: .default, at: nil, consistency: .eventual)
            #expect(world.take() == ["GetItem": .init(requests: 1, units: 0.5)])
            _ = try await reader.get(key, in: .default, at: nil, consistency: .strong)
            let costs = world.take()
            #expect(costs["Query"]?.requests == 2, "others wrote within the last minute")
            #expect(costs["GetItem"] == .init(requests: 2, units: 2))
            _ = try await reader.get(key, in: .default, at: nil, consistency: .strong)
            let again = world.take()
            #expect(again["GetItem"] == .init(requests: 2, units: 2), "the config's record and the key")
            #expect(again["Query"]?.requests == 1, "the end of the log")
            #expect(again["TransactGetItems"]?.requests == 1, "whether a commit is just being written")
            #expect(again.count == 3)
            _ = try await world.service.get(key, in: .default, at: nil, consistency: .eventual)
            #expect(world.take() == ["GetItem": .init(requests: 1, units: 1)], "it wrote the key")
        }
    }

    @Test("A list is one request for each megabyte")
    func lists() async throws {
        try await withWorld { world in
            let reader = world.reader()
            for isRecursive in [true, false] {
                let listing = try await reader.list(ListQuery("/k", isRecursive: isRecursive), in: .default)
                #expect(listing.entries.count == 12 && listing.next == nil)
                #expect(world.take()["Query"]?.requests == 1)
            }
            for number in 0..<80 {
                try await world.set("/big/\(number)", String(repeating: "x", count: 30_000))
            }
            _ = world.take()
            let listing = try await reader.list(ListQuery("/big", isRecursive: true), in: .default)
            #expect(listing.entries.count == 80)
            #expect(world.take() == ["Query": .init(requests: 3, units: 1.5)], "2.4 MB; the stand-in counts no sizes")
        }
    }

    @Test("The history of a quiet key is one request for each megabyte of log, whatever the limit")
    func quietHistory() async throws {
        try await withWorld { world in
            try await world.set("/quiet", "1")
            for number in 0..<60 { try await world.set("/k/\(number % 12)", String(repeating: "x", count: 20_000)) }
            let reader = world.reader()
            _ = try await reader.history(HistoryQuery(limit: 1), in: .default)
            _ = world.take()
            let query = HistoryQuery(try .subtree("/quiet"), limit: 1)
            let page = try await reader.history(query, in: .default)
            #expect(page.commits.map { $0.changes.map(\.key.name) } == [["/quiet"]])
            let costs = world.take()
            // The end of the log; then two commits, 16, and the rest of 2.4 MB.
            #expect(costs["Query"].map { (2...7).contains($0.requests) } == true, "\(costs)")
            #expect(costs["GetItem"]?.requests == 1)
        }
    }

    @Test("A watcher who waits costs half a unit for each look, however many wait")
    func idleWatch() async throws {
        try await withWorld { world in
            let revision = try await world.service.revision(of: .default)
            let reader = world.fixture.service()
            // The first question is answered with what is newest; from then on one look serves all.
            _ = try await reader.changes(ChangesQuery(after: revision, wait: .milliseconds(1)), in: .default)
            _ = world.take()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<50 {
                    group.addTask {
                        let query = ChangesQuery(after: revision, wait: .seconds(60))
                        let page = try await reader.changes(query, in: .default)
                        #expect(page.commits.map(\.revision) == [revision + 1])
                    }
                }
                while (world.proxy.counts.operations["Query"]?.requests ?? 0) < 60 {
                    // The proxy counts and cannot call back: looked at until the count is there.
                    try await Task.sleep(for: .milliseconds(5))
                }
                let costs = world.take()
                #expect(costs.count == 1)
                // Each of the fifty looked once itself when it came, at most; everything else is one look for all.
                let query = try #require(costs["Query"])
                #expect(query.units < Double(query.requests))
                try await world.set("/wake", "up")
                try await group.waitForAll()
            }
        }
    }

    @Test("Reads of a config in memory cost a look at the end of the log: 2 units, or half a unit a second")
    func views() async throws {
        try await withWorld { world in
            let clock = TestClock()
            let time = TimeSource(
                now: TimeSource.system.now, sleep: TimeSource.system.sleep, instant: { clock.instant })
            let server = world.fixture.service(time: time, viewMemory: 64 << 20)
            try await server.loadNow(.default)
            let loading = world.take()
            #expect(loading.values.reduce(0) { $0 + $1.requests } <= 6, "\(loading)")
            let key = try Key(path: "/k/1")
            for _ in 0..<2 {
                _ = try await server.get(key, in: .default, at: nil, consistency: .strong)
                #expect(world.take() == ["TransactGetItems": .init(requests: 1, units: 2)])
                let list = try await server.list(ListQuery("/k", consistency: .strong), in: .default)
                #expect(list.items.count == 12)
                #expect(world.take() == ["TransactGetItems": .init(requests: 1, units: 2)])
            }
            for _ in 0..<10 {
                _ = try await server.get(key, in: .default, at: nil, consistency: .eventual)
                _ = try await server.list(ListQuery("/k"), in: .default)
            }
            #expect(world.take().isEmpty, "the last look is less than a second old")
            clock.advance(by: .seconds(2))
            for _ in 0..<10 { _ = try await server.get(key, in: .default, at: nil, consistency: .eventual) }
            #expect(world.take() == ["Query": .init(requests: 1, units: 0.5)])
            // A write knows everything already, and what another process writes is read once.
            try await world.set("/k/1", "by the server", on: server)
            #expect(world.take()["TransactWriteItems"]?.requests == 1)
            try await world.set("/k/1", "by another")
            _ = world.take()
            let reading = try await server.get(key, in: .default, at: nil, consistency: .strong)
            #expect(reading.item.value == Value("by another"))
            let costs = world.take()
            #expect(costs.values.reduce(0) { $0 + $1.requests } <= 5, "\(costs)")
        }
    }

    @Test("A transaction of ten keys is one request and 22 write units")
    func tenKeys() async throws {
        try await withWorld { world in
            let operations = try (0..<10).map { Operation.set(try Key(path: "/k/\($0)"), Value("ten")) }
            _ = try await world.service.commit(Transaction(then: operations), to: .default)
            #expect(world.take() == ["TransactWriteItems": .init(requests: 1, units: 22)])
        }
    }

    @Test("Attaching a key to a lease costs two write units more; renewing the lease is one request and one write unit")
    func leases() async throws {
        try await withWorld { world in
            let engine = world.fixture.engine()
            for (id, units) in [(1, 5), (2, 4)] as [(Int64, Double)] {
                _ = try await engine.tail(of: .default)
                _ = world.take()
                let lease = Lease(id: id, ttl: .seconds(10), expiry: Timestamp(milliseconds: 1))
                #expect(try await engine.createLease(lease, in: .default))
                #expect(
                    world.take() == ["TransactWriteItems": .init(requests: 1, units: units)], "the first is announced")
            }
            // The first append notes in the config's record where the tail is.
            let first = try await world.put("/l/1", lease: nil, after: nil, on: engine)
            _ = world.take()
            let attached = try await world.put("/l/1", lease: 1, after: first, on: engine)
            #expect(world.take() == ["TransactWriteItems": .init(requests: 1, units: 6)], "attached")
            #expect(try await engine.renewLease(1, in: .default, at: Timestamp(milliseconds: 1)) != nil)
            #expect(world.take() == ["UpdateItem": .init(requests: 1, units: 1)], "renewed")
            let again = try await world.put("/l/1", lease: 1, after: attached, on: engine)
            #expect(world.take() == ["TransactWriteItems": .init(requests: 1, units: 4)], "set again")
            _ = try await world.put("/l/1", lease: nil, after: again, on: engine)
            #expect(world.take() == ["TransactWriteItems": .init(requests: 1, units: 4)], "detached")
            #expect(try await engine.endLease(1, in: .default, ifUnchanged: nil) != nil)
            #expect(world.take() == ["UpdateItem": .init(requests: 1, units: 1)], "ended")
            #expect(try await engine.keys(of: 1, in: .default).count == 1)
            let costs = world.take()
            #expect(costs["GetItem"] == .init(requests: 1, units: 1), "its keys")
            #expect(costs["TransactGetItems"]?.requests == 1, "their items")
            #expect(costs.count == 2)
            try await engine.removeLease(1, in: .default)
            #expect(world.take() == ["DeleteItem": .init(requests: 1, units: 1)], "removed")
            let small = try await world.renewals(of: 20, on: engine)
            #expect(small == ["UpdateItem": .init(requests: 1, units: 1)], "20 keys of 15 bytes")
            let large = try await world.renewals(of: 200, on: engine)
            #expect(large == ["UpdateItem": .init(requests: 1, units: 4)], "220 keys are 3.5 KB")
        }
    }

    @Test(
        "Looking for overdue leases costs nothing beside overdue keys while a config has had none, and half a unit from then on"
    )
    func idleLeases() async throws {
        try await withWorld { world in
            let (engine, now) = (world.fixture.engine(), Timestamp(milliseconds: 10_000))
            func sweep() async throws -> [Int64] {
                _ = try await engine.overdueKeys(in: .default, at: now, limit: 10)
                return try await engine.overdueLeases(in: .default, at: now).map(\.id)
            }
            // What the look for keys has shown holds for a second; where the machine stands still for that long, once more.
            var costs: [String: CostWorld.Cost] = [:]
            for _ in 0..<20 where costs != ["Query": .init(requests: 1, units: 0.5)] {
                _ = world.take()
                let overdue = try await sweep()
                #expect(overdue == [])
                costs = world.take()
            }
            #expect(costs == ["Query": .init(requests: 1, units: 0.5)])
            let lease = Lease(id: 1, ttl: .seconds(1), expiry: Timestamp(milliseconds: 1000))
            #expect(try await world.fixture.engine().createLease(lease, in: .default))
            _ = world.take()
            #expect(try await sweep() == [1], "another process has made it")
            #expect(world.take() == ["Query": .init(requests: 2, units: 1)])
        }
    }

    @Test("Writers who wait together share one request")
    func groupCommit() async throws {
        try await withWorld { world in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<200 { group.addTask { try await world.set("/k/\(number % 12)", "\(number)") } }
                try await group.waitForAll()
            }
            let requests = world.take()["TransactWriteItems"]?.requests ?? 0
            #expect((1...60).contains(requests), "200 commits took \(requests) requests")
        }
    }
}

/// A service behind a proxy that counts.
private struct CostWorld: Sendable {
    struct Cost: Equatable {
        var requests: Int
        var units: Double
    }

    let proxy: FaultProxy
    let fixture: DynamoDBFixture
    let service: ConfigService

    /// A process for which no time passes, however slow the machine: what it knows of the config does not become old.
    func reader() -> ConfigService {
        let (now, instant) = (TimeSource.system.now(), TimeSource.system.instant())
        return fixture.service(
            .init(time: TimeSource(now: { now }, sleep: TimeSource.system.sleep, instant: { instant })))
    }

    func set(_ path: String, _ text: String, on other: ConfigService? = nil) async throws {
        let transaction = Transaction(then: [.set(try Key(path: path), Value(text))])
        _ = try await (other ?? service).commit(transaction, to: .default)
    }

    /// Sets a key past the service, with a lease or none; returns the item.
    func put(_ path: String, lease: Int64?, after previous: Item?, on engine: DynamoDBEngine) async throws -> Item {
        let tail = try await engine.tail(of: .default)
        let revision = tail.revision + 1
        _ = take()
        let time = Timestamp(milliseconds: revision)
        let item = Item(
            key: try Key(path: path), value: Value("leased"), created: revision, modified: revision, modifiedAt: time,
            lease: lease)
        let change = Change.set(item, previous: previous)
        let commit = Commit(revision: revision, time: time, author: "", message: "", changes: [change])
        #expect(try await engine.append([commit], to: .default, incarnation: tail.incarnation) == .appended)
        return item
    }

    /// What it costs to renew lease 2 with so many keys more.
    func renewals(of count: Int, on engine: DynamoDBEngine) async throws -> [String: Cost] {
        for start in stride(from: 0, to: count, by: 50) {
            let revision = try await engine.tail(of: .default).revision + 1
            let time = Timestamp(milliseconds: revision)
            let changes = try (start..<min(start + 50, count)).map { number in
                let key = try Key(path: "/leased/\(count)/\(1000 + number)")
                return Change.set(
                    Item(
                        key: key, value: Value("x"), created: revision, modified: revision, modifiedAt: time, lease: 2),
                    previous: nil)
            }
            let commit = Commit(revision: revision, time: time, author: "", message: "", changes: changes)
            #expect(try await engine.append([commit], to: .default) == .appended)
        }
        _ = take()
        #expect(try await engine.renewLease(2, in: .default, at: Timestamp(milliseconds: 1)) != nil)
        return take()
    }

    /// What was counted since the last call, by operation.
    func take() -> [String: Cost] {
        proxy.takeCounts().operations.mapValues { Cost(requests: $0.requests, units: $0.units) }
    }
}
