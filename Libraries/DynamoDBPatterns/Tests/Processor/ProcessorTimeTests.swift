import DynamoDBPatterns
import DynamoDBPatternsTesting
import Testing

@Suite("Steps have so much time, and workers loop")
struct ProcessorTimeTests {
    @Test("An attempt that takes longer than its timeout is cancelled and counts as failed")
    func timeout() async throws {
        try await Simulation.explore(seeds: 0..<20) { simulation in
            let store = MemoryDynamoDB(clock: simulation.clock.now)
            try store.createPatternTable("patterns")
            let ledger = EffectLedger()
            simulation.spawn("worker") { process in
                let table = PatternTable("patterns", in: process.dynamoDB(store), clock: process.clock)
                let retry = StepRetry(attempts: 2, first: .seconds(1))
                let processor = try Processor<Order>(
                    "orders", in: table,
                    steps: [
                        Step("pay", retry: retry, timeout: .seconds(5)) { order, context in
                            ledger.note("attempt \(context.attempt)")
                            order.payment = "attempt \(context.attempt)"
                            if context.attempt == 1 { try await process.clock.sleep(.seconds(3600)) }
                            return .done
                        }
                    ], logger: ProcessorWorld.logger)
                try await processor.start("1", Order())
                while try await processor.status(of: "1")?.phase == .running {
                    try await processor.runDue()
                    try await process.clock.sleep(.seconds(1))
                }
                let status = try await processor.status(of: "1")
                try simulation.check(status?.state.payment == "attempt 2", "The attempt that was late counted.")
                try simulation.check(status?.lastError?.hasPrefix("timedOut") == true, "\(status?.lastError ?? "")")
            }
            try await simulation.run()
            try simulation.check(ledger.all == ["attempt 1", "attempt 2"], "\(ledger.all)")
        }
    }

    @Test("The loop of a worker survives what DynamoDB refuses, and ends when it is cancelled")
    func loop() async throws {
        let world = try ProcessorWorld()
        let faulty = FaultyDynamoDB(world.store, plan: .at([1: .throttled, 3: .lostReply, 5: .notSent]))
        let processor = try world.processor(
            [
                world.step("a"),
                world.step("b") { _, _ in
                    // The simulated clock's pauses are over at once: what ends the loop is the cancellation.
                    withUnsafeCurrentTask { $0?.cancel() }
                    return .done
                },
            ], in: faulty)
        try await world.processor(world.steps("a", "b")).start("1", Order())
        try await processor.run()
        #expect(try await processor.status(of: "1")?.phase == .done)
    }

    @Test("Pauses grow by their factor to the longest, and chance makes them shorter only")
    func pauses() async throws {
        let world = try ProcessorWorld()
        let processor = try world.processor([
            world.step(
                "a", retry: StepRetry(attempts: 9, first: .seconds(1), factor: 4, longest: .seconds(20), jitter: 0.5)
            ) { _, _ in throw Outage() }
        ])
        try await processor.start("1", Order())
        for longest in [1.0, 4, 16, 20, 20] {
            try await processor.runDue()
            let due = try #require(try await processor.status(of: "1")?.due)
            #expect(due <= world.time(in: longest) && due >= world.time(in: longest / 2 - 0.001))
            world.simulation.advance(by: .seconds(20))
        }
    }
}
