import AWSClient
import DynamoDBPatterns
import DynamoDBPatternsTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("A processor carries steps out, tries again, and undoes")
struct ProcessorTests {
    @Test("All steps are carried out in their order, and the item leaves the index and expires")
    func happyPath() async throws {
        let world = try ProcessorWorld()
        let processor = try world.processor(world.steps("reserve", "pay", "ship"))
        #expect(try await processor.start("1", Order()) == .started)
        #expect(try await processor.status(of: "1")?.phase == .running)
        #expect(try await processor.runDue() == 1)
        let status = try #require(try await processor.status(of: "1"))
        #expect(status.phase == .done)
        #expect(status.state.steps == ["reserve", "pay", "ship"])
        #expect(status.due == nil)
        #expect(world.item("1")?["ttl"]?.int64 == Int64(world.time(in: 7 * 86400).timeIntervalSince1970))
        #expect(world.ledger.all == ["orders/1/reserve", "orders/1/pay", "orders/1/ship"])
        #expect(try await processor.runDue() == 0)
    }

    @Test("A process is started once, whoever starts it again")
    func startTwice() async throws {
        let world = try ProcessorWorld()
        let processor = try world.processor(world.steps("a"))
        #expect(try await processor.start("1", Order()) == .started)
        #expect(try await processor.start("1", Order(payment: "other")) == .exists(.running))
        try await processor.runDue()
        #expect(try await processor.start("1", Order()) == .exists(.done))
        #expect(try await processor.status(of: "1")?.state.payment == nil)
        #expect(try await processor.status(of: "2") == nil)
    }

    @Test("A process begins when it shall, not before")
    func startLater() async throws {
        let world = try ProcessorWorld()
        let processor = try world.processor(world.steps("a"))
        try await processor.start("1", Order(), after: .seconds(60))
        #expect(try await processor.runDue() == 0)
        world.simulation.advance(by: .seconds(60))
        #expect(try await processor.runDue() == 1)
    }

    @Test("Order, payment, shipment: a payment that is declined undoes what was done, the last first")
    func compensationOrder() async throws {
        let world = try ProcessorWorld()
        let processor = try world.processor([
            world.step("order"), world.step("reserve"), world.step("pay") { _, _ in .fail("The card was declined.") },
            world.step("ship"),
        ])
        try await processor.start("1", Order())
        try await processor.runDue()
        let status = try #require(try await processor.status(of: "1"))
        #expect(status.phase == .compensated)
        #expect(status.failure == "The card was declined.")
        #expect(status.state.steps == ["order", "reserve", "pay", "!pay", "!reserve", "!order"])
        #expect(world.ledger.all.suffix(3) == ["orders/1/pay!undo", "orders/1/reserve!undo", "orders/1/order!undo"])
    }

    @Test("A step that fails is tried again after a pause that grows, and with the same idempotency key")
    func retries() async throws {
        let world = try ProcessorWorld()
        let retry = StepRetry(attempts: 3, first: .seconds(10), factor: 3, jitter: 0)
        let processor = try world.processor([
            world.step("pay", retry: retry) { order, context in
                order.payment = "attempt \(context.attempt)"
                try context.send("paid", "too early")
                if context.attempt < 3 { throw Outage() }
                return .done
            }
        ])
        try await processor.start("1", Order())
        for pause in [10, 30] {
            #expect(try await processor.runDue() == 1)
            world.simulation.advance(by: .seconds(pause) - .milliseconds(1))
            #expect(try await processor.runDue() == 0)
            #expect(try await processor.status(of: "1")?.state == Order(), "what a failed attempt changed is forgotten")
            world.simulation.advance(by: .milliseconds(1))
        }
        #expect(try await processor.runDue() == 1)
        let status = try #require(try await processor.status(of: "1"))
        #expect(status.phase == .done)
        #expect(status.state.payment == "attempt 3")
        #expect(world.ledger.all == Array(repeating: "orders/1/pay", count: 3))
        #expect(try await processor.relay { _ in } == 1, "failed attempts send nothing")
    }

