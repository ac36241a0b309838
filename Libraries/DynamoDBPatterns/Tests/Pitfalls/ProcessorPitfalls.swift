import AWSClient
import DynamoDBPatterns
import DynamoDBPatternsTesting
import Testing

@Suite("Pitfalls of the processor, with workers of whose calls every fourth goes wrong")
struct ProcessorPitfalls {
    private func orders(_ steps: [Step<Order>], in table: PatternTable) throws -> Processor<Order> {
        try Processor("orders", in: table, steps: steps, lease: .seconds(60), logger: ProcessorWorld.logger)
    }

    /// A step that a bank carries out, once for each key.
    private func step(
        _ name: String, _ bank: Bank,
        _ work: @escaping @Sendable (inout Order, StepContext) async throws -> StepOutcome = { _, _ in .done }
    ) -> Step<Order> {
        Step(name, retry: StepRetry(attempts: 100, first: .seconds(1))) { order, context in
            try bank.carryOut(context)
            order.steps.append(name)
            return try await work(&order, context)
        } compensation: { order, context in
            bank.undo(context)
            order.steps.append("!" + name)
        }
    }

    /// Lets one worker after the other come, until the process has ended.
    private func end(_ steps: [Step<Order>], in world: PitfallWorld) async throws -> ProcessStatus<Order> {
        for _ in 0..<100 {
            try await world.deliver { try await orders(steps, in: $0).runDue() }
            let status = try #require(try await orders(steps, in: world.table).status(of: "1"))
            if status.phase.isEnd { return status }
            world.time.advance(by: .seconds(300))
        }
        throw PatternError(.timedOut, "The process does not end.")
    }

    @Test(
        "Crash between effect and checkpoint: each effect is carried out once by its key, in the order of the steps",
        arguments: PitfallPlace.all)
    func crashes(place: PitfallPlace) async throws {
        let world = try await PitfallWorld(place)
        let bank = Bank()
        let steps = ["reserve", "pay", "ship"].map { step($0, bank) }
        try await world.deliver { try await orders(steps, in: $0).start("1", Order()) }
        let status = try await end(steps, in: world)
        #expect(status.phase == .done && status.state.steps == ["reserve", "pay", "ship"])
        #expect(bank.events(of: "1") == ["reserve", "pay", "ship"].map { Bank.Event.done(step: $0) })
        #expect(bank.violations == [])
    }

    @Test(
        "Compensation order: what was done is undone in reverse, with the step that failed", arguments: PitfallPlace.all
    )
    func compensation(place: PitfallPlace) async throws {
        let world = try await PitfallWorld(place)
        let bank = Bank()
        let steps = [
            step("reserve", bank), step("pay", bank), step("ship", bank) { _, _ in .fail("There is no ship.") },
        ]
        try await world.deliver { try await orders(steps, in: $0).start("1", Order()) }
        let status = try await end(steps, in: world)
        #expect(status.phase == .compensated && status.failure == "There is no ship.")
        #expect(status.state.steps == ["reserve", "pay", "ship", "!ship", "!pay", "!reserve"])
        let undone = Array(bank.events(of: "1").suffix(3))
        #expect(undone == ["ship", "pay", "reserve"].map { Bank.Event.undone(step: $0) })
    }

    @Test(
        "Zombie worker: who was taken over in the middle of a step writes nothing, and sends nothing",
        arguments: PitfallPlace.all)
    func zombie(place: PitfallPlace) async throws {
        let world = try await PitfallWorld(place)
        let bank = Bank()
        let successor = try orders([step("pay", bank)], in: world.table)
        let zombie = try orders(
            [
                step("pay", bank) { order, context in
                    order.payment = "zombie"
                    try context.send("paid", "zombie")
                    context.write(world.effect("zombie"))
                    world.time.advance(by: .seconds(61))
                    try await successor.runDue()
                    return .done
                }
            ], in: world.table)
        try await zombie.start("1", Order())
        try await zombie.runDue()
        let status = try #require(try await zombie.status(of: "1"))
        #expect(status.phase == .done && status.state == Order(steps: ["pay"]))
        #expect(try await zombie.relay { _ in } == 0)
        #expect(try await world.effects("zombie") == 0)
    }

    @Test(
        "Lost wake-up: a signal that comes while the step decides to wait is not waited for",
        arguments: PitfallPlace.all)
    func signal(place: PitfallPlace) async throws {
        let world = try await PitfallWorld(place)
        let table = world.table
        let waiting = Step<Order>("pay") { order, context in
            order.payment = try context.signal("paid", as: String.self)
            if order.payment != nil { return .done }
            try await Processor<Order>("orders", in: table, steps: [Step("pay") { _, _ in .done }])
                .signal("paid", of: "1", "receipt")
            return .waitForSignal(atMost: .seconds(86_400))
        }
        let processor = try orders([waiting], in: table)
        try await processor.start("1", Order())
        try await processor.runDue()
        let status = try #require(try await processor.status(of: "1"))
        #expect(status.phase == .done && status.state.payment == "receipt")
    }

    @Test(
        "Poison: what cannot be read is set aside and listed, and the others are carried out",
        arguments: PitfallPlace.all)
    func poison(place: PitfallPlace) async throws {
        let world = try await PitfallWorld(place)
        let bank = Bank()
        let processor = try orders([step("pay", bank)], in: world.table)
        for id in ["1", "2"] { try await processor.start(id, Order()) }
        _ = try await world.api.updateItem(
            UpdateItemRequest(
                tableName: world.name, key: ["pk": .string("P#orders#2"), "sk": .string("head")],
                updateExpression: "SET #s = :s", expressionAttributeNames: ["#s": "state"],
                expressionAttributeValues: [":s": .string("no order")]))
        #expect(try await end([step("pay", bank)], in: world).phase == .done)
        #expect(try await processor.stuck() == ["2"])
    }

    @Test(
        "Outbox: messages come in order, each at least once, and none of a step that was not recorded",
        arguments: PitfallPlace.all)
    func outbox(place: PitfallPlace) async throws {
        let world = try await PitfallWorld(place)
        let bank = Bank()
        let sent = EffectLedger()
        let attempts = EffectLedger()
        let steps = ["reserve", "pay", "ship"].map { name in
            step(name, bank) { order, context in
                attempts.note(name)
                let news = "\(name) \(attempts.all.count)"
                order.sent.append(news)
                try context.send("news", news)
                if name == "pay", context.attempt == 1 { throw Outage() }
                return .done
            }
        }
        try await world.deliver { try await orders(steps, in: $0).start("1", Order()) }
        let status = try await end(steps, in: world)
        for _ in 0..<20 {
            try await world.deliver { try await orders(steps, in: $0).relay { sent.note(try $0.decode(String.self)) } }
            world.time.advance(by: .seconds(61))
        }
        let first = sent.all.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        #expect(first == status.state.sent && first.count == 3)
        #expect(attempts.all.count > 3, "at least one attempt was not recorded")
    }
}
