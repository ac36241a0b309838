@testable import DiscfgCore
import DiscfgTestSupport
import Synchronization
import Testing

private enum Deadline {
    @TaskLocal static var current: ContinuousClock.Instant?
}

@Suite("Rollbacks and the ends of leases beside other writers")
struct InterferenceTests {
    private let store = MemoryEngine()

    private func service(_ engine: any StorageEngine, clock: TestClock = TestClock()) -> ConfigService {
        ConfigService(engine: engine, options: .init(time: clock.steadySource), logger: LogCapture().logger)
    }

    private func set(_ path: String, _ text: String, lease: Int64? = nil, by service: ConfigService) async throws {
        let expiry: Operation.Expiry = lease.map { .lease($0) } ?? .never
        _ = try await service.commit(
            Transaction(then: [.set(Key(path: path), Value(text), expiry: expiry)]), to: .default)
    }

    @Test("A rollback takes back what others write while it compares", arguments: [1, 100])
    func rollback(maximumChanges: Int) async throws {
        let engine = HookedEngine(store, maximumChanges: maximumChanges)
        let (service, other) = (service(engine), service(store))
        try await set("/a", "1", by: other)
        try await set("/b", "1", by: other)
        for path in ["/a", "/b"] { try await set(path, "2", by: other) }
        engine.before(.append) { [self] in try await set("/late", "1", by: other) }
        let result = try await service.rollback(RollbackRequest(to: 3), in: .default)
        let rest = try await other.diff(DiffQuery(from: 3, to: result.revision), in: .default)
        #expect(rest.changes.isEmpty, "as of the last commit all is as it was")
        #expect(result.changes.map(\.key.description) == ["/a", "/b", "/late"])
        #expect(result.commits == (maximumChanges == 1 ? 3 : 1))
    }

