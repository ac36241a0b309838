import AWSClient
import DynamoDBPatterns
import DynamoDBPatternsTesting
import Logging
import ServiceLifecycle
import ServiceLifecycleTestKit
import Synchronization
import Testing

@Suite("A stop of a worker costs a process nothing")
struct ProcessorStopTests {
    /// What a step may throw when its task is cancelled.
    enum Ending: CaseIterable {
        case cancellation
        case ownError

        func end() throws {
            switch self {
            case .cancellation: try Task.checkCancellation()
            case .ownError: throw Outage()
            }
        }
    }

    @Test("Five stops in a step with three attempts undo nothing, and others go on at once", arguments: Ending.allCases)
    func stops(_ ending: Ending) async throws {
        let world = try ProcessorWorld()
        let stopper = Stopper()
        let attempts = EffectLedger()
        let processor = try world.processor(
            [
                world.step("pay", retry: StepRetry(attempts: 3)) { order, context in
                    attempts.note("attempt \(context.attempt)")
                    order.payment = "life \(attempts.all.count)"
                    if attempts.all.count <= 5 {
                        stopper.stop()
                        try ending.end()
                    }
                    return .done
                }
            ], in: HeedsCancellation(base: world.store))
        try await processor.start("1", Order())
        for _ in 1...5 {
            let end = await stopper.run { try await processor.advance("1") }
            #expect(throws: CancellationError.self) { try end.get() }
            let status = try #require(try await processor.status(of: "1"))
            #expect(status.phase == .running && status.attempt == 0 && status.state == Order())
            #expect(try #require(status.due) <= world.time(in: 0))
            #expect(world.item("1")?["claimed"] == nil && world.item("1")?["wake"] == .string("RUN"))
        }
        #expect(try await processor.advance("1"))
        let status = try #require(try await processor.status(of: "1"))
        #expect(status.phase == .done && status.state.payment == "life 6")
        #expect(attempts.all == Array(repeating: "attempt 1", count: 6))
    }

    @Test("Attempts that failed count on when others were stopped in between")
    func failuresCount() async throws {
        let world = try ProcessorWorld()
        let stopper = Stopper()
        let attempts = EffectLedger()
        let processor = try world.processor(
            [
                world.step("pay", retry: StepRetry(attempts: 3)) { _, context in
                    attempts.note("attempt \(context.attempt)")
                    if attempts.all.count.isMultiple(of: 2) { stopper.stop() }
                    throw Outage()
                }
            ], in: HeedsCancellation(base: world.store))
        try await processor.start("1", Order())
        for _ in 1...5 {
            _ = await stopper.run { try await processor.advance("1") }
            world.simulation.advance(by: .seconds(300))
        }
        #expect(attempts.all == ["attempt 1", "attempt 2", "attempt 2", "attempt 3", "attempt 3"])
        #expect(try await processor.status(of: "1")?.phase == .compensated)
    }

    @Test("A step that ends although its worker is stopped is recorded, and the next one is left to others")
    func endsAllTheSame() async throws {
        let world = try ProcessorWorld()
        let stopper = Stopper()
        let processor = try world.processor(
            [
                world.step("pay") { _, context in
                    try context.send("paid", 1)
                    stopper.stop()
                    return .done
                }, world.step("ship"),
            ], in: HeedsCancellation(base: world.store))
        try await processor.start("1", Order())
        let end = await stopper.run { try await processor.advance("1") }
        #expect(throws: CancellationError.self) { try end.get() }
        #expect(world.ledger.all == ["orders/1/pay"])
        #expect(try await processor.status(of: "1")?.state.steps == ["pay"])
        #expect(try await processor.runDue() == 1)
        #expect(world.ledger.all == ["orders/1/pay", "orders/1/ship"])
        #expect(try await processor.status(of: "1")?.phase == .done)
    }

    @Test("What is permanent is recorded, also when the worker is stopped")
    func permanent() async throws {
        let world = try ProcessorWorld()
        let stopper = Stopper()
        let processor = try world.processor(
            [
                world.step("pay") { _, _ in
                    stopper.stop()
                    throw PatternError(.poison, "No such card.")
                }
            ], in: HeedsCancellation(base: world.store))
        try await processor.start("1", Order())
        _ = await stopper.run { try await processor.advance("1") }
        #expect(try await processor.status(of: "1")?.phase == .compensating)
        try await processor.runDue()
        #expect(try await processor.status(of: "1")?.phase == .compensated)
    }

    @Test("An attempt that was stopped may have taken effect: the way back undoes it, also where failures need it not")
    func mayHaveTakenEffect() async throws {
        let world = try ProcessorWorld()
        let stopper = Stopper()
        let processor = try world.processor(
            [
                world.step("pay", compensatesFailures: false) { _, _ in
                    stopper.stop()
                    throw CancellationError()
                }
            ], in: HeedsCancellation(base: world.store))
        try await processor.start("1", Order())
        _ = await stopper.run { try await processor.advance("1") }
        try await processor.cancel("1")
        try await processor.runDue()
        #expect(world.ledger.all == ["orders/1/pay", "orders/1/pay!undo"])
    }

