import DiscfgCore
import DiscfgEtcd
import DiscfgTestSupport
import Synchronization
import Testing

@Suite("The end of etcd watches")
struct WatchEndTests {
    @Test("A stream that is closed has ended for its reader, whenever that is")
    func close() async throws {
        let fixture = EtcdFixture()
        for round in 0..<200 {
            let stream = WatchStream(fixture.etcd)
            async let end = stream.next()
            for _ in 0..<round % 20 { await Task.yield() }
            stream.close()
            let answer = try await end
            #expect(answer == nil)
            await stream.receive(.create(WatchCreateRequest(key: "a".bytes)))
            let later = try await stream.next()
            #expect(later == nil)
        }
    }

    @Test("Who asks faster than is answered waits, and is let go when the stream is closed")
    func pressure() async throws {
        let stream = WatchStream(EtcdFixture().etcd)
        let asked = Record<Int>()
        let asking = Task {
            for number in 1...100 {
                await stream.receive(.progress)
                asked.append(number)
            }
        }
        while asked.all.count < 15 { await Task.yield() }
        for _ in 0..<1000 { await Task.yield() }
        #expect(asked.all.count == 15)
        let answers = try await stream.next()
        #expect(answers?.isEmpty == false)
        while asked.all.count < 16 { await Task.yield() }
        stream.close()
        await asking.value
        #expect(asked.all.count == 100)
    }

    @Test("A reader, or who asks, that is cancelled does not wait any longer")
    func cancelled() async throws {
        let fixture = EtcdFixture()
        for round in 0..<100 {
            let stream = WatchStream(fixture.etcd)
            defer { stream.close() }
            let asking = Task { for _ in 0..<20 { await stream.receive(.cancel(0)) } }
            for _ in 0..<round % 10 { await Task.yield() }
            asking.cancel()
            await asking.value
            let reading = Task { try await stream.next() }
            for _ in 0..<round % 10 { await Task.yield() }
            reading.cancel()
            let error = await #expect(throws: EtcdError.self) { try await reading.value }
            #expect(error?.code == .canceled)
        }
    }

    @Test("A stream that is aborted answers what was asked before, and then ends with the error")
    func abort() async throws {
        let fixture = EtcdFixture()
        try await fixture.watching { reader in
            let reason = EtcdError(.invalidArgument, "not understood")
            await reader.stream.receive(.create(WatchCreateRequest(key: "a".bytes)))
            reader.stream.abort(reason)
            let created = try await reader.text()
            #expect(created == "0: created @1")
            let stream = reader.stream
            await #expect(throws: reason) { try await stream.next() }
        }
    }

    @Test("A watch ends with its config, and one of the config that is made anew in its place begins")
    func removedConfig() async throws {
        let fixture = EtcdFixture()
        let team = fixture.etcd.of(try ConfigName("team"))
        let missing = WatchStream(team)
        await missing.receive(.create(WatchCreateRequest(key: "a".bytes)))
        let error = await #expect(throws: EtcdError.self) { try await missing.next() }
        #expect(error?.code == .notFound)
        _ = try await fixture.store.createConfig(team.config, settings: .init(), author: "")
        try await fixture.watching(team) { reader in
            try await reader.create("a")
            try await fixture.store.deleteConfig(team.config)
            let end = try await reader.next()
            #expect(end.text == "0: canceled @0" && end.compactRevision == 0)
            #expect(end.cancelReason.hasPrefix("discfg:") && end.cancelReason.contains("team"))
            _ = try await fixture.store.createConfig(team.config, settings: .init(), author: "")
            try await reader.create("a")
            _ = try await team.put(PutRequest("a", "1"))
            let revision = try await fixture.store.revision(of: team.config)
            #expect(try await reader.text() == "1: put a=1 @\(revision)")
        }
    }

