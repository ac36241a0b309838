import DiscfgEtcd
import DiscfgTestSupport
import Testing

@testable import DiscfgCore

extension Evaluator {
    /// An evaluator that knows some items, and nothing else of the ranges that they are in.
    init(_ items: some Sequence<Item>, ranges: Set<KeyRange> = [], tail: LogTail, now: Timestamp) {
        self.init(config: .default, state: ViewState(tail: tail), now: now)
        let items = Dictionary(uniqueKeysWithValues: items.map { ($0.key, Item?.some($0)) })
        learn(items, ranges: ranges, recent: nil, now: now)
    }
}

@Suite("Times to live of etcd's v2 API") struct DirectoryExpiryTests {
    @Test("A time to live counts from the writer's clock, not from the log's time")
    func timeToLive() async throws {
        let store = MemoryEngine()
        let clock = TestClock()
        let ahead = EtcdFixture(engine: store, clock: TestClock(now: clock.now + .seconds(600)))
        try await ahead.put("/a", "1")
        let service = EtcdFixture(engine: store, clock: clock).store
        let path = try DirectoryPath("/d".utf8)
        _ = try await service.carryOut(
            DirectoryWrite(.set(.file(Value("1")), isRefresh: false), at: path, timeToLive: .seconds(2)), in: .default)
        let file = try await service.get(path.file, in: .default).item
        #expect(file.expiry == clock.now + .seconds(2))
        #expect(file.modifiedAt == ahead.clock.now, "the log's time does not run backwards")
    }
}
