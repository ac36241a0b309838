import DiscfgCore
import DiscfgRemote
import DiscfgTestSupport
import Testing

/// What a server takes from a remote engine, and what becomes of an append whose answer is lost.
@Suite("Appends of remote engines")
struct RemoteAppendTests {
    @Test("A write whose answers are lost takes effect once", arguments: RemoteFixture.Loss.allCases)
    func lostAnswers(loss: RemoteFixture.Loss) async throws {
        let losses = RemoteFixture.Losses()
        try await RemoteFixture.serving(MemoryEngine(), losses: losses) { port, server in
            try await RemoteFixture.remote(port) { engine in
                let (agent, key) = (RemoteFixture.agent(engine), try Key(path: "/k"))
                losses.lose(2, answersTo: "append", loss)
                let result = try await agent.commit(Transaction(then: [.set(key, Value("1"))]), to: .default)
                #expect(result.revision == 2 && result.changed)
                let item = try await server.get(key, in: .default, at: nil, consistency: .strong).item
                #expect(item.version == 1 && item.modified == 2)
                #expect(try await server.revision(of: .default) == 2)
            }
        }
    }

    @Test("A write of which no answer comes has an unknown outcome, and never a denied one")
    func unknownOutcome() async throws {
        let losses = RemoteFixture.Losses()
        try await RemoteFixture.serving(MemoryEngine(), losses: losses) { port, server in
            try await RemoteFixture.remote(port) { engine in
                let (agent, key) = (RemoteFixture.agent(engine), try Key(path: "/k"))
                losses.lose(1000, answersTo: "append", .broken)
                let error = await #expect(throws: DiscfgError.self) {
                    try await agent.commit(Transaction(then: [.set(key, Value("1"))]), to: .default)
                }
                #expect(error?.code == .outcomeUnknown)
                #expect(try await server.get(key, in: .default, at: nil).item.version == 1)
            }
        }
    }

    @Test("A server does not take commits that contradict its store, and writes nothing of them")
    func contradictions() async throws {
        try await RemoteFixture.serving(MemoryEngine()) { port, server in
            let (key, other) = (try Key(path: "/k"), try Key(path: "/l"))
            _ = try await server.commit(Transaction(then: [.set(key, Value("1"))]), to: .default)
            let stored = try await server.get(key, in: .default, at: nil, consistency: .strong).item
            let (now, next) = (TimeSource.system.now(), try await server.revision(of: .default) + 1)
            func item(_ key: Key, at revision: Revision = next, version: Int64 = 1) -> Item {
                Item(
                    key: key, value: Value("2"), version: version, created: revision, modified: revision,
                    modifiedAt: now)
            }
            func commit(_ changes: [Change], at revision: Revision = next, time: Timestamp = now) -> Commit {
                Commit(revision: revision, time: time, author: "", message: "", changes: changes)
            }
            var forged = stored
            forged.value = Value("forged")
            var moved = stored
            moved.key = other
            let invalid: [[Commit]] = [
                [commit([.set(item(key), previous: nil)])], [commit([.set(item(key), previous: forged)])],
                [commit([.removed(forged)])],
                [commit([.removed(moved)])],
                [commit([.set(item(other), previous: nil)], time: Timestamp(milliseconds: 1))],
                [commit([.set(item(other), previous: nil)], time: now + .seconds(3600))],
                [commit([.set(item(other, version: .max), previous: nil)])],
                [
                    commit([.set(item(other), previous: nil)]),
                    commit([.set(item(other, at: next + 1), previous: nil)], at: next + 1),
                ],
            ]
            try await RemoteFixture.remote(port) { engine in
                for commits in invalid {
                    let error = await #expect(throws: DiscfgError.self) {
                        try await engine.append(commits, to: .default)
                    }
                    #expect(error?.code == .invalidRequest, "\(commits)")
                }
                let revision = try await server.revision(of: .default)
                #expect(revision == next - 1)
                let right = [
                    commit([.set(item(other), previous: nil)]),
                    commit([.removed(item(other))], at: next + 1),
                ]
                let outcome = try await engine.append(right, to: .default)
                #expect(outcome == .appended)
                // The log has them already, and reports that.
                let again = try await engine.append(right, to: .default)
                #expect(again == .conflict(newer: right))
            }
        }
    }

    @Test("A proven caller appends only commits of its own; a claim is taken where no name is proven")
    func authors() async throws {
        for (caller, author, isTaken) in [
            (Caller?.none, "bob", true), (Caller("ann", provenBy: .gateway), "ann", true),
            (Caller("ann", provenBy: .gateway), "bob", false), (Caller("ann", provenBy: .gateway), "", false),
        ] {
            try await RemoteFixture.serving(MemoryEngine(), caller: caller) { port, server in
                try await RemoteFixture.remote(port) { engine in
                    let transaction = Transaction(then: [.set(try Key(path: "/k"), Value("1"))], author: author)
                    if isTaken {
                        _ = try await RemoteFixture.agent(engine).commit(transaction, to: .default)
                        let item = try await server.get(Key(path: "/k"), in: .default, at: nil).item
                        #expect(item.author == author)
                    } else {
                        let error = await #expect(throws: DiscfgError.self) {
                            try await RemoteFixture.agent(engine).commit(transaction, to: .default)
                        }
                        #expect(error?.code == .forbidden)
                    }
                }
            }
        }
    }

    @Test("More keys and values than one answer takes are read in parts")
    func parts() async throws {
        try await RemoteFixture.serving(MemoryEngine()) { port, server in
            let value = Value(bytes: [UInt8](repeating: 7, count: 100_000), contentType: Value.octets)
            let keys = try (0..<300).map { try Key(path: "/k\(1000 + $0)") }
            for some in [keys[..<100], keys[100..<200], keys[200...]] {
                _ = try await server.commit(Transaction(then: some.map { .set($0, value) }), to: .default)
            }
            try await RemoteFixture.remote(port) { engine in
                let batch = try await engine.items(keys, in: .default, consistency: .strong)
                #expect(batch.items.count == 300 && batch.items.values.allSatisfy { $0.value == value })
                let basis = try await engine.basis(for: keys, in: .default)
                #expect(basis.items == batch.items && basis.tail.revision == 4 && !basis.isExact)
                let agent = RemoteFixture.agent(engine)
                try await agent.loadNow(.default)
                var query = ListQuery(isRecursive: true, limit: 1000, consistency: .strong)
                var listed: [Key] = []
                repeat {
                    let listing = try await agent.list(query, in: .default)
                    listed += listing.items.map(\.key)
                    (query.after, query.revision) = (listing.next, listing.revision)
                } while query.after != nil
                #expect(listed == keys)
                let page = try await engine.log(
                    of: .default, after: 1, limit: 1000, incarnation: nil, consistency: .strong)
                #expect(page.commits.map(\.revision) == [2], "a page holds at least one commit, and not all")
                let history = try await engine.history(of: .default, selection: .all, .through(.max), limit: 1000)
                #expect(history.commits.map(\.revision) == [4] && history.next == .through(3))
                let changes = try await engine.history(of: .default, selection: .all, .after(1), limit: 1000)
                #expect(changes.commits.map(\.revision) == [2] && changes.next == .after(2))
            }
        }
    }

    @Test("More leases, and more keys of a lease, than one answer takes are read in parts")
    func partsOfLeases() async throws {
        let store = MemoryEngine()
        try await RemoteFixture.serving(store) { port, server in
            let lease = try await server.grantLease(20_000, ttl: .seconds(600), in: .default)
            let end = "/" + String(repeating: "x", count: 900)
            let keys = try (0..<6000).map { try Key(path: "/\(10_000 + $0)\(end)") }
            for first in stride(from: 0, to: keys.count, by: 1000) {
                let some = keys[first..<(first + 1000)]
                let sets = some.map { Operation.set($0, Value("1"), expiry: .lease(lease.id)) }
                _ = try await server.commit(Transaction(then: sets), to: .default)
            }
            let moment = Timestamp(milliseconds: 1000)
            for id in 1...12_000 {
                let overdue = Lease(id: Int64(id), ttl: .seconds(1), expiry: moment, version: 0)
                #expect(try await store.createLease(overdue, in: .default))
            }
            try await RemoteFixture.remote(port) { engine in
                let overdue = try await engine.leases(.overdue(at: moment), of: .default)
                #expect(overdue.map(\.lease.id) == Array(1...12_000))
                let found = try await engine.leases(.withKeys(lease.id, generation: nil), of: .default)
                #expect(found.count == 1 && found.first?.keys == keys)
                let names = try await RemoteFixture.agent(engine).keys(attachedTo: lease.id, in: .default)
                #expect(names == keys)
            }
        }
    }

    @Test("A request beyond the memory for requests is refused, and does not hold memory afterwards")
    func memory() async throws {
        let limits = RequestLimits(bodies: MemoryBudget(1 << 20))
        try await RemoteFixture.serving(MemoryEngine(), limits: limits) { port, server in
            try await RemoteFixture.remote(port) { engine in
                let agent = RemoteFixture.agent(engine)
                let value = Value(bytes: [UInt8](repeating: 7, count: 900_000), contentType: Value.octets)
                let transaction = Transaction(
                    then: [.set(try Key(path: "/a"), value), .set(try Key(path: "/b"), value)])
                let error = await #expect(throws: DiscfgError.self) {
                    try await agent.commit(transaction, to: .default)
                }
                #expect(error?.code == .tooLarge)
                #expect(try await server.revision(of: .default) == 1)
                _ = try await agent.commit(Transaction(then: [.set(try Key(path: "/a"), value)]), to: .default)
                // The answer with both is more than all requests may hold.
                _ = try await server.commit(Transaction(then: [.set(try Key(path: "/b"), value)]), to: .default)
                let refused = await #expect(throws: DiscfgError.self) {
                    try await engine.items(
                        .all, in: .default, limit: 10, values: true, consistency: .strong)
                }
                #expect([.tooLarge, .overloaded].contains(refused?.code))
                #expect(limits.bodies.held == 0)
            }
        }
    }
}
