import AWSClient
import DynamoDBPatterns
import DynamoDBPatternsTesting
import Testing

@Suite("A process that is cancelled goes back from where it is, and those under way can be listed")
struct ProcessorCancelTests {
    @Test("One that waits is undone at once, with the reason; a second time, or at the end, there is nothing to cancel")
    func waiting() async throws {
        let world = try ProcessorWorld()
        let processor = try world.processor([
            world.step("reserve"), world.step("pay") { _, _ in .waitForSignal(atMost: .seconds(86_400)) },
        ])
        try await processor.start("1", Order())
        try await processor.runDue()
        #expect(try await processor.cancel("1", because: "The customer changed her mind."))
        try await processor.runDue()
        let status = try #require(try await processor.status(of: "1"))
        #expect(status.phase == .compensated && status.failure == "The customer changed her mind.")
        #expect(status.state.steps == ["reserve", "pay", "!pay", "!reserve"])
        #expect(try await processor.cancel("1") == false)
        let error = await #expect(throws: PatternError.self) { try await processor.cancel("2") }
        #expect(error?.code == .notFound)
    }

    @Test("One that was not begun does nothing at all")
    func notBegun() async throws {
        let world = try ProcessorWorld()
        let processor = try world.processor(world.steps("pay"))
        try await processor.start("1", Order(), after: .seconds(3600))
        try await processor.cancel("1")
        try await processor.runDue()
        #expect(try await processor.status(of: "1")?.phase == .compensated)
        #expect(world.ledger.all == [])
    }

    @Test("A worker in the middle of a step ends it, writes none of it, and undoes it, also where failures need not be")
    func duringStep() async throws {
        for isLast in [false, true] {
            let world = try ProcessorWorld()
            let other = try world.processor(world.steps("pay", "ship"))
            let paying = world.step("pay", compensatesFailures: false) { order, context in
                #expect(try await other.cancel("1"))
                let others = try await other.runDue()
                #expect(others == 0, "the way back does not begin beside the effect")
                order.payment = "paid"
                try context.send("paid", 1)
                return .done
            }
            let processor = try world.processor(isLast ? [paying] : [paying, world.step("ship")])
            try await processor.start("1", Order())
            try await processor.runDue()
            #expect(world.ledger.all == ["orders/1/pay", "orders/1/pay!undo"])
            let status = try #require(try await other.status(of: "1"))
            #expect(status.phase == .compensated && status.state == Order(steps: ["!pay"]))
            #expect(status.failure == "It was cancelled.")
            #expect(try await processor.relay { _ in } == 0)
        }
    }

    @Test("Between two attempts of a step whose failures had no effect, there is nothing to undo")
    func betweenAttempts() async throws {
        let world = try ProcessorWorld()
        let processor = try world.processor([
            world.step("reserve"), world.step("pay", compensatesFailures: false) { _, _ in throw Outage() },
        ])
        try await processor.start("1", Order())
        try await processor.runDue()
        try await processor.cancel("1")
        try await processor.runDue()
        #expect(world.ledger.all == ["orders/1/reserve", "orders/1/pay", "orders/1/reserve!undo"])
    }

    @Test("Where the worker dies in the middle of a step, another one goes back when the lease is over")
    func deadWorker() async throws {
        let world = try ProcessorWorld()
        let other = try world.processor(world.steps("pay"))
        let dying = FaultyDynamoDB(world.store, plan: .at(call: 2, .crashBefore).where(\.isWrite))
        try await other.start("1", Order())
        await #expect(throws: SimulatedCrash.self) { try await world.processor(world.steps("pay"), in: dying).runDue() }
        #expect(try await other.cancel("1"))
        #expect(try await other.runDue() == 0)
        world.simulation.advance(by: .seconds(61))
        #expect(try await other.runDue() == 1)
        #expect(try await other.status(of: "1")?.phase == .compensated)
        #expect(world.ledger.all == ["orders/1/pay", "orders/1/pay!undo"])
    }

