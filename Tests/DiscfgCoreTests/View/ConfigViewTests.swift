import CoreMetrics
@testable import DiscfgCore
import DiscfgTestSupport
import Synchronization
import Testing

/// A remote store to whose log another process appends before each eventual look.
private struct BusyLog: EngineWrapper {
    let engine: any StorageEngine
    let writer: ConfigService

    var traits: StorageTraits { engine.traits.with(\.readsTellTail, false) }

    func log(
        of config: ConfigName, after: Revision, limit: Int, incarnation: String?, consistency: Consistency
    ) async throws -> LogPage {
        if consistency == .eventual { try await writer.set("/busy", "x", in: config) }
        return try await engine.log(
            of: config, after: after, limit: limit, incarnation: incarnation, consistency: consistency)
    }
}

/// A store to which reads need not be strongly consistent.
private struct RemoteStore: EngineWrapper {
    let engine: any StorageEngine

    var traits: StorageTraits { engine.traits.with(\.readsTellTail, false) }
}

/// A question to a service that looks whether a config exists.
private enum Look: CaseIterable {
    case info, revision, history, grant, changeSettings

    func callAsFunction(_ service: ConfigService, _ config: ConfigName) async throws {
        switch self {
        case .info: _ = try await service.info(of: config)
        case .revision: _ = try await service.revision(of: config)
        case .history: _ = try await service.history(HistoryQuery(.all), in: config)
        case .grant: _ = try await service.grantLease(nil, ttl: .seconds(60), in: config)
        case .changeSettings: _ = try await service.updateConfig(config, patch: JSONValue(parsing: Array("{}".utf8)))
        }
    }
}

/// What a service answers from memory, and when it asks the store.
@Suite("Views")
struct ConfigViewTests {
    @Test("A read from memory has what another process has acknowledged before")
    func fresh() async throws {
        let engine = MemoryEngine()
        let (viewing, other) = (ConfigService.viewing(engine), ConfigService.viewing(engine, memory: 0))
        try await viewing.loadNow(.default)
        for number in 0..<100 {
            try await other.set("/a", "\(number)")
            #expect(try await viewing.text("/a") == "\(number)")
            try await viewing.set("/a", "own \(number)")
            #expect(try await other.text("/a") == "own \(number)")
            #expect(try await viewing.text("/a") == "own \(number)")
        }
    }

