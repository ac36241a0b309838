import AWSClient
import DynamoDBPatternsTesting
import Synchronization
import Testing

@testable import DynamoDBPatterns

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct LeaseManagerTests {
    private struct Failure: Error {}

    let world: PatternWorld

    init() throws { world = try PatternWorld() }

    private func leases(_ owner: String, lasting seconds: Int = 30, skew: Int = 0) throws -> LeaseManager {
        let clock = world.time.clock
        // A wall clock that is wrong: leases do not look at it.
        let wrong = PatternClock(
            now: { Date(milliseconds: clock.milliseconds + Int64(skew) * 1000) }, sleep: clock.sleep,
            random: clock.random,
            monotonic: { .milliseconds(clock.milliseconds + Int64(skew) * 7777) })
        let table = PatternTable(PatternWorld.tableName, in: world.store, clock: wrong)
        return try LeaseManager(
            "jobs", in: table, duration: .seconds(seconds), owner: owner, logger: ProcessorWorld.logger)
    }

    @Test("A lease has one holder; one that is released is free at once, and the fence grows")
    func one() async throws {
        let (a, b) = (try leases("a"), try leases("b", skew: 500_000))
        let first = try #require(try await a.acquire("x"))
        #expect(first.fence == 1 && first.owner == "a" && first.isHeld && first.remaining == .seconds(30))
        #expect(try await b.acquire("x") == nil)
        #expect(try await a.acquire("x") == nil)
        #expect(try await b.acquire("y")?.fence == 1)
        try await a.release(first)
        #expect(!first.isHeld)
        let second = try #require(try await b.acquire("x"))
        #expect(second.fence == 2)
        // What is released already belongs to others.
        try await a.release(first)
        await expect(.leaseLost) { try await a.renew(first) }
        #expect(try await a.acquire("x") == nil)
        try await b.renew(second)
    }

    @Test("A crashed holder's lease is free once another process has watched it for its duration, not sooner")
    func takeover() async throws {
        let (a, b) = (try leases("a"), try leases("b", lasting: 5, skew: 86_400))
        let first = try #require(try await a.acquire("x"))
        world.time.advance(by: .seconds(3600))
        // However long ago it was written: this process has seen it only now.
        #expect(try await b.acquire("x") == nil)
        world.time.advance(by: .seconds(29))
        #expect(try await b.acquire("x") == nil)
        world.time.advance(by: .seconds(1))
        let second = try #require(try await b.acquire("x"))
        #expect(second.fence == 2 && second.remaining == .seconds(5))
        await expect(.leaseLost) { try await a.renew(first) }
        #expect(!first.isHeld)
    }

    @Test("A renewal begins the watch again, and lasts from before its request")
    func renewal() async throws {
        let (a, b) = (try leases("a"), try leases("b"))
        let lease = try #require(try await a.acquire("x"))
        #expect(try await b.acquire("x") == nil)
        world.time.advance(by: .seconds(29))
        try await a.renew(lease)
        #expect(lease.remaining == .seconds(30))
        world.time.advance(by: .seconds(2))
        #expect(try await b.acquire("x") == nil)
        world.time.advance(by: .seconds(29))
        #expect(try await b.acquire("x") == nil)
        #expect(!lease.isHeld)
        world.time.advance(by: .seconds(1))
        #expect(try await b.acquire("x")?.fence == 2)
    }

    @Test("Waiting is bounded, and ends with the holder's lease")
    func waiting() async throws {
        let (a, b) = (try leases("a"), try leases("b"))
        _ = try await a.acquire("x")
        let start = world.time.clock.milliseconds
        #expect(try await b.acquire("x", waiting: .seconds(10)) == nil)
        #expect(world.time.clock.milliseconds - start == 10_000)
        #expect(try await b.acquire("x", waiting: .seconds(60))?.fence == 2)
        #expect(world.time.clock.milliseconds - start == 30_000)
    }

    @Test("A transaction with a lease's check is carried out by the holder only")
    func check() async throws {
        let (a, b) = (try leases("a"), try leases("b"))
        let first = try #require(try await a.acquire("x"))
        func write(_ lease: HeldLease) async throws {
            try await world.store.transact { transaction in
                try transaction.check(lease)
                try transaction.add(PatternWorld.effect("x"))
            }
        }
        try await write(first)
        try await a.release(first)
        await expect(.leaseLost) { try await write(first) }
        let second = try #require(try await b.acquire("x"))
        await expect(.leaseLost) { try await write(first) }
        try await write(second)
        #expect(PatternWorld.effects("x", in: world.store) == 2)
        let plain = TransactWriteItemsRequest(transactItems: [first.check(), PatternWorld.effect("x")])
        await #expect(throws: AWSError.self) {
            _ = try await world.store.transactWriteItems(plain, retryingContention: true)
        }
    }

    @Test("A scope releases its lease, whether its body returns or throws, and refuses while another has it")
    func scope() async throws {
        let a = try LeaseManager(
            "jobs", in: PatternTable(PatternWorld.tableName, in: world.store), logger: ProcessorWorld.logger)
        let b = try LeaseManager(
            "jobs", in: PatternTable(PatternWorld.tableName, in: world.store), logger: ProcessorWorld.logger)
        let fence = try await a.withLease("x") { lease in
            await expect(.busy) { try await b.withLease("x") { _ in } }
            return lease.fence
        }
        #expect(fence == 1)
        await #expect(throws: Failure.self) { try await b.withLease("x") { _ in throw Failure() } }
        #expect(try await a.withLease("x") { $0.fence } == 3)
    }

    @Test("A scope whose task is cancelled ends, and releases its lease")
    func cancelled() async throws {
        let table = PatternTable(PatternWorld.tableName, in: Cancellable(base: world.store))
        let leases = try LeaseManager("jobs", in: table, logger: ProcessorWorld.logger)
        let task = Task {
            try await leases.withLease("x") { _ in
                withUnsafeCurrentTask { $0?.cancel() }
                try await Task.sleep(for: .seconds(3600))
            }
        }
        let result = await task.result
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(try await leases.acquire("x")?.fence == 2)
        let stopped = Task {
            try await leases.withLease("y") { _ in try await Task.sleep(for: .seconds(3600)) }
        }
        stopped.cancel()
        _ = await stopped.result
        #expect(try await leases.acquire("y") != nil)
    }

    @Test("Arguments that are not allowed, and items that are not leases, are refused")
    func arguments() async throws {
        await expect(.invalidArgument) { _ = try LeaseManager("no name", in: world.table()) }
        await expect(.invalidArgument) { _ = try LeaseManager("a", in: world.table(), duration: .milliseconds(99)) }
        await expect(.invalidArgument) { _ = try await leases("a").acquire("") }
        _ = try await world.store.putItem(
            .init(
                tableName: PatternWorld.tableName,
                item: ["pk": .string("K#jobs#x"), "sk": .string("lease"), "fence": .integer(0)]))
        await expect(.corrupt) { _ = try await leases("a").acquire("x") }
    }

    @Test("What it costs")
    func costs() async throws {
        let a = try leases("a")
        let lease = Mutex<HeldLease?>(nil)
        #expect(
            try await world.cost {
                let taken = try await a.acquire("x")
                lease.withLock { $0 = taken }
            } == .init(requests: 2, written: 1, read: 1))
        let held = try #require(lease.withLock { $0 })
        #expect(try await world.cost { _ = try await a.acquire("x") } == .init(requests: 1, read: 1))
        #expect(try await world.cost { try await a.renew(held) } == .init(requests: 1, written: 1))
        let check = TransactWriteItemsRequest(transactItems: [held.check()])
        #expect(
            try await world.cost { _ = try await world.store.transactWriteItems(check, retryingContention: true) }
                == .init(requests: 1, written: 2))
        #expect(try await world.cost { try await a.release(held) } == .init(requests: 1, written: 1))
    }
}