    @Test("When the attempts are used up, what began is undone: the step that failed too, unless it says otherwise")
    func exhausted() async throws {
        for compensatesFailures in [true, false] {
            let world = try ProcessorWorld()
            let processor = try world.processor([
                world.step("reserve"),
                world.step("pay", retry: StepRetry(attempts: 2), compensatesFailures: compensatesFailures) { _, _ in
                    throw Outage()
                },
            ])
            try await processor.start("1", Order())
            try await processor.runDue()
            world.simulation.advance(by: .seconds(10))
            try await processor.runDue()
            let status = try #require(try await processor.status(of: "1"))
            #expect(status.phase == .compensated)
            #expect(status.state.steps == ["reserve"] + (compensatesFailures ? ["!pay"] : []) + ["!reserve"])
            #expect(status.failure == "Outage()")
        }
    }

    @Test("A failure that is permanent is not tried again")
    func permanent() async throws {
        let world = try ProcessorWorld()
        let processor = try world.processor([world.step("pay") { _, _ in throw PatternError(.poison, "No such card.") }]
        )
        try await processor.start("1", Order())
        try await processor.runDue()
        #expect(try await processor.status(of: "1")?.phase == .compensated)
        #expect(world.ledger.all == ["orders/1/pay", "orders/1/pay!undo"])
    }

    @Test("A compensation that fails for good is stuck and listed, until an operator resumes it")
    func stuck() async throws {
        let world = try ProcessorWorld()
        let pay = world.step("pay") { _, _ in .fail("declined") }
        let broken = try world.processor([world.step("reserve", isCompensated: false), pay])
        try await broken.start("1", Order())
        try await broken.runDue()
        let status = try #require(try await broken.status(of: "1"))
        #expect(status.phase == .compensating)
        #expect(status.isStuck)
        #expect(status.failure == "declined")
        #expect(status.lastError?.contains("no way back") == true)
        #expect(try await broken.stuck() == ["1"])
        world.simulation.advance(by: .seconds(3600))
        #expect(try await broken.runDue() == 0)

        let mended = try world.processor([world.step("reserve"), pay])
        try await mended.resume("1")
        #expect(try await mended.stuck() == [])
        try await mended.runDue()
        #expect(try await mended.status(of: "1")?.phase == .compensated)
        #expect(try await mended.status(of: "1")?.state.steps == ["reserve", "pay", "!pay", "!reserve"])
        await #expect(throws: PatternError.self) { try await mended.resume("1") }
    }

    @Test("A process that is not done in time is turned back, also while it waits")
    func processDeadline() async throws {
        let world = try ProcessorWorld()
        let processor = try world.processor([
            world.step("reserve"), world.step("approve") { _, _ in .waitForSignal(atMost: .seconds(86400)) },
        ])
        try await processor.start("1", Order(), within: .seconds(3600))
        try await processor.runDue()
        world.simulation.advance(by: .seconds(3599))
        #expect(try await processor.runDue() == 0)
        world.simulation.advance(by: .seconds(1))
        #expect(try await processor.runDue() == 1)
        let status = try #require(try await processor.status(of: "1"))
        #expect(status.phase == .compensated)
        #expect(status.failure == "The process was not done in time.")
        #expect(status.state.steps == ["reserve", "approve", "!approve", "!reserve"])
    }

    @Test("Steps that cannot be run, and names that cannot be stored, are refused at once")
    func invalid() throws {
        let world = try ProcessorWorld()
        #expect(throws: PatternError.self) { try world.processor([]) }
        #expect(throws: PatternError.self) { try world.processor(world.steps("a", "a")) }
        #expect(throws: PatternError.self) { try world.processor(world.steps("a/b")) }
        #expect(throws: PatternError.self) { try world.processor([world.step("a", retry: StepRetry(attempts: 0))]) }
        #expect(throws: PatternError.self) {
            try world.processor([Step("a", timeout: .seconds(60)) { _, _ in .done }], lease: .seconds(60))
        }
    }
}
