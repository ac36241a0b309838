import AWSClient
import DynamoDBPatterns
import DynamoDBPatternsTesting
import Synchronization
import Testing

@Suite("The outbox sends what was written down, in order, at least once")
struct ProcessorOutboxTests {
    private func chatty(_ world: ProcessorWorld, in api: (any DynamoDBAPI)? = nil) throws -> Processor<Order> {
        try world.processor(
            ["reserve", "pay", "ship"].map { name in
                world.step(name) { _, context in
                    try context.send(name, "\(context.process): \(name) begins")
                    try context.send(name, "\(context.process): \(name) ends")
                    return .done
                }
            }, in: api)
    }

    @Test("Messages come in the order in which they were sent, with identities that do not change")
    func order() async throws {
        let world = try ProcessorWorld()
        let processor = try chatty(world)
        try await processor.start("1", Order())
        try await processor.runDue()
        var failures = 2
        let sent = EffectLedger()
        for _ in 0..<4 {
            try await processor.relay { message in
                sent.note("\(message.id) \(message.topic) \(try message.decode(String.self))")
                if message.number == 3, failures > 0 {
                    failures -= 1
                    throw Outage()
                }
            }
            world.simulation.advance(by: .seconds(10))
        }
        let expected = [
            "orders/1/1 reserve 1: reserve begins", "orders/1/2 reserve 1: reserve ends",
            "orders/1/3 pay 1: pay begins", "orders/1/4 pay 1: pay ends",
            "orders/1/5 ship 1: ship begins", "orders/1/6 ship 1: ship ends",
        ]
        #expect(sent.all == Array(expected[0..<3]) + [expected[2]] + Array(expected[2...]))
        #expect(world.store.items(in: "patterns").count == 1, "only the process itself is left")
    }

    @Test("A message that cannot be sent holds up its own process only")
    func blocked() async throws {
        let world = try ProcessorWorld()
        let processor = try chatty(world)
        for id in ["1", "2", "3"] { try await processor.start(id, Order()) }
        try await processor.runDue()
        let sent = EffectLedger()
        let count = try await processor.relay { message in
            if message.process == "2" { throw Outage() }
            sent.note(message.id)
        }
        #expect(count == 12)
        #expect(!sent.all.contains { $0.hasPrefix("orders/2/") })
        world.simulation.advance(by: .seconds(2))
        #expect(try await processor.relay { _ in } == 6)
    }

    @Test("While one worker sends, another leaves the outbox alone, and what comes meanwhile is sent too")
    func meanwhile() async throws {
        let world = try ProcessorWorld()
        let processor = try world.processor([
            world.step("a") { _, context in
                try context.send("first", 1)
                return .wait(for: .zero)
            },
            world.step("b"),
        ])
        try await processor.start("1", Order())
        try await processor.runDue()
        let sent = EffectLedger()
        var isFirst = true
        try await processor.relay { message in
            sent.note(message.id)
            let others = try await processor.relay(of: "1") { _ in }
            #expect(others == 0)
            if isFirst { try await processor.runDue() }
            isFirst = false
        }
        #expect(sent.all == ["orders/1/1", "orders/1/2"])
        #expect(world.item("1", "outbox") == nil)
    }

    @Test("A limit, and a deadline, stop between two messages, and the rest follows")
    func limits() async throws {
        let world = try ProcessorWorld()
        let processor = try chatty(world)
        try await processor.start("1", Order())
        try await processor.runDue()
        let sent = EffectLedger()
        #expect(try await processor.relay(limit: 4) { sent.note($0.id) } == 4)
        let slow = try await processor.relay(until: world.time(in: 5)) { message in
            sent.note(message.id)
            world.simulation.advance(by: .seconds(5))
        }
        #expect(slow == 1)
        #expect(try await processor.relay { sent.note($0.id) } == 1)
        #expect(sent.all == (1...6).map { "orders/1/\($0)" })
    }

    @Test("A relay that is slow keeps its hold, and one that lost it stops")
    func slowRelay() async throws {
        let world = try ProcessorWorld()
        let processor = try chatty(world)
        try await processor.start("1", Order())
        try await processor.runDue()
        let sent = EffectLedger()
        try await processor.relay { message in
            sent.note(message.id)
            world.simulation.advance(by: .seconds(45))
            let others = try await processor.relay(of: "1") { _ in }
            #expect(others == 0)
        }
        #expect(sent.all.count == 6)

        try await processor.start("2", Order())
        try await processor.runDue()
        var isFirst = true
        let zombie = try await processor.relay { _ in
            guard isFirst else { return }
            isFirst = false
            world.simulation.advance(by: .seconds(61))
            let others = try await processor.relay { _ in }
            #expect(others == 6)
        }
        #expect(zombie == 1)
        #expect(world.store.items(in: "patterns").count == 2)
    }

    @Test("A write that a step adds happens with its record, once, or not at all")
    func ownWrites() async throws {
        let world = try ProcessorWorld()
        let processor = try world.processor([
            world.step("book", retry: StepRetry(attempts: 2, first: .seconds(1))) { _, context in
                context.write(
                    .put(
                        .init(
                            tableName: "patterns", item: ["pk": .string("seat"), "sk": .string("1")],
                            conditionExpression: "attribute_not_exists(pk)")))
                return .done
            }
        ])
        for id in ["1", "2"] {
            try await processor.start(id, Order())
            try await processor.runDue()
            world.simulation.advance(by: .seconds(2))
            try await processor.runDue()
        }
        #expect(try await processor.status(of: "1")?.phase == .done)
        let second = try #require(try await processor.status(of: "2"))
        #expect(second.phase == .compensated)
        #expect(second.failure?.hasPrefix("conflict") == true)
    }

    @Test("A process starts in the transaction of its caller, or not at all")
    func startInTransaction() async throws {
        let world = try ProcessorWorld()
        let processor = try chatty(world)
        let start = try processor.starting("1", Order(payment: "mine"))
        _ = try await world.store.transactWriteItems(
            TransactWriteItemsRequest(transactItems: [start]), retryingContention: true)
        await #expect(throws: AWSError.self) {
            try await world.store.transactWriteItems(
                TransactWriteItemsRequest(transactItems: [try processor.starting("1", Order())]),
                retryingContention: true)
        }
        #expect(try await processor.runDue() == 1)
        #expect(try await processor.status(of: "1")?.state.payment == "mine")
    }
}
