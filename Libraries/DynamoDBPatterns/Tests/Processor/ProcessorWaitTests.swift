import DynamoDBPatterns
import DynamoDBPatternsTesting
import Testing

@Suite("Processes wait, and signals wake them")
struct ProcessorWaitTests {
    private func waiting(_ world: ProcessorWorld) throws -> Processor<Order> {
        try world.processor([
            world.step("pay") { order, context in
                order.payment = try context.signal("paid", as: String.self)
                return order.payment == nil ? .waitForSignal(atMost: .seconds(3600)) : .done
            },
            world.step("ship"),
        ])
    }

    @Test("A step that waits is asked again later, and that is no failed attempt")
    func polling() async throws {
        let world = try ProcessorWorld()
        let processor = try world.processor([
            world.step("pay", retry: StepRetry(attempts: 1)) { order, context in
                #expect(context.attempt == 1)
                return order.steps.count < 4 ? .wait(for: .seconds(30)) : .done
            }
        ])
        try await processor.start("1", Order())
        for _ in 0..<3 {
            #expect(try await processor.runDue() == 1)
            #expect(try await processor.runDue() == 0)
            world.simulation.advance(by: .seconds(30))
        }
        #expect(try await processor.runDue() == 1)
        #expect(try await processor.status(of: "1")?.phase == .done)
    }

    @Test("A signal wakes a process that waits, and carries what it was sent with")
    func signal() async throws {
        let world = try ProcessorWorld()
        let processor = try waiting(world)
        try await processor.start("1", Order())
        try await processor.runDue()
        #expect(try await processor.runDue() == 0)
        #expect(try await processor.signal("paid", of: "1", "receipt 7"))
        #expect(try await processor.runDue() == 1)
        let status = try #require(try await processor.status(of: "1"))
        #expect(status.phase == .done)
        #expect(status.state.payment == "receipt 7")
        #expect(try await processor.signal("paid", of: "1", "again") == false, "the process has ended")
        await #expect(throws: PatternError.self) { try await processor.signal("paid", of: "2", "nobody") }
    }

    @Test("A signal that came before the process asked for it is seen")
    func earlySignal() async throws {
        let world = try ProcessorWorld()
        let processor = try waiting(world)
        try await processor.start("1", Order(), after: .seconds(60))
        try await processor.signal("paid", of: "1", "early")
        #expect(try await processor.runDue() == 0, "a signal does not start a process before its time")
        world.simulation.advance(by: .seconds(60))
        try await processor.runDue()
        #expect(try await processor.status(of: "1")?.state.payment == "early")
    }

    @Test("Pitfall, lost wake-up: a signal between the look and the wait runs the step again at once")
    func lostWakeUp() async throws {
        let world = try ProcessorWorld()
        let signaller = try waiting(world)
        let processor = try world.processor([
            world.step("pay") { order, context in
                order.payment = try context.signal("paid", as: String.self)
                guard order.payment == nil else { return .done }
                // It has looked, and is about to say that it waits.
                try await signaller.signal("paid", of: context.process, "just now")
                return .waitForSignal(atMost: .seconds(3600))
            },
            world.step("ship"),
        ])
        try await processor.start("1", Order())
        #expect(try await processor.runDue() == 1)
        let status = try #require(try await processor.status(of: "1"))
        #expect(status.phase == .done)
        #expect(status.state == Order(steps: ["pay", "ship"], payment: "just now"))
        #expect(world.ledger.count(of: "orders/1/pay") == 2)
    }

    @Test("A signal that does not come in time ends the process, and other signals make the wait no longer")
    func signalTimeout() async throws {
        let world = try ProcessorWorld()
        let processor = try waiting(world)
        try await processor.start("1", Order())
        try await processor.runDue()
        world.simulation.advance(by: .seconds(3000))
        try await processor.signal("other", of: "1")
        #expect(try await processor.runDue() == 1)
        world.simulation.advance(by: .seconds(599))
        #expect(try await processor.runDue() == 0)
        world.simulation.advance(by: .seconds(1))
        #expect(try await processor.runDue() == 1)
        let status = try #require(try await processor.status(of: "1"))
        #expect(status.phase == .compensated)
        #expect(status.failure?.contains("in vain") == true)
    }

    @Test("A signal at the very end of the wait is looked at, and a failure that follows undoes what failures have to")
    func signalAtTheEnd() async throws {
        for compensatesFailures in [false, true] {
            let world = try ProcessorWorld()
            let signaller = try waiting(world)
            let processor = try world.processor([
                world.step("pay", compensatesFailures: compensatesFailures) { _, context in
                    if try context.signal("paid", as: String.self) != nil { return .fail("Too late.") }
                    if world.ledger.all.count == 2 { try await signaller.signal("paid", of: "1", "receipt") }
                    return .waitForSignal(atMost: .seconds(10))
                }
            ])
            try await processor.start("1", Order())
            try await processor.runDue()
            world.simulation.advance(by: .seconds(10))
            try await processor.runDue()
            let status = try #require(try await processor.status(of: "1"))
            #expect(status.phase == .compensated && status.failure == "Too late.")
            #expect(world.ledger.count(of: "orders/1/pay!undo") == (compensatesFailures ? 1 : 0))
        }
    }
}
