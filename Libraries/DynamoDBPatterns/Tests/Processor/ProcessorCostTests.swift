import DynamoDBPatterns
import DynamoDBPatternsTesting
import Testing

/// What each operation costs is a promise: the article has these numbers.
@Suite("What processes cost in requests and units")
struct ProcessorCostTests {
    /// What something costs: `1 PutItem, 2 written, 0 read`.
    private func cost(_ world: ProcessorWorld, _ work: () async throws -> Void) async throws -> String {
        world.store.resetUsage()
        try await work()
        let usage = world.store.usage
        let requests = usage.requests.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        return requests.joined(separator: ", ") + ": \(usage.writeUnits) written, \(usage.readUnits) read"
    }

    @Test("A process without messages: two units to start, three to claim, and three for each step")
    func process() async throws {
        let world = try ProcessorWorld()
        let steps = ["reserve", "pay", "ship"].map { name in
            world.step(name) { _, _ in
                world.simulation.advance(by: .seconds(1))
                return .done
            }
        }
        let processor = try world.processor(steps)
        #expect(try await cost(world) { try await processor.start("1", Order()) } == "1 PutItem: 2.0 written, 0.0 read")
        #expect(
            try await cost(world) { try await processor.runDue() }
                == "1 Query, 4 UpdateItem: 11.0 written, 0.5 read")
        #expect(try await cost(world) { try await processor.runDue() } == "1 Query: 0.0 written, 0.5 read")
        #expect(try await cost(world) { _ = try await processor.status(of: "1") } == "1 GetItem: 0.0 written, 1.0 read")
    }

    @Test("A cancellation is one request where nobody has the process, two where a worker does")
    func cancellation() async throws {
        let world = try ProcessorWorld()
        let other = try world.processor(world.steps("pay"))
        let processor = try world.processor([
            world.step("pay") { _, _ in
                let held = try await cost(world) { try await other.cancel("1") }
                #expect(held == "2 UpdateItem: 2.0 written, 0.0 read")
                return .done
            }
        ])
        for id in ["1", "2"] { try await processor.start(id, Order(), after: .seconds(id == "1" ? 0 : 60)) }
        let free = try await cost(world) { try await processor.cancel("2") }
        #expect(free == "1 UpdateItem: 3.0 written, 0.0 read")
        try await processor.advance("1")
        #expect(world.ledger.all == ["orders/1/pay", "orders/1/pay!undo"])
    }

    @Test("A signal is one request where the process waits, two where it does not")
    func signal() async throws {
        let world = try ProcessorWorld()
        let processor = try world.processor([world.step("pay") { _, _ in .waitForSignal(atMost: .seconds(60)) }])
        try await processor.start("1", Order())
        #expect(
            try await cost(world) { try await processor.signal("paid", of: "1") }
                == "2 UpdateItem: 2.0 written, 0.0 read")
        try await processor.runDue()
        world.simulation.advance(by: .seconds(1))
        #expect(
            try await cost(world) { try await processor.signal("paid", of: "1") }
                == "1 UpdateItem: 3.0 written, 0.0 read")
    }

    @Test(
        "Messages make a transaction of the record; to send them costs a claim, a read and a delete each, and the end")
    func outbox() async throws {
        let world = try ProcessorWorld()
        let processor = try world.processor([
            world.step("pay") { _, context in
                for number in 0..<10 { try context.send("news", number) }
                return .done
            }
        ])
        try await processor.start("1", Order())
        #expect(
            try await cost(world) { try await processor.runDue() }
                == "1 Query, 1 TransactWriteItems, 1 UpdateItem: 29.0 written, 0.5 read")
        world.simulation.advance(by: .seconds(1))
        #expect(
            try await cost(world) { try await processor.relay { _ in } }
                == "11 DeleteItem, 10 GetItem, 1 Query, 1 UpdateItem: 15.0 written, 10.5 read")
    }
}
