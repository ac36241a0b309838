import AWSClient
import CoreMetrics
import DynamoDBPatternsTesting
import Synchronization
import Testing

@testable import DynamoDBPatterns

@Suite struct PatternMetricsTests {
    private struct Failure: Error {}

    let world: PatternWorld
    let metrics = RecordedMetrics()
    let table: PatternTable

    init() throws {
        world = try PatternWorld()
        table = PatternTable(
            PatternWorld.tableName, in: world.store, clock: world.time.clock, duePartitions: 2,
            metrics: PatternMetrics(factory: metrics))
    }

    @Test("A processor measures how late it is, and counts failed attempts, what is stuck, and its outbox")
    func processor() async throws {
        let orders = try Processor<Int>(
            "orders", in: table,
            steps: [
                Step("pay", retry: StepRetry(attempts: 2)) { _, step in
                    try step.send("paid", 1)
                    if step.process == "bad" { throw Failure() }
                    return .done
                } compensation: { _, step in
                    if step.process == "stuck" { throw PatternError(.poison, "Never.") }
                },
                Step("ship", retry: StepRetry(attempts: 1)) { _, step in
                    if step.process == "stuck" { throw Failure() }
                    return .done
                },
            ])
        for id in ["good", "bad", "stuck"] { try await orders.start(id, 1) }
        world.time.advance(by: .seconds(7))
        #expect(try await orders.backlog() == PatternBacklog(waiting: 3, overdue: .seconds(7)))
        #expect(metrics.values("dynamodb_patterns_waiting", "processor", "orders") == [3])
        #expect(metrics.values("dynamodb_patterns_overdue_seconds", "processor", "orders") == [7])
        try await orders.runDue()
        #expect(metrics.values("dynamodb_patterns_lateness_seconds", "processor", "orders").max() == 7)
        for _ in 1...5 {
            world.time.advance(by: .seconds(600))
            try await orders.runDue()
        }
        #expect(metrics.values("dynamodb_patterns_lateness_seconds", "processor", "orders").last == 0)
        #expect(metrics.sum("dynamodb_patterns_failed_attempts_total", "processor", "orders") >= 4)
        let backlog = try await orders.backlog()
        #expect(backlog == PatternBacklog(waiting: 0, overdue: nil, stuck: 1, outbox: 2))
        #expect(metrics.values("dynamodb_patterns_stuck", "processor", "orders") == [0, 1])
        #expect(metrics.values("dynamodb_patterns_outbox", "processor", "orders") == [0, 2])
        #expect(metrics.values("dynamodb_patterns_overdue_seconds", "processor", "orders").last == 0)
        try await orders.relay { _ in throw Failure() }
        #expect(metrics.sum("dynamodb_patterns_failed_attempts_total", "outbox", "orders") == 2)
        #expect(!metrics.values("dynamodb_patterns_lateness_seconds", "outbox", "orders").isEmpty)
    }

    @Test("Aggregators measure how late sweeps and runs are, and count actions that failed")
    func aggregators() async throws {
        let clicks = try Aggregator(
            "clicks", of: Click.self, in: table, rule: .count(2), timeout: .seconds(60), lease: .seconds(30))
        _ = try await clicks.add(Click(page: "p"), id: "1", to: "s")
        world.time.advance(by: .seconds(65))
        #expect(try await clicks.backlog() == PatternBacklog(waiting: 1, overdue: .seconds(5)))
        _ = try await clicks.sweep { _ in throw Failure() }
        #expect(metrics.sum("dynamodb_patterns_failed_attempts_total", "aggregator", "clicks") == 1)
        #expect(metrics.values("dynamodb_patterns_lateness_seconds", "aggregator", "clicks").max() == 5)

        let sales = try PeriodicAggregator<Int, Int>(
            "sales", in: table, period: .seconds(3600), initial: 0
        ) { $0 += $1 }
        try await sales.collect(1, id: "1", at: world.time.clock.now())
        world.time.advance(by: .seconds(2 * 3600))
        #expect(try await sales.backlog().waiting == 1)
        await #expect(throws: Failure.self) { try await sales.runDue { _ in throw Failure() } }
        #expect(metrics.sum("dynamodb_patterns_failed_attempts_total", "periodic", "sales") == 1)
        #expect(metrics.values("dynamodb_patterns_lateness_seconds", "periodic", "sales").max() ?? 0 > 0)
    }

    @Test("An action that was stopped is not a failed attempt")
    func stopped() async throws {
        let clicks = try Aggregator("clicks", of: Click.self, in: table, rule: .count(1), timeout: .seconds(60))
        _ = try await clicks.add(Click(page: "p"), id: "1", to: "s")
        let sales = try PeriodicAggregator<Int, Int>("sales", in: table, period: .seconds(60), initial: 0) { $0 += $1 }
        try await sales.collect(1, id: "1", at: world.time.clock.now())
        world.time.advance(by: .seconds(3600))
        let begun = Mutex(0)
        let stop: @Sendable () throws -> [TransactWriteItem] = {
            begun.withLock { $0 += 1 }
            withUnsafeCurrentTask { $0?.cancel() }
            throw Failure()
        }
        let sweep = Task { _ = try await clicks.sweep { _ in try stop() } }
        _ = await sweep.result
        let run = Task { _ = try await sales.runDue { _ in try stop() } }
        _ = await run.result
        #expect(begun.withLock { $0 } == 2)
        for (pattern, name) in [("aggregator", "clicks"), ("periodic", "sales")] {
            #expect(metrics.sum("dynamodb_patterns_failed_attempts_total", pattern, name) == 0)
        }
    }

