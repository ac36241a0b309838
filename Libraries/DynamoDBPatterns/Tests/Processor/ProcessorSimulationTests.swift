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

@Suite("Processes keep their laws in thousands of random schedules")
struct ProcessorSimulationTests {
    /// Several workers with clocks that are wrong, which die and come back late, and effects that fail.
    private static func scenario(
        _ simulation: Simulation, bug: SimulatedOrders.Bug? = nil
    ) async throws {
        let world = SimulatedOrders(simulation)
        try world.store.createPatternTable("patterns")
        world.store.indexLag = simulation.choose(4)
        let ids = (0..<3).map { "\($0)" }
        for worker in 0..<3 {
            let skew = simulation.duration(in: .seconds(-3)...(.seconds(3)))
            simulation.spawn("worker \(worker)", skew: skew) { process in
                let processor = try world.processor(process, bug: bug)
                while !world.isOver, process.clock.now() < world.end {
                    let work: @Sendable () async throws -> Void = {
                        try await processor.runDue(limit: 2)
                        try await processor.relay(limit: 3) { try await world.deliver($0, by: process) }
                    }
                    if simulation.chance(percent: 15) {
                        do {
                            try await simulation.stopping(process, after: .seconds(5), work)
                        } catch is CancellationError where !Task.isCancelled {}
                    } else {
                        try await work()
                    }
                    if simulation.chance(percent: 5) { try await Self.operate(processor) }
                    try await process.clock.sleep(.seconds(2))
                }
            }
        }
        simulation.spawn("caller") { process in
            let processor = try world.processor(process, bug: bug)
            for id in ids { try await processor.start(id, Order()) }
            for id in ids {
                try await process.clock.sleep(simulation.duration(in: .zero...(.seconds(20))))
                _ = try await processor.signal("paid", of: id, "receipt")
                if simulation.chance(percent: 20) { try await processor.cancel(id) }
            }
        }
        try await simulation.run()
        let laws = ProcessLaws(steps: SimulatedOrders.steps, bank: world.bank, deliveries: world.deliveries)
        let processor = try Processor<Order>(
            "orders", in: PatternTable("patterns", in: world.store, clock: simulation.clock),
            steps: [
                Step("unused") { _, _ in .done }
            ])
        for id in ids {
            guard let status = try await processor.status(of: id) else {
                throw InvariantViolation("The process \(id) is gone.")
            }
            let broken = laws.broken(by: id, status)
            try simulation.check(broken == nil, "Process \(id): \(broken ?? "")")
            let reason = status.failure ?? ""
            try simulation.check(!reason.contains("in vain"), "Process \(id) did not see its signal.")
        }
    }

    /// Resumes what is stuck: a compensation whose attempts ended with their workers.
    private static func operate(_ processor: Processor<Order>) async throws {
        for id in try await processor.stuck() {
            do {
                try await processor.resume(id)
            } catch let error as PatternError where error.code == .notFound {
                // Another operator was faster, or the index is behind.
            }
        }
    }

    @Test("Effects once for each key, in order, all or undone in reverse; zombies write nothing; messages in order")
    func laws() async throws {
        try await Simulation.explore(seeds: 0..<300) { try await Self.scenario($0) }
    }

    @Test("A record that does not look at the version is found")
    func withoutFence() async throws {
        try await expectFound(withoutCondition: { $0.condition.contains("version = ") })
    }

    @Test("A wait that does not look for signals is found")
    func withoutSignals() async throws {
        try await expectFound(withoutCondition: { $0.condition.contains("signalCount = ") })
    }

    @Test("An outbox that is removed although messages came meanwhile is found")
    func withoutQueue() async throws { try await expectFound(withoutCondition: { $0.condition.contains("queued = ") }) }

    @Test("A relay that takes a message for sent which is not to be seen yet is found")
    func withoutSettledRead() async throws {
        struct Hasty: DynamoDBDecorator {
            let base: any DynamoDBAPI

            func transactGetItems(
                _ request: TransactGetItemsRequest, retryingContention: Bool
            ) async throws -> TransactGetItemsResponse { TransactGetItemsResponse() }
        }
        try await expectFound { Hasty(base: $0) }
    }

    private func expectFound(
        withoutCondition isBroken: @escaping @Sendable (WithoutConditions.Write) -> Bool,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await expectFound({ WithoutConditions(base: $0, where: isBroken) }, sourceLocation: sourceLocation)
    }

