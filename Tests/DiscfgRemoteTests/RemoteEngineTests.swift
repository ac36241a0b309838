import DiscfgCore
import DiscfgRemote
import DiscfgTestSupport
import Testing

/// A storage engine behind a real server, over a real socket.
@Suite("Remote engine")
struct RemoteEngineTests {
    @Test("The engine keeps the contract of storage engines", arguments: StorageConformance.cases)
    func conforms(_ testCase: StorageConformance.Case) async throws {
        try await RemoteFixture.serving(MemoryEngine(), time: RemoteFixture.serverTime) { port, _ in
            try await RemoteFixture.remote(port) { engine in
                try await StorageConformance { engine }.run(testCase)
            }
        }
    }

    @Test("The rules of the service hold, with views and without", arguments: ServiceConformance.cases, [0, 64 << 20])
    func service(_ testCase: ServiceConformance.Case, viewMemory: Int) async throws {
        try await RemoteFixture.serving(MemoryEngine(), time: RemoteFixture.serverTime) { port, _ in
            try await RemoteFixture.remote(port) { engine in
                try await ServiceConformance(viewMemory: viewMemory) { { engine } }.run(testCase)
            }
        }
    }

    @Test("While the server is down, eventual reads are answered with their age, and all others fail")
    func outage() async throws {
        let (store, key) = (MemoryEngine(), try Key(path: "/k"))
        let (ports, found) = AsyncStream.makeStream(of: Int.self)
        try await RemoteFixture.serving(store) { port, service in
            _ = try await service.commit(Transaction(then: [.set(key, Value("1"))]), to: .default)
            found.yield(port)
        }
        let port = try #require(await ports.first { _ in true })
        try await RemoteFixture.remote(port) { engine in
            let clock = TestClock()
            let agent = RemoteFixture.agent(engine, clock)
            try await RemoteFixture.serving(store, port: port) { _, _ in
                try await agent.loadNow(.default)
                let reading = try await agent.get(key, in: .default, at: nil, consistency: .strong)
                #expect(reading.item.value == Value("1") && reading.age == nil)
            }
            // The server is gone; nobody notices until the view is a second old.
            let fresh = try await agent.get(key, in: .default, at: nil, consistency: .eventual)
            #expect(fresh.age == nil)
            for (step, age) in [(5, 5), (2, 7)] {
                clock.advance(by: .seconds(step))
                let reading = try await agent.get(key, in: .default, at: nil, consistency: .eventual)
                #expect(reading.item.value == Value("1") && reading.age == .seconds(age))
            }
            let listing = try await agent.list(ListQuery(isRecursive: true, consistency: .eventual), in: .default)
            #expect(listing.items.map(\.key) == [key] && listing.age == .seconds(7))
            let strong = await #expect(throws: DiscfgError.self) {
                try await agent.get(key, in: .default, at: nil, consistency: .strong)
            }
            #expect(strong?.code == .storeUnavailable)
            let write = await #expect(throws: DiscfgError.self) {
                try await agent.commit(Transaction(then: [.set(key, Value("2"))]), to: .default)
            }
            #expect(write?.code == .storeUnavailable)
            try await RemoteFixture.serving(store, port: port) { _, service in
                _ = try await service.commit(Transaction(then: [.set(key, Value("3"))]), to: .default)
                #expect(
                    try await agent.get(key, in: .default, at: nil, consistency: .strong).item.value == Value("3"))
                let later = try await agent.get(key, in: .default, at: nil, consistency: .eventual)
                #expect(later.age == nil && later.item.value == Value("3"), "a look that succeeds ends the outage")
            }
        }
    }

    @Test("Two agents and their server write the same keys, and no update is lost")
    func twoAgents() async throws {
        try await RemoteFixture.serving(MemoryEngine()) { port, service in
            try await RemoteFixture.remote(port) { first in
                try await RemoteFixture.remote(port) { second in
                    let key = try Key(path: "/n")
                    _ = try await service.commit(Transaction(then: [.set(key, Value("0"))]), to: .default)
                    let stores = [service, RemoteFixture.agent(first), RemoteFixture.agent(second)]
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for store in stores {
                            group.addTask { for _ in 0..<10 { try await Self.increment(key, in: store) } }
                        }
                        try await group.waitForAll()
                    }
                    for store in stores {
                        let reading = try await store.get(key, in: .default, at: nil, consistency: .strong)
                        #expect(reading.item.value == Value("30") && reading.item.version == 31)
                    }
                }
            }
        }
    }

    /// Adds 1, if nobody else was first, and else tries again.
    private static func increment(_ key: Key, in store: ConfigService) async throws {
        while true {
            let item = try await store.get(key, in: .default, at: nil, consistency: .strong).item
            let next = Value(String((Int(item.value.text ?? "") ?? 0) + 1))
            let transaction = Transaction(
                if: [Precondition(key, .revision(item.modified))], then: [.set(key, next)])
            if try await store.commit(transaction, to: .default).failed == nil { return }
        }
    }

    @Test("What an agent writes wakes those who watch on the server")
    func wakes() async throws {
        try await RemoteFixture.serving(MemoryEngine()) { port, service in
            try await RemoteFixture.remote(port) { engine in
                async let page = service.changes(ChangesQuery(after: 1, wait: .seconds(60)), in: .default)
                let key = try Key(bytes: [0xFF, 0])
                _ = try await RemoteFixture.agent(engine).commit(
                    Transaction(then: [.set(key, Value("x"))]), to: .default)
                #expect(try await page.commits.flatMap(\.changes).map(\.key) == [key])
            }
        }
    }

    @Test("A secret of a notification stays with the server, and survives a change of other settings")
    func secrets() async throws {
        try await RemoteFixture.serving(MemoryEngine()) { port, service in
            try await RemoteFixture.remote(port) { engine in
                let rule = try NotificationRule(
                    id: "hook", to: .webhook("https://h.example/p?token=t0ken"), secret: "whsec_real_secret")
                let name = try ConfigName("c")
                let settings = ConfigSettings(notifications: [rule])
                _ = try await service.createConfig(name, settings: settings, author: "")
                let seen = try #require(try await engine.config(name)).settings
                let text = String(decoding: seen.json.bytes, as: UTF8.self)
                #expect(!text.contains("real_secret") && !text.contains("t0ken"))
                var changed = seen
                changed.retention.revisions = 7
                #expect(try await engine.updateConfig(name, settings: changed, replacing: seen))
                let kept = try await service.record(of: name).settings
                #expect(kept.retention.revisions == 7 && kept.notifications.first?.secret == rule.secret)
                #expect(kept.notifications.first?.target == rule.target)
                #expect(try await !engine.updateConfig(name, settings: seen, replacing: seen))
                let other = try ConfigName("d")
                let error = await #expect(throws: DiscfgError.self) {
                    try await engine.createConfig(
                        other, settings: seen,
                        first: Commit(
                            revision: 1, time: Timestamp(milliseconds: 1), author: "", message: "", changes: []))
                }
                #expect(error?.code == .invalidRequest)
            }
        }
    }

    @Test("A server that is not the store of others is refused by name")
    func noStore() async throws {
        try await RemoteFixture.serving(MemoryEngine(), asStore: false) { port, _ in
            try await RemoteFixture.remote(port) { engine in
                let error = await #expect(throws: DiscfgError.self) { try await engine.tail(of: .default) }
                #expect(error?.code == .unsupported)
            }
        }
    }

    @Test("What no engine may be given is refused, and written nowhere")
    func badAppends() async throws {
        try await RemoteFixture.serving(MemoryEngine()) { port, service in
            let key = try Key(path: "/k")
            let revision = try await service.revision(of: .default)
            let time = Timestamp(milliseconds: 1)
            let item = Item(key: key, value: Value("x"), created: 9, modified: 9, modifiedAt: time)
            let previous = Item(key: key, value: Value("x"), created: 2, modified: 2, modifiedAt: time)
            let invalid = [
                [Change.set(item, previous: nil)],
                [Change.removed(previous), .removed(previous)],
                [Change(kind: .set, key: key, item: nil, previous: nil)],
            ]
            try await RemoteFixture.remote(port) { engine in
                for changes in invalid {
                    let commit = Commit(revision: revision + 1, time: time, author: "", message: "", changes: changes)
                    let error = await #expect(throws: DiscfgError.self) {
                        try await engine.append([commit], to: .default)
                    }
                    #expect(error?.code == .invalidRequest, "\(changes)")
                }
                for (after, limit) in [(Revision.max, 1), (-1, 1), (1, 0), (1, -1)] {
                    let error = await #expect(throws: DiscfgError.self) {
                        try await engine.log(
                            of: .default, after: after, limit: limit, incarnation: nil, consistency: .strong)
                    }
                    #expect(error?.code == .invalidRequest)
                }
            }
            #expect(try await service.revision(of: .default) == revision)
        }
    }
}
