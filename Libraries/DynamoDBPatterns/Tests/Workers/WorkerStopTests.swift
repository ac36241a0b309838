import AWSClient
import DynamoDBPatternsTesting
import Logging
import ServiceLifecycle
import ServiceLifecycleTestKit
import Synchronization
import Testing

@testable import DynamoDBPatterns

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Workers of all patterns stop alike")
struct WorkerStopTests {
    private static let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// One table for all patterns, with something to do for each; a time that the test moves.
    private struct World: Sendable {
        let streams: StreamFixture
        let table: PatternTable

        init() async throws {
            streams = try StreamFixture()
            table = PatternTable("leases", in: HeedsCancellation(base: streams.store), clock: streams.clock)
            try await streams.write("a", 1...3)
        }

        func clicks() throws -> Aggregator<Click, NoValue> {
            try Aggregators.clicks(1, storage: .inHead, in: table)
        }

        func sums() throws -> PeriodicAggregator<Int, Int> {
            try PeriodicAggregator("sums", in: table, period: .seconds(60), initial: 0) { $0 += $1 }
        }

        func orders(_ work: @escaping @Sendable () async throws -> Void) throws -> Processor<Order> {
            try Processor(
                "orders", in: table,
                steps: [
                    Step("a", retry: StepRetry(attempts: 2)) { _, context in
                        try context.send("news", "a")
                        try await work()
                        return .done
                    }
                ], logger: WorkerStopTests.silent)
        }

        /// What each pattern's loop does until it is stopped in what `work` is.
        func loop(_ pattern: Pattern, _ work: @escaping @Sendable () async throws -> Void) async throws -> any Service {
            switch pattern {
            case .processor:
                let orders = try orders(work)
                try await orders.start("1", Order())
                return orders
            case .relay:
                let orders = try orders {}
                try await orders.start("1", Order())
                try await orders.runDue()
                return ClosureService { try await orders.runRelay { _ in try await work() } }
            case .aggregator:
                let clicks = try clicks()
                _ = try await clicks.add(Click(page: "a"), id: "1", to: "s")
                streams.simulation.advance(by: .seconds(60))
                return ClosureService {
                    try await clicks.run(logger: WorkerStopTests.silent) { _ in
                        try await work()
                        return []
                    }
                }
            case .periodicAggregator:
                let sums = try sums()
                try await sums.collect(1, id: "1", at: streams.clock.now())
                streams.simulation.advance(by: .seconds(3600))
                return ClosureService {
                    try await sums.run(logger: WorkerStopTests.silent) { _ in
                        try await work()
                        return []
                    }
                }
            case .streamConsumer:
                let processor = try StreamProcessor<Note>("notes", clock: streams.clock, logger: WorkerStopTests.silent)
                {
                    _ in try await work()
                }
                return StreamConsumer(processor, of: streams.arn, in: streams.store, leases: table)
            }
        }

        /// Whether a worker that comes now has something to do, without any lease that has to run out.
        func hasWorkNow(_ pattern: Pattern) async throws -> Bool {
            let isDone = Mutex(false)
            let mark: @Sendable () -> Void = { isDone.withLock { $0 = true } }
            switch pattern {
            case .processor: try await orders { mark() }.runDue()
            case .relay: try await orders {}.relay { _ in mark() }
            case .aggregator:
                _ = try await clicks().sweep { set in
                    if set.attempt == 1 { mark() }
                    return []
                }
            case .periodicAggregator:
                try await sums().runDue { _ in
                    mark()
                    return []
                }
            case .streamConsumer:
                let processor = try StreamProcessor<Note>("notes", clock: streams.clock, logger: WorkerStopTests.silent)
                {
                    _ in mark()
                }
                try await StreamConsumer(processor, of: streams.arn, in: streams.store, leases: table).step()
            }
            return isDone.withLock { $0 }
        }
    }

    enum Pattern: CaseIterable {
        case processor
        case relay
        case aggregator
        case periodicAggregator
        case streamConsumer
    }

    @Test("A loop that is cancelled returns, and what it had is given back at once", arguments: Pattern.allCases)
    func cancelled(_ pattern: Pattern) async throws {
        let world = try await World()
        let stopper = Stopper()
        let worker = try await world.loop(pattern) {
            stopper.stop()
            try await Task.sleep(for: .seconds(3600))
        }
        try await stopper.run { try await worker.run() }.get()
        #expect(try await world.hasWorkNow(pattern))
    }