    @Test("A rollback that fails between two commits says how far it came")
    func interruptedRollback() async throws {
        let engine = HookedEngine(store, maximumChanges: 1)
        let (service, other) = (service(engine), service(store))
        for path in ["/a", "/b"] { try await set(path, "1", by: other) }
        engine.before(.append) {
            engine.before(.append) { throw DiscfgError(.storeUnavailable, "It is down.", hint: "Wait.") }
        }
        let error = await #expect(throws: DiscfgError.self) {
            try await service.rollback(RollbackRequest(to: 1), in: .default)
        }
        #expect(
            error?.hint
                == "Wait. 1 keys are rolled back already, as of revision 4; roll back again to go on from there.")
    }

    @Test("What is too large for one commit is not called a transaction of a rollback")
    func tooLarge() async throws {
        let service = service(HookedEngine(store, maximumChanges: 1))
        let error = await #expect(throws: DiscfgError.self) {
            try await service.commit(
                Transaction(then: [.set(Key(path: "/a"), Value("1")), .set(Key(path: "/b"), Value("1"))]), to: .default)
        }
        #expect(error?.message.hasPrefix("2 changes are too many or too large for one commit") == true)
    }

    @Test("A lease whose end fails does not keep the others from ending")
    func failingEnd() async throws {
        let clock = TestClock()
        let engine = HookedEngine(store)
        let service = service(engine, clock: clock)
        for id: Int64 in 1...3 {
            _ = try await service.grantLease(id, ttl: .seconds(5), in: .default)
            try await set("/svc/\(id)", "1", lease: id, by: service)
        }
        clock.advance(by: .seconds(5))
        engine.before(.keysOfLease) { throw DiscfgError(.storeUnavailable, "It is down.", hint: "Wait.") }
        let error = await #expect(throws: DiscfgError.self) { try await service.endOverdueLeases(in: .default) }
        #expect(error?.code == .storeUnavailable)
        #expect(try await service.range(RangeQuery(.all), in: .default).count == 1)
        #expect(try await service.endOverdueLeases(in: .default) == 1)
        #expect(try await service.range(RangeQuery(.all), in: .default).count == 0)
    }

    @Test("A process that ends a lease late leaves the keys of a new lease of its id", arguments: [true, false])
    func reusedLease(beforeKeys: Bool) async throws {
        let engine = HookedEngine(store)
        let (slow, fast) = (service(engine), service(store))
        _ = try await fast.grantLease(42, ttl: .seconds(60), in: .default)
        try await set("/svc/a", "old", lease: 42, by: fast)
        engine.before(beforeKeys ? .keysOfLease : .append) { [self] in
            _ = try await fast.revokeLease(42, in: .default)
            _ = try await fast.grantLease(42, ttl: .seconds(60), in: .default)
            try await set("/svc/a", "new", lease: 42, by: fast)
        }
        _ = try await slow.revokeLease(42, in: .default)
        #expect(try await fast.get(Key(path: "/svc/a"), in: .default).item.value == Value("new"))
        #expect(try await fast.lease(42, in: .default) != nil)
        #expect(try await fast.keys(attachedTo: 42, in: .default).count == 1)
    }

    @Test(
        "A revocation that fails after it has begun has an unknown outcome, and can be repeated",
        arguments: [HookedEngine.Call.keysOfLease, .append, .removeLease])
    func failsAfterItsBegin(call: HookedEngine.Call) async throws {
        let engine = HookedEngine(store)
        let service = service(engine)
        _ = try await service.grantLease(42, ttl: .seconds(60), in: .default)
        try await set("/svc/a", "1", lease: 42, by: service)
        engine.before(call) { throw DiscfgError(.storeUnavailable, "The disk is full.") }
        let error = await #expect(throws: DiscfgError.self) { try await service.revokeLease(42, in: .default) }
        #expect(error?.code == .outcomeUnknown)
        #expect(try await service.lease(42, in: .default) == nil)
        #expect(try await service.revokeLease(42, in: .default) != nil)
        #expect(try await service.range(RangeQuery(.all), in: .default).count == 0)
        _ = try await service.grantLease(42, ttl: .seconds(60), in: .default)
    }

    @Test("A key that is set again while its lease ends goes with the lease")
    func setWhileEnding() async throws {
        let engine = HookedEngine(store)
        let (service, other) = (service(engine), service(store))
        _ = try await other.grantLease(42, ttl: .seconds(60), in: .default)
        try await set("/svc/a", "1", lease: 42, by: other)
        engine.before(.append) {
            _ = try await other.commit(
                Transaction(then: [.set(Key(path: "/svc/a"), Value("2"), expiry: .unchanged)]), to: .default)
        }
        _ = try await service.revokeLease(42, in: .default)
        #expect(try await other.range(RangeQuery(.all), in: .default).count == 0)
        #expect(try await store.lease(42, in: .default) == nil)
    }

    @Test("A revocation during which a key is set again and again has an unknown outcome")
    func setAtEachLook() async throws {
        let engine = HookedEngine(store)
        let (service, other) = (service(engine), service(store))
        _ = try await other.grantLease(42, ttl: .seconds(60), in: .default)
        try await set("/svc/a", "1", lease: 42, by: other)
        @Sendable func interfere() async throws {
            _ = try await other.commit(
                Transaction(then: [.set(Key(path: "/svc/a"), Value("2"), expiry: .unchanged)]), to: .default)
            engine.before(.append) { try await interfere() }
        }
        engine.before(.append) { try await interfere() }
        let error = await #expect(throws: DiscfgError.self) { try await service.revokeLease(42, in: .default) }
        #expect(error?.code == .outcomeUnknown)
        #expect(try await other.get(Key(path: "/svc/a"), in: .default).item.lease == 42)
        engine.before(.append) {}
        #expect(try await service.revokeLease(42, in: .default) != nil)
        #expect(try await other.range(RangeQuery(.all), in: .default).count == 0)
    }

    @Test("A compaction of which a later step fails has an unknown outcome, and can be repeated")
    func interruptedCompaction() async throws {
        let engine = InterruptedTrim(engine: store)
        let service = service(engine)
        for text in ["1", "2", "3"] { try await set("/a", text, by: service) }
        let error = await #expect(throws: DiscfgError.self) {
            try await service.compact(.default, keeping: .through(3))
        }
        #expect(error?.code == .outcomeUnknown)
        #expect(try await service.info(of: .default).oldest == 3)
        #expect(try await service.compact(.default, keeping: .through(3)) == 3)
    }

    @Test("A range of the current state starts again when compaction overtakes it between two pages")
    func overtakenRange() async throws {
        let engine = HookedEngine(store)
        let (service, other) = (service(engine), service(store))
        let keys = try (0..<1100).map { try Key(path: "/many/\($0)") }
        _ = try await other.commit(Transaction(then: keys.map { .set($0, Value("1")) }), to: .default)
        func overtake() {
            engine.before(.page) {
                engine.before(.page) {
                    let result = try await other.commit(Transaction(then: [.set(keys[0], Value("2"))]), to: .default)
                    _ = try await other.compact(.default, keeping: .through(result.revision))
                }
            }
        }
        overtake()
        let reading = try await service.range(RangeQuery(.all), in: .default)
        #expect(reading.count == 1100 && reading.revision == 3)
        overtake()
        let listing = try await service.list(
            ListQuery("/many", limit: 2000, consistency: .strong), in: .default)
        #expect(listing.entries.count == 1100 && listing.revision == 4)
        overtake()
        let error = await #expect(throws: DiscfgError.self) {
            try await service.range(RangeQuery(.all, at: 4), in: .default)
        }
        #expect(error?.code == .compacted, "a revision that was named is not another")
    }

    @Test("A listing goes on after a page although its revision is compacted", arguments: [0, 64 << 20])
    func listingUnderCompaction(memory: Int) async throws {
        let other = ConfigService.viewing(store, memory: 0)
        let service = ConfigService.viewing(store, memory: memory)
        let keys = try (0..<20).map { try Key(path: "/many/\($0)") }
        _ = try await other.commit(Transaction(then: keys.map { .set($0, Value("old")) }), to: .default)
        try await service.loadNow(.default)
        let first = try await service.list(ListQuery("/many", limit: 10, consistency: .strong), in: .default)
        let revision = try #require(first.revision)
        let set = keys.map { DiscfgCore.Operation.set($0, Value("new")) }
        let result = try await other.commit(Transaction(then: set), to: .default)
        _ = try await other.compact(.default, keeping: .through(result.revision))
        let rest = try await service.list(
            ListQuery("/many", at: revision, after: first.next, limit: 100, consistency: .strong), in: .default)
        #expect(rest.items.count == 10 && rest.items.allSatisfy { $0.value == Value("old") })
        let error = await #expect(throws: DiscfgError.self) {
            try await service.list(ListQuery("/many", at: revision, consistency: .strong), in: .default)
        }
        #expect(error?.code == .compacted, "a listing that begins now does not have it")
    }

    @Test("A batch of writes runs under the latest deadline of its own writers, not under that of an earlier one")
    func deadlines() async throws {
        let engine = HookedEngine(store)
        let seen = Mutex<[ContinuousClock.Instant?]>([])
        let deadline = WriteDeadline(
            current: { Deadline.current },
            apply: { deadline, body in
                seen.withLock { $0.append(deadline) }
                await Deadline.$current.withValue(deadline) { await body() }
            })
        let service = ConfigService(
            engine: engine, options: .init(writeDeadline: deadline), logger: LogCapture().logger)
        let (early, late) = (ContinuousClock.now + .seconds(60), ContinuousClock.now + .seconds(3600))
        let (underWay, tell) = AsyncStream.makeStream(of: Void.self)
        let (others, go) = AsyncStream.makeStream(of: Void.self)
        engine.before(.append) {
            tell.finish()
            for await _ in others {}
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                try await Deadline.$current.withValue(early) { try await set("/a", "1", by: service) }
            }
            for await _ in underWay {}
            for instant in [early, late] {
                group.addTask { [self] in
                    try await Deadline.$current.withValue(instant) { try await set("/b", "1", by: service) }
                }
            }
            while service.active(.default).pipeline.waitingCount < 2 { await Task.yield() }
            go.finish()
            try await group.waitForAll()
        }
        #expect(seen.withLock { $0 } == [early, late])
    }

    @Test("A writer whose time is over is answered, and the batch that it is in goes on")
    func ownDeadlines() async throws {
        let engine = HookedEngine(store)
        let start = ContinuousClock.now
        // Three deadlines, one, two and three seconds after the start: somebody waits for it, and it comes.
        let awaited = (0..<3).map { _ in AsyncStream.makeStream(of: Void.self) }
        let passed = (0..<3).map { _ in AsyncStream.makeStream(of: Void.self) }
        let time = TimeSource(
            now: TimeSource.system.now,
            sleep: { duration in
                let index = Int(duration.components.seconds) - 1
                guard awaited.indices.contains(index) else { return }
                awaited[index].continuation.finish()
                for await _ in passed[index].stream {}
                try Task.checkCancellation()
            },
            instant: { start })
        let deadline = WriteDeadline(current: { Deadline.current }, apply: { _, body in await body() })
        let service = ConfigService(
            engine: engine, options: .init(time: time, writeDeadline: deadline), logger: LogCapture().logger)
        // Two appends that hang until they are released.
        let underWay = (0..<2).map { _ in AsyncStream.makeStream(of: Void.self) }
        let released = (0..<2).map { _ in AsyncStream.makeStream(of: Void.self) }
        engine.before(.append) {
            engine.before(.append) {
                underWay[1].continuation.finish()
                for await _ in released[1].stream {}
            }
            underWay[0].continuation.finish()
            for await _ in released[0].stream {}
        }
        @Sendable func failure(_ key: String, after seconds: Int?) async -> DiscfgError.Code? {
            let instant = seconds.map { start + .seconds($0) }
            do {
                try await Deadline.$current.withValue(instant) { try await set(key, "1", by: service) }
                return nil
            } catch {
                return (error as? DiscfgError)?.code ?? .internalError
            }
        }
        async let first = failure("/first", after: nil)
        for await _ in underWay[0].stream {}
        async let early = failure("/early", after: 1)
        async let late = failure("/late", after: 3)
        for await _ in awaited[0].stream {}
        for await _ in awaited[2].stream {}
        released[0].continuation.finish()
        for await _ in underWay[1].stream {}
        async let queued = failure("/queued", after: 2)
        for await _ in awaited[1].stream {}
        passed[1].continuation.finish()
        let ofQueued = await queued
        #expect(ofQueued == .storeUnavailable, "it was not in the batch")
        passed[0].continuation.finish()
        let ofEarly = await early
        #expect(ofEarly == .outcomeUnknown, "the batch is under way")
        released[1].continuation.finish()
        let (ofFirst, ofLate) = await (first, late)
        #expect(ofFirst == nil && ofLate == nil)
        let keys = try ["/first", "/early", "/late", "/queued"].map { try Key(path: $0) }
        let found = try await store.items(keys, in: .default, consistency: .strong).items
        #expect(Set(found.keys) == Set(keys.dropLast()))
    }

    @Test("A time to live counts from the writer's clock, not from the log's time")
    func timeToLive() async throws {
        let clock = TestClock()
        let ahead = TestClock(now: clock.now + .seconds(600))
        try await set("/a", "1", by: service(store, clock: ahead))
        let service = service(store, clock: clock)
        let key = try Key(path: "/b")
        _ = try await service.commit(
            Transaction(then: [.set(key, Value("1"), expiry: .after(.seconds(2)))]), to: .default)
        let item = try await service.get(key, in: .default).item
        #expect(item.expiry == clock.now + .seconds(2))
        #expect(item.modifiedAt == ahead.now, "the log's time does not run backwards")
    }

    @Test("A key whose time is over is absent at a revision at which it had that time to live")
    func absence() async throws {
        let clock = TestClock()
        let key = try Key(path: "/a")
        let other = service(store, clock: clock)
        try await set("/a", "1", by: other)
        let engine = UntoldTail(engine: store) {
            _ = try await other.commit(
                Transaction(then: [.set(key, Value("2"), expiry: .after(.seconds(1)))]), to: .default)
            clock.advance(by: .seconds(2))
        }
        let range = RangeQuery(KeyRange(from: key.bytes, to: key.bytes + [0]))
        let reading = try await service(engine, clock: clock).range(range, in: .default)
        #expect(reading.items.isEmpty)
        #expect(reading.revision == 3)
    }
}

/// A store that trims in two steps, of which the second fails the first time.
private final class InterruptedTrim: EngineWrapper {
    let engine: any StorageEngine
    private let steps = Mutex(0)

    init(engine: any StorageEngine) { self.engine = engine }

    func trim(_ config: ConfigName, through: Revision, keepingSince moment: Timestamp) async throws -> Bool {
        let step = steps.withLock { steps in
            steps += 1
            return steps
        }
        if step == 2 { throw DiscfgError(.storeUnavailable, "It is down.", hint: "Wait.") }
        return try await engine.trim(config, through: through, keepingSince: moment) && step > 1
    }
}

/// A store that reads items without the log's tail, as DynamoDB does, and something that happens before it does.
private struct UntoldTail: EngineWrapper {
    let engine: any StorageEngine
    let before: @Sendable () async throws -> Void

    var traits: StorageTraits { engine.traits.with(\.readsTellTail, false) }

    func items(_ keys: [Key], in config: ConfigName, consistency: Consistency) async throws -> ItemBatch {
        try await before()
        return ItemBatch(
            items: try await engine.items(keys, in: config, consistency: consistency).items, tail: nil)
    }
}