    @Test("A worker that is stopped while it claims a process begins nothing, and gives it back")
    func whileClaiming() async throws {
        let world = try ProcessorWorld()
        let stopper = Stopper()
        let stopping = PeriodicInterruption(base: HeedsCancellation(base: world.store)) { call, number in
            if call.operation == .updateItem, number == 1 { stopper.stop() }
        }
        let processor = try world.processor([world.step("pay")], in: stopping)
        try await processor.start("1", Order())
        let end = await stopper.run { try await processor.runDue() }
        #expect(throws: CancellationError.self) { try end.get() }
        #expect(world.ledger.all == [] && world.item("1")?["claimed"] == nil)
        #expect(try await processor.status(of: "1")?.attempt == 0)
        #expect(try await processor.runDue() == 1)
    }

    @Test("A worker that was taken over before its stop gives nothing back: the process is the other one's")
    func takenOver() async throws {
        let world = try ProcessorWorld()
        let stopper = Stopper()
        let dying = FaultyDynamoDB(world.store, plan: .at(call: 2, .crashBefore).where(\.isWrite))
        let other = try world.processor(world.steps("pay"), in: dying)
        let zombie = try world.processor(
            [
                world.step("pay") { _, _ in
                    world.simulation.advance(by: .seconds(61))
                    await #expect(throws: SimulatedCrash.self) { try await other.advance("1") }
                    stopper.stop()
                    throw CancellationError()
                }
            ], in: HeedsCancellation(base: world.store))
        try await zombie.start("1", Order())
        _ = await stopper.run { try await zombie.advance("1") }
        let item = try #require(world.item("1"))
        #expect(try await zombie.status(of: "1")?.due == world.time(in: 60))
        #expect(item["claimed"]?.int64 == 2 && item["attempt"]?.int64 == 2)
    }

    @Test("A relay that is stopped in a message gives the outbox back, and another one sends it at once")
    func relay() async throws {
        let world = try ProcessorWorld()
        let stopper = Stopper()
        let sent = EffectLedger()
        let processor = try world.processor(
            [
                world.step("pay") { _, context in
                    for part in 1...3 { try context.send("paid", part) }
                    return .done
                }
            ], in: HeedsCancellation(base: world.store))
        try await processor.start("1", Order())
        try await processor.runDue()
        let end = await stopper.run {
            try await processor.relay { message in
                if message.number == 2 {
                    stopper.stop()
                    throw Outage()
                }
                sent.note("\(message.number)")
            }
        }
        #expect(throws: CancellationError.self) { try end.get() }
        #expect(sent.all == ["1"])
        #expect(try await processor.relay { sent.note("\($0.number)") } == 2)
        #expect(sent.all == ["1", "2", "3"])
    }

    @Test("A message that was sent as the relay was stopped is not sent again")
    func sentMessage() async throws {
        let world = try ProcessorWorld()
        let stopper = Stopper()
        let sent = EffectLedger()
        let processor = try world.processor(
            [
                world.step("pay") { _, context in
                    for part in 1...2 { try context.send("paid", part) }
                    return .done
                }
            ], in: HeedsCancellation(base: world.store))
        try await processor.start("1", Order())
        try await processor.runDue()
        _ = await stopper.run {
            try await processor.relay { message in
                sent.note("\(message.number)")
                stopper.stop()
            }
        }
        #expect(try await processor.relay { sent.note("\($0.number)") } == 1)
        #expect(sent.all == ["1", "2"])
    }

    @Test("A service group's logs have the processor's name, and neither its steps nor its table")
    func serviceName() throws {
        let processor = try ProcessorWorld().processor([Step("pay") { _, _ in .done }])
        #expect(ServiceGroupConfiguration.ServiceConfiguration(service: processor).serviceName == "Processor(orders)")
    }

    @Test("After a graceful shutdown began, the step at work ends and no other begins")
    func gracefulShutdown() async throws {
        let world = try ProcessorWorld()
        try await testGracefulShutdown { trigger in
            let processor = try world.processor([
                world.step("pay") { _, _ in
                    trigger.triggerGracefulShutdown()
                    return .done
                }, world.step("ship"),
            ])
            for id in ["1", "2"] { try await processor.start(id, Order()) }
            try await processor.run()
            #expect(world.ledger.all.count == 1)
            // One round of work is not the loop: it does what it is told.
            #expect(try await processor.runDue() == 2)
        }
        #expect(world.ledger.all.count { $0.hasSuffix("ship") } == 2)
    }
}
