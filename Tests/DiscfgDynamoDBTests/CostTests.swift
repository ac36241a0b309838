import AWSTestSupport
import DiscfgCore
import DiscfgDynamoDB
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

    @Test("A get is one request: half a unit, or one where it must be fresh or is of a key that the process wrote")
    func gets() async throws {
        try await withWorld { world in
            let reader = world.fixture.service()
            let key = try Key(path: "/k/1")
            _ = try await reader.get(key, in: .default, at: nil, consistency: .eventual)
            #expect(world.take() == ["GetItem": .init(requests: 1, units: 0.5)])
            _ = try await reader.get(key, in: .default, at: nil, consistency: .strong)
            #expect(world.take() == ["GetItem": .init(requests: 1, units: 1)])
            _ = try await world.service.get(key, in: .default, at: nil, consistency: .eventual)
            #expect(world.take() == ["GetItem": .init(requests: 1, units: 1)], "it wrote the key")
        }
    }

    @Test("A list is one request for each megabyte")
    func lists() async throws {
        try await withWorld { world in
            let reader = world.fixture.service()
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
                        let query = ChangesQuery(after: revision, wait: .seconds(30))
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

    @Test("A transaction of ten keys is one request and 22 write units")
    func tenKeys() async throws {
        try await withWorld { world in
            let operations = try (0..<10).map { Operation.set(try Key(path: "/k/\($0)"), Value("ten")) }
            _ = try await world.service.commit(Transaction(then: operations), to: .default)
            #expect(world.take() == ["TransactWriteItems": .init(requests: 1, units: 22)])
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

    func set(_ path: String, _ text: String, on other: ConfigService? = nil) async throws {
        let transaction = Transaction(then: [.set(try Key(path: path), Value(text))])
        _ = try await (other ?? service).commit(transaction, to: .default)
    }

    /// What was counted since the last call, by operation.
    func take() -> [String: Cost] {
        proxy.takeCounts().operations.mapValues { Cost(requests: $0.requests, units: $0.units) }
    }
}
