import AWSClient
import DynamoDBPatterns
import DynamoDBPatternsTesting
import Synchronization
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Stops at any time, with any fault, cost no attempt, unless the fault is a crash")
struct ProcessorStopProofTests {
    /// Three stops in a step that has three attempts, each followed by another worker.
    ///
    /// A fault may keep the process from being given back: then its lease has to run out, and that is one attempt.
    private func scenario(_ run: FaultedRun, faults: Int) async throws {
        let world = try ProcessorWorld()
        let bank = Bank()
        let attempts = Mutex<[Int]>([])
        let stopper = Stopper()
        func processor(_ api: any DynamoDBAPI) throws -> Processor<Order> {
            let pay = Step<Order>("pay", retry: StepRetry(attempts: 3)) { order, context in
                try bank.carryOut(context)
                let count = attempts.withLock { attempts in
                    attempts.append(context.attempt)
                    return attempts.count
                }
                if count <= 3 {
                    stopper.stop()
                    throw CancellationError()
                }
                order.steps.append("pay")
                return .done
            } compensation: { _, context in
                bank.undo(context)
            }
            return try world.processor([pay], in: HeedsCancellation(base: api))
        }
        try await processor(world.store).start("1", Order())
        for _ in 0..<10 {
            let before = attempts.withLock { $0.count }
            try await run.deliver(to: world.store) { api in
                let processor = try processor(api)
                let end = await stopper.run { try await processor.runDue() }
                do { try end.get() } catch is CancellationError {}
            }
            if attempts.withLock({ $0.count }) > before { continue }
            if try await processor(world.store).status(of: "1")?.phase.isEnd == true { break }
            try run.check(faults > 0, "The process was not given back.")
            world.simulation.advance(by: .seconds(61))
        }
        let status = try await processor(world.store).status(of: "1")
        try run.check(status?.phase == .done, "It ended as \(String(describing: status)).")
        try run.check(bank.events(of: "1") == [.done(step: "pay")], "\(bank.events(of: "1"))")
        let most = attempts.withLock { $0.max() ?? 0 }
        try run.check(most <= 1 + faults, "\(faults) faults used \(most - 1) attempts up.")
    }

    @Test("Without a fault, and with a fault of each kind at each call")
    func oneFault() async throws {
        try await FaultSweep.run(depth: 0) { try await scenario($0, faults: 0) }
        let runs = try await FaultSweep.run { try await scenario($0, faults: 1) }
        #expect(runs > 50)
    }

    @Test("Two writes that go wrong, the second perhaps the one that gives the process back")
    func twoFaults() async throws {
        try await FaultSweep.run(
            faults: [.crashBefore, .crashAfter, .lostReplyThenRetried, .notSent], depth: 2, where: { $0.isWrite }
        ) { try await scenario($0, faults: 2) }
    }

    /// Workers that are stopped again and again, by cancellations and shutdowns, and in which nothing else goes wrong.
    private static func stops(_ simulation: Simulation) async throws {
        let store = MemoryDynamoDB(clock: simulation.clock.now, seed: simulation.seed)
        try store.createPatternTable("patterns")
        let committing = SlowCommits(base: store, clock: simulation.clock)
        let bank = Bank()
        let names = ["reserve", "pay", "ship"]
        let ids = (0..<3).map { "\($0)" }
        let lateAttempts = EffectLedger()
        @Sendable func processor(_ process: SimulatedProcess) throws -> Processor<Order> {
            let steps = names.map { name in
                Step<Order>(
                    name, retry: StepRetry(attempts: 2), timeout: name == "pay" ? .seconds(600) : nil
                ) { order, context in
                    if context.attempt > 1 { lateAttempts.note("\(context.idempotencyKey): \(context.attempt)") }
                    try await process.clock.sleep(simulation.duration(in: .zero...(.seconds(2))))
                    try bank.carryOut(context)
                    try await process.clock.sleep(simulation.duration(in: .zero...(.seconds(2))))
                    order.steps.append(name)
                    return .done
                } compensation: { _, context in
                    bank.undo(context)
                }
            }
            let table = PatternTable(
                "patterns", in: HeedsCancellation(base: process.dynamoDB(committing)), clock: process.clock)
            return try Processor(
                "orders", in: table, steps: steps, lease: .seconds(3600), logger: ProcessorWorld.logger)
        }
        let begin = simulation.clock.now()
        simulation.spawn("caller") { process in
            for id in ids { try await processor(process).start(id, Order()) }
        }
        for worker in 0..<2 {
            simulation.spawn("worker \(worker)") { process in
                let patience = simulation.duration(in: .zero...(.seconds(2)))
                while store.items(in: "patterns").count(where: { $0["status"]?.string == "DONE" }) < ids.count {
                    try await simulation.stopping(process, after: .seconds(8)) {
                        try await processor(process).run(every: .seconds(1), patience: patience)
                    }
                    let time = process.clock.now().timeIntervalSince(begin)
                    try simulation.check(time < 3600, "A process was kept until its lease was over.")
                }
            }
        }
        try await simulation.run()
        try simulation.check(lateAttempts.all.isEmpty, "Attempts were used up: \(lateAttempts.all)")
        for id in ids {
            let expected = names.map { Bank.Event.done(step: $0) }
            try simulation.check(bank.events(of: id) == expected, "Process \(id): \(bank.events(of: id))")
        }
    }

    @Test("Workers that are stopped again and again use no attempt up, undo nothing, and keep no lease")
    func manyStops() async throws {
        var timing = Simulation.Timing()
        timing.slowPercent = 0
        try await Simulation.explore(seeds: 0..<200, timing: timing) { try await Self.stops($0) }
    }
}