    @Test("A watch that comes back to a config that was created again is told that its revisions are gone")
    func createdAgain() async throws {
        let fixture = EtcdFixture()
        let team = fixture.etcd.of(try ConfigName("team"))
        _ = try await fixture.store.createConfig(team.config, settings: .init(), author: "")
        for value in 1...9 { _ = try await team.put(PutRequest("a", "\(value)")) }
        let last = try await fixture.store.revision(of: team.config)
        try await fixture.store.deleteConfig(team.config)
        _ = try await fixture.store.createConfig(team.config, settings: .init(), author: "")
        for value in 1...20 { _ = try await team.put(PutRequest("a", "\(value)")) }
        try await fixture.watching(team) { reader in
            for (id, start) in [last - 3, last + 1].enumerated() {
                _ = try await reader.create("a", from: start)
                let end = try await reader.next()
                #expect(end.text.hasPrefix("\(id): canceled"))
                #expect(end.compactRevision > last + 1, "from there on the client reads the state")
            }
        }
    }

    @Test("A reader that is so late that the log was compacted meanwhile is told so")
    func compactedMeanwhile() async throws {
        let fixture = EtcdFixture()
        for value in 1...9 { try await fixture.put("a", "\(value)") }
        // Of a process that remembers nothing of the log.
        try await fixture.another().watching { reader in
            try await reader.create("a", from: 2)
            try await reader.create("a")
            fixture.clock.advance(by: .seconds(61))
            try await fixture.compact(8)
            let canceled = try await reader.next()
            #expect(canceled.text == "0: canceled @0" && canceled.compactRevision == 8)
            try await fixture.put("a", "10")
            let events = try await reader.text()
            #expect(events == "1: put a=10 @11")
        }
    }

    @Test("A live watch gets everything that another server puts and compacts away")
    func compactedElsewhere() async throws {
        let fixture = EtcdFixture()
        try await fixture.put("a", "0")
        try await fixture.another().watching { reader in
            try await reader.create("a")
            for value in 1...20 {
                try await fixture.put("a", "\(value)")
                let revision = try await fixture.put("a", "\(value)!")
                try await fixture.compact(revision)
                #expect(try await reader.text() == "0: put a=\(value) @\(revision - 1)")
                #expect(try await reader.text() == "0: put a=\(value)! @\(revision)")
                // For everybody else that is gone.
                await #expect(throws: EtcdError.compacted) { try await fixture.values("a", at: revision - 1) }
                try await fixture.another().watching { late in
                    try await late.create("a", from: revision - 1)
                    #expect(try await late.next().compactRevision == revision)
                }
            }
        }
    }

    @Test("A watch outlives a store that cannot be read for a while, and misses nothing")
    func unavailable() async throws {
        let fixture = EtcdFixture()
        for value in 1...3 { try await fixture.put("a", "\(value)") }
        let engine = UnreachableEngine(fixture.engine)
        let reading = EtcdFixture(engine: engine)
        let time = Task {
            while !Task.isCancelled {
                reading.clock.advance(by: .seconds(1))
                await Task.yield()
            }
        }
        defer { time.cancel() }
        try await reading.watching { reader in
            try await reader.create("a", from: 2)
            engine.isAway = true
            try await fixture.put("a", "4")
            let back = Task {
                while engine.refusals < 5 { await Task.yield() }
                engine.isAway = false
            }
            var values: [String] = []
            while values.count < 4 { values += try await reader.next().events.map(\.kv.value.text) }
            #expect(values == ["1", "2", "3", "4"])
            await back.value
        }
    }
}

/// An engine whose store is away for as long as a test says.
private final class UnreachableEngine: EngineWrapper {
    let engine: any StorageEngine
    private let state = Mutex((isAway: false, refusals: 0))

    init(_ engine: any StorageEngine) { self.engine = engine }

    var isAway: Bool {
        get { state.withLock { $0.isAway } }
        set { state.withLock { $0.isAway = newValue } }
    }

    /// How often it could not be reached.
    var refusals: Int { state.withLock { $0.refusals } }

    func perform<Result: Sendable>(
        on config: ConfigName, _ call: @Sendable () async throws -> Result
    ) async throws -> Result {
        let isAway = state.withLock { state in
            if state.isAway { state.refusals += 1 }
            return state.isAway
        }
        if isAway { throw DiscfgError(.storeUnavailable, "The store is away.") }
        return try await call()
    }
}