    @Test(
        "A group that shuts down gracefully ends without an error, whatever its loops are doing",
        arguments: Pattern.allCases)
    func gracefulShutdown(_ pattern: Pattern) async throws {
        let world = try await World()
        let group = Mutex<ServiceGroup?>(nil)
        let worker = try await world.loop(pattern) {
            await group.withLock { $0 }?.triggerGracefulShutdown()
            // The simulated clock's pauses are over at once, and so is the patience.
            try await Task.sleep(for: .seconds(3600))
        }
        let services = ServiceGroup(services: [worker], logger: Self.silent)
        group.withLock { $0 = services }
        try await services.run()
        #expect(try await world.hasWorkNow(pattern))
    }

    @Test("What is under way when a graceful shutdown begins may end, and is done", arguments: Pattern.allCases)
    func mayEnd(_ pattern: Pattern) async throws {
        let world = try await World()
        let count = Mutex(0)
        try await testGracefulShutdown { trigger in
            let worker = try await world.loop(pattern) {
                trigger.triggerGracefulShutdown()
                count.withLock { $0 += 1 }
            }
            try await worker.run()
        }
        #expect(count.withLock { $0 } == 1)
        // Of the three records of the stream the others are left.
        #expect(try await world.hasWorkNow(pattern) == (pattern == .streamConsumer))
    }

    @Test("A loop that waits for something to do ends at once", arguments: [false, true])
    func whileWaiting(isGraceful: Bool) async throws {
        let waits = AsyncStream.makeStream(of: Void.self)
        let clock = PatternClock(sleep: { _ in
            waits.continuation.yield()
            try await Task.sleep(for: .seconds(3600))
        })
        let store = try await World().streams.store
        let processor = try Processor<Order>(
            "orders", in: PatternTable("leases", in: store, clock: clock),
            steps: [Step("a") { _, _ in .done }], logger: Self.silent)
        try await testGracefulShutdown { trigger in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await processor.run() }
                for await _ in waits.stream { break }
                if isGraceful { trigger.triggerGracefulShutdown() } else { group.cancelAll() }
                try await group.next()
            }
        }
    }

    @Test("An aggregator's action that was stopped costs no attempt, and its set is due at once")
    func aggregator() async throws {
        let fixture = try PatternWorld()
        let stopper = Stopper()
        let clicks = try fixture.clicks(1, in: HeedsCancellation(base: fixture.store))
        _ = try await clicks.add(Click(page: "a"), id: "1", to: "s")
        let attempts = Journal()
        for _ in 1...4 {
            let end = await stopper.run {
                _ = try await clicks.act(on: "s") { set in
                    attempts.write("\(set.attempt)")
                    stopper.stop()
                    throw Outage()
                }
            }
            #expect(throws: Outage.self) { try end.get() }
        }
        #expect(attempts.entries == ["1", "1", "1", "1"])
        #expect(try await clicks.act(on: "s") { _ in [] } == .acted)
    }

    @Test("A bucket that was stopped goes on from its last checkpoint, at once, and folds each member once")
    func periodicAggregator() async throws {
        let fixture = try PeriodicFixture()
        let stopper = Stopper()
        let folds = PeriodicLog()
        let minutes = try fixture.aggregator(on: HeedsCancellation(base: fixture.store), pageSize: 3) { list, member in
            list.append(member)
            if folds.add("fold") == 8 { stopper.stop() }
        }
        for id in 0..<20 { try await minutes.collect("\(id)", id: "\(id)", at: PeriodicTime.start) }
        fixture.time.move(to: 90)
        let finishes = PeriodicFinishes()
        let end = await stopper.run { try await minutes.runDue(finish: finishes.finish) }
        #expect(throws: CancellationError.self) { try end.get() }
        #expect(try await minutes.runDue(finish: finishes.finish).count == 1)
        #expect(finishes.members == (0..<20).map { "\($0)" }.sorted())
        // Not from the beginning, which would be 28.
        #expect(folds.all.count < 24)
    }
}
