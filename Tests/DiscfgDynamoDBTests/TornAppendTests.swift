import DiscfgCore
import DiscfgDynamoDB
import Testing

/// Each test fails if a writer takes an entry of the log that is visible to mean that its items are.
@Suite("A writer works on the whole of a transaction that is being committed")
struct TornAppendTests {
    @Test("A writer that learnt of a commit from the log works on the items of that commit")
    func lostUpdate() async throws {
        let world = try await TornWorld()
        _ = try await world.set("/k", "1", by: world.a)
        _ = try await world.set("/warm", "1", by: world.b)
        let follower = await world.following(3)
        let (mine, others) = try await world.whileCommitting(
            showing: { $0.revision != nil }, of: { try await world.set("/k", "a", by: world.a) }
        ) {
            try await follower.value
            return try await world.set("/k", "b", by: world.b)
        }
        #expect(others.outcomes.first?.item?.version == 2)
        #expect(mine.outcomes.first?.item?.version == 3)
        #expect(mine.outcomes.first?.previous.first?.value.text == "a")
    }

    @Test("An append on an item that has changed since writes nothing, and names no winner")
    func staleItem() async throws {
        let world = try await TornWorld()
        let key = try Key(path: "/k")
        _ = try await world.set("/k", "1", by: world.a)
        let stale = try #require(
            try await world.first.items([key], in: world.config, consistency: .strong).items[key])
        _ = try await world.set("/k", "2", by: world.a)
        var mine = stale
        (mine.version, mine.modified) = (2, 4)
        for previous in [stale, nil] {
            let commit = Commit(
                revision: 4, time: stale.modifiedAt, author: "", message: "", changes: [.set(mine, previous: previous)])
            let outcome = try await world.second.append([commit], to: world.config, incarnation: nil)
            #expect(outcome == .conflict(newer: []))
        }
        #expect(try await world.first.tail(of: world.config).revision == 3)
    }

    @Test("A precondition is tested on the items of the commit that the log shows")
    func precondition() async throws {
        let world = try await TornWorld()
        let key = try Key(path: "/k")
        _ = try await world.set("/k", "1", by: world.a)
        _ = try await world.set("/warm", "1", by: world.b)
        let follower = await world.following(3)
        let (result, _) = try await world.whileCommitting(
            showing: { $0.revision != nil }, of: { try await world.set("/k", "2", by: world.a) }
        ) {
            try await follower.value
            return try await world.b.commit(
                Transaction(
                    if: [Precondition(key, .version(1))], then: [.set(Key(path: "/other"), Value("x"))]),
                to: world.config)
        }
        #expect(result.failed != nil)
    }

    @Test(
        "A writer of many keys that knows nothing yet works on the items of a commit that the log shows",
        arguments: [(1, true), (2, false)])
    func manyKeys(version: Int64, fails: Bool) async throws {
        let world = try await TornWorld()
        let key = try Key(path: "/k")
        _ = try await world.set("/k", "1", by: world.a)
        let gets = try (0..<100).map { Operation.get(try Key(path: "/other/\($0)")) }
        let (mine, others) = try await world.whileCommitting(
            showing: { $0.revision != nil }, of: { try await world.set("/k", "a", by: world.a) }
        ) {
            try await world.b.commit(
                Transaction(if: [Precondition(key, .version(version))], then: [.set(key, Value("b"))] + gets),
                to: world.config)
        }
        #expect(others.outcomes.first?.item?.version == 2)
        #expect((mine.failed != nil) == fails)
        if !fails {
            #expect(mine.outcomes.first?.item?.version == 3)
            #expect(mine.outcomes.first?.previous.first?.value.text == "a")
        }
    }

    @Test("Two who ask for a lock do not both find that they were first")
    func lockHolders() async throws {
        let world = try await TornWorld()
        let range = KeyRange(from: Array("/mutex/".utf8), to: Array("/mutex0".utf8))
        _ = try await world.set("/warm", "1", by: world.b)
        let follower = await world.following(2)
        let (second, _) = try await world.whileCommitting(
            showing: { $0.revision != nil }, of: { try await world.set("/mutex/a", "", by: world.a) }
        ) {
            try await follower.value
            return try await world.b.commit(
                Transaction(then: [.set(Key(path: "/mutex/b"), Value("")), .getAll(range)]), to: world.config)
        }
        #expect(second.outcomes.last?.found.map(\.key.description) == ["/mutex/a", "/mutex/b"])
    }

    @Test("A key that was attached just before its lease ended goes with the lease", arguments: [true, false])
    func leaseEnd(itemIsVisible: Bool) async throws {
        let world = try await TornWorld()
        _ = try await world.set("/warm", "1", by: world.b)
        _ = try await world.a.grantLease(55, ttl: .seconds(60), in: world.config)
        let (_, put) = try await world.whileCommitting(
            showing: { $0.isLease || $0.isItem && itemIsVisible },
            of: { try await world.set("/svc/a", "1", expiry: .lease(55), by: world.a) }
        ) {
            try await world.b.revokeLease(55, in: world.config)
        }
        #expect(put.outcomes.first?.item?.lease == 55)
        #expect(try await world.list("/svc", by: world.a) == [:])
        #expect(try await world.b.lease(55, in: world.config) == nil)
    }

    @Test("Writers that meet in the middle of each other's transactions lose no update", arguments: 0..<4)
    func counters(seed: UInt64) async throws {
        let store = InProcessDynamoDBStore(seed: seed)
        try await store.makeTable()
        let (services, rounds) = (3, 15)
        let keys = try ["/n/0", "/n/1"].map { try Key(path: $0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<services {
                group.addTask {
                    let service = store.service()
                    for round in 0..<rounds {
                        let transaction = Transaction(then: [
                            .set(keys[(round + number) % 2], Value("\(number)-\(round)")),
                            .set(try Key(path: "/own/\(number)"), Value("\(round)")),
                        ])
                        var isDone = false
                        while !isDone {
                            do {
                                _ = try await service.commit(transaction, to: .default)
                                isDone = true
                            } catch let error as DiscfgError where error.code == .storeUnavailable {
                                // Transactions of others were in the way for too long; nothing was written.
                            }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let items = try await store.service().range(RangeQuery(.all), in: .default).items
        let total = items.filter { keys.contains($0.key) }.reduce(0) { $0 + $1.version }
        #expect(total == Int64(services * rounds))
    }
}