    @Test("A step that succeeded, and whose record was lost or refused, is undone, also where failures need not be")
    func unrecorded() async throws {
        for fault in [Fault.crashBefore, .throttled, .notSent] {
            let world = try ProcessorWorld()
            let paying = world.step("pay", compensatesFailures: false) { _, context in
                if context.attempt > 1 { throw PatternError(.poison, "The second answer says nothing.") }
                return .done
            }
            let failing = FaultyDynamoDB(world.store, plan: .at(call: 2, fault).where(\.isWrite))
            let other = try world.processor([paying])
            try await other.start("1", Order())
            await #expect(throws: (any Error).self) { try await world.processor([paying], in: failing).runDue() }
            if fault == .crashBefore { try await other.cancel("1") }
            world.simulation.advance(by: .seconds(61))
            try await other.runDue()
            #expect(try await other.status(of: "1")?.phase == .compensated)
            #expect(world.ledger.count(of: "orders/1/pay!undo") == 1, "\(fault)")
        }
        let world = try ProcessorWorld()
        let large = world.step("pay", retry: StepRetry(attempts: 1), compensatesFailures: false) { order, _ in
            order.payment = String(repeating: "x", count: 500_000)
            return .done
        }
        let processor = try world.processor([large])
        try await processor.start("1", Order())
        try await processor.runDue()
        #expect(world.ledger.all == ["orders/1/pay", "orders/1/pay!undo"])
    }

    @Test("What was never begun is not undone: cancelled as it is put off, or after it was stuck and resumed")
    func neverBegun() async throws {
        let world = try ProcessorWorld()
        let older = try world.processor(world.steps("ship"))
        try await world.processor(world.steps("pay", "ship")).start("1", Order())
        let cancelling = Interrupted(base: world.store, number: 2) { _ = try await older.cancel("1") }
        try await world.processor(world.steps("ship"), in: cancelling).runDue()
        #expect(try await older.status(of: "1")?.phase == .compensated)

        try await world.processor(world.steps("pay", "ship")).start("2", Order())
        for _ in 0..<20 {
            try await older.runDue()
            world.simulation.advance(by: .seconds(60))
        }
        try await older.resume("2")
        try await older.cancel("2")
        try await older.runDue()
        #expect(try await older.status(of: "2")?.phase == .compensated)
        #expect(world.ledger.all == [])
    }

    @Test("A clock that is behind that of who cancels repeats no step")
    func clockBehind() async throws {
        let world = try ProcessorWorld()
        var clock = world.simulation.clock
        clock.now = { world.time(in: 3600) }
        let ahead = try Processor<Order>(
            "orders", in: PatternTable("patterns", in: world.store, clock: clock), steps: world.steps("pay"))
        let processor = try world.processor([
            world.step("pay") { _, _ in
                try await ahead.cancel("1")
                return .done
            }
        ])
        try await processor.start("1", Order())
        try await processor.runDue()
        #expect(world.ledger.all == ["orders/1/pay", "orders/1/pay!undo"])
    }

    @Test("One that is stuck on its way forward is turned back, by workers that do not know its step as well")
    func stuck() async throws {
        for isKnown in [true, false] {
            let world = try ProcessorWorld()
            let older = try world.processor(world.steps("reserve", "ship"))
            let newer = try world.processor(world.steps("reserve", "pay", "ship"))
            try await newer.start("1", Order())
            // The newer worker has time for the first step only.
            let reserving = try world.processor([
                world.step("reserve") { _, _ in
                    world.simulation.advance(by: .seconds(50))
                    return .done
                }, world.step("pay"), world.step("ship"),
            ])
            try await reserving.advance("1", until: world.time(in: 70))
            for _ in 0..<20 {
                try await older.runDue()
                world.simulation.advance(by: .seconds(60))
            }
            #expect(try await newer.stuck() == ["1"])
            #expect(try await newer.cancel("1"))
            try await (isKnown ? newer : older).runDue()
            #expect(try await newer.stuck() == [])
            #expect(try await newer.status(of: "1")?.phase == .compensated)
            #expect(world.ledger.all == ["orders/1/reserve", "orders/1/reserve!undo"])
        }
    }