    @Test("A consumer measures how old records are, and counts failures")
    func consumer() async throws {
        let failing = Mutex(true)
        let processor = try StreamProcessor<[String: AttributeValue]>("copy", clock: world.time.clock) { _ in
            if failing.withLock({ $0 }) { throw Failure() }
        }
        let stream = try #require(world.store.streamARN(of: PatternWorld.tableName))
        let consumer = StreamConsumer(processor, of: stream, in: world.store, leases: table)
        _ = try await world.store.transactWriteItems(
            .init(transactItems: [PatternWorld.effect("x")]), retryingContention: false)
        world.time.advance(by: .seconds(30))
        #expect(try await consumer.step() == 0)
        #expect(metrics.sum("dynamodb_patterns_failed_attempts_total", "consumer", "copy") == 1)
        failing.withLock { $0 = false }
        world.time.advance(by: .seconds(30))
        #expect(try await consumer.step() == 1)
        // The time of a record is whole seconds.
        let lags = metrics.values("dynamodb_patterns_stream_lag_seconds", "consumer", "copy")
        #expect(lags.count == 2 && (30...31).contains(lags[0]) && (60...61).contains(lags[1]))
    }

    @Test("Idempotent handlers count calls by their outcome")
    func idempotent() async throws {
        let handler = try IdempotentHandler<Int>("calls", in: table, logger: ProcessorWorld.logger)
        try await handler.handle("1", payload: 1) { _ in
            await expect(.busy) { try await handler.handle("1", payload: 1) { _ in 2 } }
            return 1
        }
        try await handler.handle("1", payload: 1) { _ in 2 }
        await expect(.payloadMismatch) { try await handler.handle("1", payload: 2) { _ in 2 } }
        await #expect(throws: Failure.self) { try await handler.transact("2") { _ in throw Failure() } }
        let outcomes = ["handled", "repeated", "busy", "payloadMismatch", "failed", "fenced"].map {
            metrics.sum("dynamodb_patterns_idempotent_calls_total", "idempotent", "calls", outcome: $0)
        }
        #expect(outcomes == [1, 1, 1, 1, 1, 0])
    }

    @Test("A lease that is lost under its body is counted")
    func lease() async throws {
        let real = PatternTable(PatternWorld.tableName, in: world.store, metrics: PatternMetrics(factory: metrics))
        let leases = try LeaseManager("jobs", in: real, duration: .milliseconds(300), logger: ProcessorWorld.logger)
        await expect(.leaseLost) {
            try await leases.withLease("x") { lease in
                // Somebody takes it over: its next renewal is refused.
                var update = ItemUpdate()
                update.increment("fence")
                _ = try await real.carryOut(real.write(lease.key, update, if: nil))
                try await Task.sleep(for: .seconds(3600))
            }
        }
        #expect(metrics.sum("dynamodb_patterns_leases_lost_total", "lease", "jobs") == 1)
    }
}

/// Keeps all values that were recorded.
final class RecordedMetrics: MetricsFactory {
    private struct Key: Hashable {
        var label: String
        var dimensions: [String]
    }

    private let recorded = Mutex<[Key: [Double]]>([:])

    func values(_ label: String, _ pattern: String, _ name: String, outcome: String? = nil) -> [Double] {
        var dimensions = ["pattern=\(pattern)", "name=\(name)"]
        if let outcome { dimensions.append("outcome=\(outcome)") }
        return recorded.withLock { $0[Key(label: label, dimensions: dimensions)] ?? [] }
    }

    func sum(_ label: String, _ pattern: String, _ name: String, outcome: String? = nil) -> Double {
        values(label, pattern, name, outcome: outcome).reduce(0, +)
    }

    private func handler(_ label: String, _ dimensions: [(String, String)]) -> Handler {
        let key = Key(label: label, dimensions: dimensions.map { "\($0)=\($1)" })
        return Handler { value in self.recorded.withLock { $0[key, default: []].append(value) } }
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler { handler(label, dimensions) }
    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        handler(label, dimensions)
    }
    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { handler(label, dimensions) }
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}

    private final class Handler: CounterHandler, RecorderHandler, TimerHandler {
        private let take: @Sendable (Double) -> Void

        init(_ take: @escaping @Sendable (Double) -> Void) { self.take = take }

        func increment(by amount: Int64) { take(Double(amount)) }
        func reset() {}
        func record(_ value: Int64) { take(Double(value)) }
        func record(_ value: Double) { take(value) }
        func recordNanoseconds(_ duration: Int64) { take(Double(duration) / 1e9) }
    }
}