    /// A bug that is put in on purpose breaks a law within some hundred schedules.
    private func expectFound(
        _ bug: @escaping SimulatedOrders.Bug, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let failure = try await Simulation.firstFailure(seeds: 0..<500) { try await Self.scenario($0, bug: bug) }
        #expect(failure?.violation != nil, "\(failure?.description ?? "no failure")", sourceLocation: sourceLocation)
    }
}

/// Orders in a simulation: what their steps do, and what is outside.
final class SimulatedOrders: Sendable {
    /// A worker's way to DynamoDB with something wrong in it.
    typealias Bug = @Sendable (any DynamoDBAPI) -> any DynamoDBAPI

    static let steps = ["reserve", "pay", "pack", "ship"]

    let simulation: Simulation
    let store: MemoryDynamoDB
    /// The store as the workers see it.
    let committing: SlowCommits
    let bank = Bank()
    /// When the workers leave a process that does not end to the laws.
    let end: Date
    private let delivered = Mutex<[(process: String, number: Int64, body: String)]>([])

    init(_ simulation: Simulation) {
        self.simulation = simulation
        end = simulation.clock.now().addingTimeInterval(3000)
        store = MemoryDynamoDB(clock: simulation.clock.now, seed: simulation.seed)
        committing = SlowCommits(base: store, clock: simulation.clock)
    }

    var deliveries: [(process: String, number: Int64, body: String)] { delivered.withLock { $0 } }

    /// Whether all three processes have ended, and all their messages are gone.
    var isOver: Bool {
        let items = store.items(in: "patterns")
        return items.count == 3 && items.allSatisfy { ["DONE", "COMPENSATED"].contains($0["status"]?.string) }
    }

    func processor(
        _ process: SimulatedProcess, bug: Bug?
    ) throws -> Processor<Order> {
        let api = process.dynamoDB(committing, faults: .random(percent: 3))
        let table = PatternTable("patterns", in: bug?(api) ?? api, clock: process.clock)
        return try Processor(
            "orders", in: table, steps: Self.steps.map { step($0, process) }, lease: .seconds(20),
            logger: ProcessorWorld.logger)
    }

    private func step(_ name: String, _ process: SimulatedProcess) -> Step<Order> {
        Step(
            name, retry: StepRetry(attempts: 4, first: .seconds(1)), timeout: name == "pack" ? .seconds(15) : nil
        ) { [self] order, context in
            if name == "pay" {
                order.payment = try context.signal("paid", as: String.self)
                if order.payment == nil { return .waitForSignal(atMost: .seconds(86400)) }
            }
            try await pass(process)
            if simulation.chance(percent: 15) { throw Outage() }
            try bank.carryOut(context)
            try await pass(process)
            if simulation.chance(percent: 10) { throw Outage() }
            order.steps.append(name)
            try say(name, &order, context)
            return simulation.chance(percent: 5) ? .fail("\(name) cannot be") : .done
        } compensation: { [self] order, context in
            try await pass(process)
            // Fewer than the attempts, so that nothing is stuck; but crashes count as attempts too.
            if context.attempt == 1, simulation.chance(percent: 15) { throw Outage() }
            bank.undo(context)
            try await pass(process)
            order.steps.append("!" + name)
            try say("!" + name, &order, context)
        }
    }

    private func say(_ what: String, _ order: inout Order, _ context: StepContext) throws {
        for part in ["begins", "ends"] {
            order.sent.append("\(what) \(part)")
            try context.send("news", "\(what) \(part)")
        }
    }

    /// The time that an effect takes, now and then longer than the lease; or the end of the worker.
    private func pass(_ process: SimulatedProcess) async throws {
        if simulation.chance(percent: 2) { throw process.crash() }
        let longest: Duration = simulation.chance(percent: 10) ? .seconds(30) : .milliseconds(100)
        try await process.clock.sleep(simulation.duration(in: .zero...longest))
    }

    func deliver(_ message: ProcessMessage, by process: SimulatedProcess) async throws {
        try await pass(process)
        if simulation.chance(percent: 10) { throw Outage() }
        let body = try message.decode(String.self)
        delivered.withLock { $0.append((message.process, message.number, body)) }
        try await pass(process)
        if simulation.chance(percent: 5) { throw Outage() }
    }
}