    @Test("A service that has found a config removed does not show its keys any more", arguments: Look.allCases)
    private func removed(_ look: Look) async throws {
        let engine = RemoteStore(engine: MemoryEngine())
        let (viewing, other) = (ConfigService.viewing(engine), ConfigService.viewing(engine, memory: 0))
        let config = try ConfigName("team")
        _ = try await other.createConfig(config, settings: ConfigSettings(), author: "")
        let key = try Key(path: "/a")
        _ = try await other.commit(Transaction(then: [.set(key, Value("1"))]), to: config)
        try await viewing.loadNow(config)
        let read = { @Sendable in try await viewing.get(key, in: config, at: nil, consistency: .eventual) }
        _ = try await read()
        try await other.deleteConfig(config)
        // It is not told of the removal, and by its clock it has just asked.
        #expect(try await read().item.value.text == "1")
        let isRemoved = { @Sendable (error: any Error) in (error as? DiscfgError)?.code == .configNotFound }
        await #expect { try await look(viewing, config) } throws: { isRemoved($0) }
        await #expect { try await viewing.get(key, in: config, at: nil, consistency: .eventual) } throws: {
            isRemoved($0)
        }
    }

    @Test("The history of a quiet key is one call of the engine, and none if the newest commits have it")
    func history() async throws {
        let engine = CountingEngine()
        let store = ConfigService.viewing(engine, memory: 0)
        try await store.set("/quiet", "1")
        try await store.set("/quiet", "2")
        for number in 0..<50 { try await store.set("/busy", "\(number)") }
        for (limit, expected) in [(1, [3]), (2, [3, 2]), (20, [3, 2])] as [(Int, [Revision])] {
            engine.reset()
            let query = HistoryQuery(try .subtree("/quiet"), limit: limit)
            let page = try await store.history(query, in: .default)
            #expect(page.commits.map(\.revision) == expected)
            #expect(page.scanned == (limit == 20 ? 1 : expected.last))
            #expect(engine.counts == .init(tails: 1, histories: 1))
        }
        let viewing = ConfigService.viewing(engine)
        try await viewing.loadNow(.default)
        for number in 0..<5 { try await viewing.set("/new", "\(number)") }
        engine.reset()
        let newest = try await viewing.history(HistoryQuery(try .subtree("/new"), limit: 3), in: .default)
        #expect(newest.commits.map(\.revision) == [58, 57, 56])
        #expect(engine.counts == .init(tails: 1))
        let older = try await viewing.history(HistoryQuery(try .subtree("/new"), limit: 6), in: .default)
        #expect(older.commits.map(\.revision) == [58, 57, 56, 55, 54])
        #expect(engine.counts == .init(tails: 2, histories: 1))
        // The whole log is in memory.
        let whole = ConfigService.viewing(engine)
        let name = try ConfigName("whole")
        _ = try await whole.createConfig(name, settings: ConfigSettings(), author: "")
        for number in 0..<5 { try await whole.set("/k\(number)", "x", in: name) }
        _ = try await whole.compact(name, keeping: .through(2))
        try await whole.loadNow(name)
        engine.reset()
        let all = try await whole.history(HistoryQuery(try .subtree("/k4"), limit: 6), in: name)
        #expect(all.commits.map(\.revision) == [6] && all.scanned == 3)
        #expect(engine.counts.histories == 0)
    }

    @Test("Reads of a loaded config ask the store for the end of the log alone")
    func requests() async throws {
        let engine = CountingEngine()
        let service = ConfigService.viewing(engine)
        for number in 0..<10 { try await service.set("/d/k\(number)", "x") }
        try await service.loadNow(.default)
        #expect(service.existing(.default)?.view.isLoaded == true)
        let revision = try await service.revision(of: .default)
        engine.reset()
        #expect(try await service.text("/d/k3") == "x")
        #expect(try await service.list(ListQuery("/d", consistency: .strong), in: .default).entries.count == 10)
        #expect(try await service.range(RangeQuery(.all), in: .default).count == 10)
        #expect(engine.counts == .init(tails: 3))
        // What the newest commits tell needs nothing else either.
        try await service.set("/d/k3", "y")
        engine.reset()
        #expect(try await service.text("/d/k3", at: revision) == "x")
        #expect(try await service.list(ListQuery("/d", at: revision), in: .default).entries.count == 10)
        #expect(engine.counts == .init(tails: 2))
    }

    @Test("A write to a loaded config asks the store for nothing before it is appended")
    func writes() async throws {
        let engine = CountingEngine()
        let service = ConfigService.viewing(engine)
        for number in 0..<10 { try await service.set("/d/k\(number)", "x") }
        try await service.loadNow(.default)
        engine.reset()
        try await service.set("/new", "x")
        let range = try KeySelection.below("/d")
        let result = try await service.commit(
            Transaction(if: [Precondition(Key(path: "/d/k1"), .version(1))], then: [.deleteAll(range)]), to: .default)
        #expect(result.failed == nil && result.outcomes[0].previous.count == 10)
        #expect(engine.counts == .init())
    }

    @Test("Reads that wait share one look at the end of the log")
    func sharedLook() async throws {
        let engine = CountingEngine()
        let service = ConfigService.viewing(engine)
        try await service.set("/a", "x")
        try await service.loadNow(.default)
        engine.reset()
        let gate = SharedCallTests.Gate()
        engine.beforeEachTail { _ = await gate.pass() }
        let begun = SharedCallTests.Gate()
        begun.open(100)
        let readers = (0..<100).map { _ in
            Task {
                _ = await begun.pass()
                return try await service.text("/a")
            }
        }
        while begun.begun < 100 || gate.begun == 0 { await Task.yield() }
        gate.open(100)
        for reader in readers { #expect(try await reader.value == "x") }
        #expect(engine.counts.tails < 50, "100 reads")
    }

    @Test("A commit that arrives twice, or out of order, is applied once")
    func appliedOnce() throws {
        let view = ConfigView(
            config: .default, engine: MemoryEngine(), time: .system,
            metrics: ViewMetrics(factory: NOOPMetricsHandler.instance))
        let commits = try (1...6).map { revision in
            let item = try SortedItemsTests.item("k", modified: Revision(revision))
            return Commit(
                revision: Revision(revision), time: Timestamp(milliseconds: 0), author: "", message: "",
                changes: [.set(item, previous: nil)])
        }
        let page = { (range: ClosedRange<Int>) in
            LogPage(
                commits: Array(commits[(range.lowerBound - 1)..<range.upperBound]), tail: Revision(range.upperBound),
                incarnation: "a")
        }
        view.note(page(1...1))
        view.learn(
            [commits[0].changes[0].key: commits[0].changes[0].item], ranges: [], at: try #require(view.current?.tail))
        for range in [2...5, 1...3, 4...6, 2...2] { view.note(page(range)) }
        let state = try #require(view.current)
        #expect(state.tail.revision == 6)
        #expect(state.items[commits[0].changes[0].key]?.modified == 6)
        #expect(state.window.commits(after: 1, through: 6)?.map(\.revision) == [2, 3, 4, 5, 6])
    }

    @Test("The keys whose time is over are found, however their ends move")
    func overdue() throws {
        var random = SeededGenerator(seed: 7)
        var state = ViewState(
            tail: LogTail(revision: 1, time: Timestamp(milliseconds: 0), trimmed: 0, incarnation: "a"))
        state.learn([:], ranges: [.all])
        var ends: [Key: Timestamp] = [:]
        for revision in 2...1000 {
            var item = try SortedItemsTests.item(
                "k\(Int.random(in: 0..<20, using: &random))", modified: Revision(revision))
            if Bool.random(using: &random) {
                item.expiry = Timestamp(milliseconds: .random(in: 0..<1000, using: &random))
            }
            let isRemoved = Int.random(in: 0..<4, using: &random) == 0
            let change = Change(
                kind: isRemoved ? .delete : .set, key: item.key, item: isRemoved ? nil : item, previous: nil)
            state.apply(
                [
                    Commit(
                        revision: Revision(revision), time: Timestamp(milliseconds: 0), author: "", message: "",
                        changes: [change])
                ], at: .now)
            ends[item.key] = isRemoved ? nil : item.expiry
            let now = Timestamp(milliseconds: .random(in: 0..<1000, using: &random))
            #expect(Set(state.overdueKeys(at: now)) == Set(ends.filter { $0.value <= now }.keys))
        }
    }

    @Test("What is written while a config is loaded is in it", arguments: [1, 2, 3] as [UInt64])
    func loading(seed: UInt64) async throws {
        let hooked = HookedEngine(MemoryEngine())
        let (viewing, other) = (ConfigService.viewing(hooked), ConfigService.viewing(hooked.engine, memory: 0))
        var random = SeededGenerator(seed: seed)
        let keys = try (0..<3000).map { try Key(path: "/k\($0)") }
        _ = try await other.commit(Transaction(then: keys.map { .set($0, Value("first")) }), to: .default)
        let choices = (0..<200).map { _ in (keys.randomElement(using: &random), Bool.random(using: &random)) }
        hooked.before(.page) {
            hooked.before(.page) {
                for case (let key?, let isSet) in choices {
                    _ = try await other.commit(
                        Transaction(then: [isSet ? .set(key, Value("then")) : .delete(key)]), to: .default)
                }
            }
        }
        try await viewing.loadNow(.default)
        #expect(viewing.existing(.default)?.view.isLoaded == true)
        let query = RangeQuery(.all)
        #expect(try await viewing.range(query, in: .default) == other.range(query, in: .default))
    }

    @Test("A listing from memory ends a page when its values are large, as one from the store does")
    func largeValues() async throws {
        let service = ConfigService.viewing(MemoryEngine())
        for number in 0..<20 { try await service.set("/\(number)", String(repeating: "x", count: 1 << 20)) }
        try await service.loadNow(.default)
        let query = ListQuery("/", isRecursive: true, consistency: .strong)
        let page = try await service.list(query, in: .default)
        #expect(service.existing(.default)?.view.isLoaded == true)
        #expect((16..<20).contains(page.entries.count) && page.next != nil)
    }

    @Test("An eventual read ends although others never stop writing")
    func busyWriters() async throws {
        let (engine, clock) = (MemoryEngine(), TestClock())
        let other = ConfigService.viewing(engine, memory: 0)
        let service = ConfigService.viewing(BusyLog(engine: engine, writer: other), clock: clock)
        try await other.set("/a", "x")
        try await service.loadNow(.default)
        clock.advance(by: .seconds(2))
        let reading = try await service.get(Key(path: "/a"), in: .default, at: nil, consistency: .eventual)
        #expect(reading.item.value == Value("x"))
    }

    @Test("A config that was deleted and created again is another one")
    func again() async throws {
        let engine = MemoryEngine()
        let (viewing, other) = (ConfigService.viewing(engine), ConfigService.viewing(engine, memory: 0))
        let name = try ConfigName("team")
        for round in 0..<3 {
            _ = try await other.createConfig(name, settings: ConfigSettings(), author: "")
            try await other.set("/round", "\(round)", in: name)
            try await viewing.loadNow(name)
            #expect(try await viewing.text("/round", in: name) == "\(round)")
            #expect(try await viewing.text("/left", in: name) == nil)
            try await viewing.set("/left", "x", in: name)
            try await other.deleteConfig(name)
            let error = await #expect(throws: DiscfgError.self) { try await viewing.text("/round", in: name) }
            #expect(error?.code == .configNotFound)
            #expect(viewing.existing(name) == nil, "names of configs that are gone are not kept")
        }
    }

    @Test("A config that does not fit is read from the store, and no config is evicted for it")
    func tooLarge() async throws {
        let (engine, clock) = (CountingEngine(), TestClock())
        let service = ConfigService.viewing(engine, memory: 100_000, clock: clock)
        let large = try ConfigName("large")
        _ = try await service.createConfig(large, settings: ConfigSettings(), author: "")
        try await service.set("/small", "x")
        try await service.loadNow(.default)
        for number in 0..<20 { try await service.set("/\(number)", String(repeating: "x", count: 10_000), in: large) }
        try await service.loadNow(large)
        #expect(service.existing(large)?.view.isLoaded == false && service.existing(.default)?.view.isLoaded == true)
        #expect(try await service.text("/7", in: large)?.count == 10_000)
    }

    @Test("A config that was not used for a minute makes room; one that was in use does not")
    func eviction() async throws {
        let (engine, clock) = (MemoryEngine(), TestClock())
        let service = ConfigService.viewing(engine, memory: 100_000, clock: clock)
        let other = try ConfigName("other")
        _ = try await service.createConfig(other, settings: ConfigSettings(), author: "")
        for number in 0..<6 {
            try await service.set("/\(number)", String(repeating: "x", count: 10_000))
            try await service.set("/\(number)", String(repeating: "y", count: 10_000), in: other)
        }
        // The commits of the writes take memory, too; loaded by services that did not write.
        let reader = ConfigService.viewing(engine, memory: 100_000, clock: clock)
        try await reader.loadNow(.default)
        #expect(try await reader.text("/1")?.first == "x")
        try await reader.loadNow(other)
        #expect(reader.existing(.default)?.view.isLoaded == true && reader.existing(other) == nil)
        clock.advance(by: .seconds(61))
        try await reader.loadNow(other)
        #expect(reader.existing(.default)?.view.isLoaded == false && reader.existing(other)?.view.isLoaded == true)
        #expect(try await reader.text("/1")?.first == "x")
        #expect(try await reader.text("/1", in: other)?.first == "y")
    }

    @Test("A write that grows a loaded config beyond the limit is not lost, and the store answers from then on")
    func growth() async throws {
        let engine = MemoryEngine()
        let service = ConfigService.viewing(engine, memory: 100_000)
        try await service.set("/a", "x")
        try await service.loadNow(.default)
        for number in 0..<20 {
            try await service.set("/\(number)", String(repeating: "x", count: 10_000))
            #expect(try await service.text("/\(number)")?.count == 10_000)
        }
        #expect(service.existing(.default)?.view.isLoaded == false)
    }
}
