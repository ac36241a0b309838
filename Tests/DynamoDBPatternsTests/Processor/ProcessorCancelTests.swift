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

    @Test("A worker in the middle of a step writes nothing any more, and its step is undone")
    func overtaken() async throws {
        let world = try ProcessorWorld()
        let other = try world.processor(world.steps("pay", "ship"))
        let processor = try world.processor([
            world.step("pay") { _, _ in
                try await other.cancel("1")
                return .done
            }, world.step("ship"),
        ])
        try await processor.start("1", Order())
        try await processor.runDue()
        try await other.runDue()
        #expect(world.ledger.all == ["orders/1/pay", "orders/1/pay!undo"])
        #expect(try await other.status(of: "1")?.phase == .compensated)
    }

    @Test("One that is stuck on its way forward is turned back")
    func stuck() async throws {
        let world = try ProcessorWorld()
        let older = try world.processor(world.steps("ship"))
        let newer = try world.processor(world.steps("pay", "ship"))
        try await newer.start("1", Order())
        for _ in 0..<20 {
            try await older.runDue()
            world.simulation.advance(by: .seconds(60))
        }
        #expect(try await newer.stuck() == ["1"])
        try await newer.cancel("1")
        try await newer.runDue()
        #expect(try await newer.stuck() == [])
        #expect(try await newer.status(of: "1")?.phase == .compensated)
    }

    @Test("Whatever answer is lost, a process is cancelled once, and the caller is told so")
    func lostReplies() async throws {
        for fault in [Fault.lostReplyThenRetried, .lostReply, .crashAfter] {
            let world = try ProcessorWorld()
            let faulty = FaultyDynamoDB(world.store, plan: .at(call: 1, fault))
            try await world.processor(world.steps("pay")).start("1", Order())
            let first = try? await world.processor(world.steps("pay"), in: faulty).cancel("1")
            #expect(fault != .lostReplyThenRetried || first == true)
            try await world.processor(world.steps("pay")).runDue()
            #expect(try await world.processor(world.steps("pay")).status(of: "1")?.phase == .compensated)
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