    @Test(
        "Where an answer is lost, and the process is on its way back when the cancellation is tried again, it was this one"
    )
    func lostReply() async throws {
        let world = try ProcessorWorld()
        let processor = try world.processor(world.steps("pay"))
        try await processor.start("1", Order(), after: .seconds(3600))
        let interrupted = Retried(base: world.store) { try await processor.runDue() }
        #expect(try await world.processor(world.steps("pay"), in: interrupted).cancel("1", because: "Enough."))
        #expect(try await processor.status(of: "1")?.failure == "Enough.")
    }

    @Test("So it is where a worker claims in between, and only then goes back")
    func lostReplyAndClaim() async throws {
        let world = try ProcessorWorld()
        let processor = try world.processor(world.steps("pay"))
        try await processor.start("1", Order(), after: .seconds(3600))
        // The worker has claimed when the first write is made again, and goes back before the second one.
        let dying = FaultyDynamoDB(world.store, plan: .at(call: 2, .crashBefore).where(\.isWrite))
        let claiming = try world.processor(world.steps("pay"), in: dying)
        let interrupted = Retried(
            base: Interrupted(base: world.store, number: 3) {
                world.simulation.advance(by: .seconds(61))
                try await processor.runDue()
            }
        ) {
            _ = try? await claiming.runDue()
            return 0
        }
        #expect(try await world.processor(world.steps("pay"), in: interrupted).cancel("1", because: "Enough."))
        #expect(try await processor.status(of: "1")?.phase == .compensated)
    }

    /// Does something before one of the updates.
    private final class Interrupted: DynamoDBDecorator {
        let base: any DynamoDBAPI
        private let number: Int
        private let meanwhile: @Sendable () async throws -> Void
        private let updates = EffectLedger()

        init(base: any DynamoDBAPI, number: Int, _ meanwhile: @escaping @Sendable () async throws -> Void) {
            (self.base, self.number, self.meanwhile) = (base, number, meanwhile)
        }

        func updateItem(_ request: UpdateItemRequest) async throws -> UpdateItemResponse {
            updates.note("update")
            if updates.all.count == number { try await meanwhile() }
            return try await base.updateItem(request)
        }
    }

    /// Makes the first update twice, since its answer was lost, with something in between.
    private final class Retried: DynamoDBDecorator {
        let base: any DynamoDBAPI
        private let meanwhile: @Sendable () async throws -> Int
        private let updates = EffectLedger()

        init(base: any DynamoDBAPI, _ meanwhile: @escaping @Sendable () async throws -> Int) {
            (self.base, self.meanwhile) = (base, meanwhile)
        }

        func updateItem(_ request: UpdateItemRequest) async throws -> UpdateItemResponse {
            updates.note("update")
            guard updates.all.count == 1 else { return try await base.updateItem(request) }
            _ = try await base.updateItem(request)
            _ = try await meanwhile()
            do {
                return try await base.updateItem(request)
            } catch var error as AWSError {
                error.mayHaveTakenEffect = true
                throw error
            }
        }
    }

    @Test("Those under way are listed by pages, without those that ended or are stuck")
    func listed() async throws {
        let world = try ProcessorWorld()
        let processor = try world.processor(world.steps("pay"))
        for number in 0..<5 { try await processor.start("\(number)", Order(), after: .seconds(number < 2 ? 0 : 60)) }
        try await processor.runDue()
        var ids: [String] = []
        var cursor: PatternCursor?
        repeat {
            let page = try await processor.underWay(limit: 2, from: cursor)
            #expect(page.ids.count <= 2)
            ids += page.ids
            cursor = page.next
        } while cursor != nil
        #expect(ids.sorted() == ["2", "3", "4"])
    }
}
