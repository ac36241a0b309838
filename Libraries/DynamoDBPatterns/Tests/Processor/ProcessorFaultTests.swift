import AWSClient
import DynamoDBPatterns
import DynamoDBPatternsTesting
import Synchronization
import Testing

@Suite("Processes survive every fault at every call")
struct ProcessorFaultTests {
    /// A process of three steps that say what they do, the second of which waits for a signal; the third may fail.
    private func processor(_ world: ProcessorWorld, _ bank: Bank, fails: Bool, in api: any DynamoDBAPI) throws
        -> Processor<Order>
    {
        let retry = StepRetry(attempts: 20, first: .milliseconds(10), longest: .milliseconds(10))
        let steps = ["reserve", "pay", "ship"].map { name in
            Step<Order>(name, retry: retry) { order, context in
                if name == "pay" {
                    order.payment = try context.signal("paid", as: String.self)
                    if order.payment == nil { return .waitForSignal(atMost: .seconds(10 * 86400)) }
                }
                try bank.carryOut(context)
                order.steps.append(name)
                order.sent.append(name)
                try context.send("news", name)
                return name == "ship" && fails ? .fail("There is no ship.") : .done
            } compensation: { order, context in
                bank.undo(context)
                order.steps.append("!" + name)
                order.sent.append("!" + name)
                try context.send("news", "!" + name)
            }
        }
        return try world.processor(steps, in: api)
    }

    /// Does everything through one process after the other, each of which may die.
    private func scenario(_ run: FaultedRun, fails: Bool) async throws {
        let world = try ProcessorWorld()
        let bank = Bank()
        let deliveries = Mutex<[(process: String, number: Int64, body: String)]>([])
        func deliver(_ work: (Processor<Order>) async throws -> Void) async throws {
            try await run.deliver(to: world.store) { api in
                // Whoever comes after a crash comes when the leases are over.
                world.simulation.advance(by: .seconds(61))
                try await work(try processor(world, bank, fails: fails, in: api))
            }
        }
        try await deliver { try await $0.start("1", Order()) }
        try await deliver { try await $0.runDue() }
        try await deliver { try await $0.signal("paid", of: "1", "receipt") }
        for _ in 0..<3 {
            try await deliver { try await $0.runDue() }
            try await deliver { processor in
                try await processor.relay { message in
                    let body = try message.decode(String.self)
                    deliveries.withLock { $0.append((message.process, message.number, body)) }
                }
            }
        }
        let status = try #require(try await processor(world, bank, fails: fails, in: world.store).status(of: "1"))
        let laws = ProcessLaws(
            steps: ["reserve", "pay", "ship"], bank: bank, deliveries: deliveries.withLock { $0 })
        let broken = laws.broken(by: "1", status)
        try run.check(broken == nil, broken ?? "")
        try run.check(status.phase == (fails ? .compensated : .done), "It ended as \(status.phase).")
        let left = world.store.items(in: "patterns").count
        try run.check(left == 1, "\(left) items are left.")
    }

    @Test(
        "A fault of each kind at each call, on the way to the end, and on the way there and back",
        arguments: [false, true])
    func oneFault(fails: Bool) async throws {
        let runs = try await FaultSweep.run { try await scenario($0, fails: fails) }
        #expect(runs > 100)
    }

    @Test("Two writes that go wrong, the second perhaps while the first is repaired", arguments: [false, true])
    func twoFaults(fails: Bool) async throws {
        try await FaultSweep.run(
            faults: [.crashAfter, .lostReplyThenRetried], depth: 2, where: { $0.isWrite }
        ) { try await scenario($0, fails: fails) }
    }

    @Test("A start whose answer was lost and that was made again knows itself, also when a worker came between")
    func lostStart() async throws {
        let world = try ProcessorWorld()
        let faulty = FaultyDynamoDB(world.store, plan: .at(call: 1, .lostReplyThenRetried))
        #expect(try await world.processor(world.steps("a"), in: faulty).start("1", Order()) == .started)
        #expect(try await world.processor(world.steps("a")).start("1", Order()) == .exists(.running))
    }

    @Test("A claim and records whose answers were lost and that were made again go on in the same worker")
    func lostRecords() async throws {
        for call in 1...4 {
            let world = try ProcessorWorld()
            let steps = world.steps("a", "b", "c")
            try await world.processor(steps).start("1", Order())
            let faulty = FaultyDynamoDB(
                world.store, plan: .at(call: call, .lostReplyThenRetried).where(\.isWrite))
            #expect(try await world.processor(steps, in: faulty).runDue() == 1)
            #expect(try await world.processor(steps).status(of: "1")?.phase == .done)
            #expect(world.ledger.all == ["orders/1/a", "orders/1/b", "orders/1/c"])
        }
    }
}
