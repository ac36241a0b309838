import AWSClient
import AWSTestSupport
import DynamoDBPatterns
import DynamoDBPatternsTesting
import Testing

@Suite(
    "Processes on a stand-in for AWS",
    .enabled(if: Ministack.skipReason == nil, Comment(rawValue: Ministack.skipReason ?? "")))
struct ProcessorMinistackTests {
    @Test("Workers that are cancelled in a step give it back over connections that a cancellation ends")
    func stops() async throws {
        let stopper = Stopper()
        let attempts = EffectLedger()
        let processor = try Processor(
            "stops", in: try await StandIn.table(),
            steps: [
                Step<Order>("pay", retry: StepRetry(attempts: 2)) { order, context in
                    attempts.note("attempt \(context.attempt)")
                    if attempts.all.count <= 3 {
                        stopper.stop()
                        try await Task.sleep(for: .seconds(3600))
                    }
                    order.steps.append("pay")
                    return .done
                }
            ], lease: .seconds(3600), logger: ProcessorWorld.logger)
        try await processor.start("1", Order())
        for _ in 1...3 { try await stopper.run { try await processor.run() }.get() }
        #expect(try await processor.advance("1"))
        #expect(try await processor.status(of: "1")?.phase == .done)
        #expect(attempts.all == Array(repeating: "attempt 1", count: 4))
    }

    @Test("Four workers carry twenty orders out, of which some are declined, and send their messages in order")
    func orders() async throws {
        let table = try await StandIn.table()
        let bank = Bank()
        let sent = EffectLedger()
        let names = ["reserve", "pay", "ship"]
        let steps = names.map { name in
            Step<Order>(name, retry: StepRetry(first: .milliseconds(1))) { order, context in
                if name == "pay", try context.signal("paid", as: Bool.self) == nil {
                    return .waitForSignal(atMost: .seconds(600))
                }
                try bank.carryOut(context)
                if context.attempt == 1, name == "ship" { throw Outage() }
                order.steps.append(name)
                order.sent.append(name)
                try context.send("news", name)
                return name == "ship" && context.process.hasSuffix("7") ? .fail("There is no ship.") : .done
            } compensation: { order, context in
                bank.undo(context)
                order.steps.append("!" + name)
                order.sent.append("!" + name)
                try context.send("news", "!" + name)
            }
        }
        let processor = try Processor("orders", in: table, steps: steps)
        let ids = (0..<20).map { "order-\($0)" }
        for id in ids { #expect(try await processor.start(id, Order()) == .started) }
        #expect(try await processor.start(ids[0], Order()) == .exists(.running))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for id in ids { try await processor.signal("paid", of: id) }
            }
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<200 {
                        if try await processor.runDue(limit: 5) > 0 { continue }
                        // Other tests use the stand-in as well, which takes one request at a time.
                        try await Task.sleep(for: .milliseconds(100))
                        var left = 0
                        for id in ids where try await processor.status(of: id)?.phase.isEnd != true { left += 1 }
                        if left == 0 { return }
                    }
                }
            }
            try await group.waitForAll()
        }
        while try await processor.relay({ sent.note($0.id + " " + (try $0.decode(String.self))) }) > 0 {}
        for id in ids {
            let status = try #require(try await processor.status(of: id))
            let deliveries = status.state.sent.enumerated().map { (id, Int64($0 + 1), $1) }
            let laws = ProcessLaws(steps: names, bank: bank, deliveries: deliveries)
            #expect(laws.broken(by: id, status) == nil)
            #expect(status.phase == (id.hasSuffix("7") ? .compensated : .done))
            #expect(
                sent.all.filter { $0.hasPrefix("orders/\(id)/") }
                    == status.state.sent.enumerated().map { "orders/\(id)/\($0 + 1) \($1)" })
        }
    }

    @Test("A process that is stuck is listed and resumed, and a zombie writes nothing")
    func stuckAndZombie() async throws {
        let table = try await StandIn.table()
        let broken = try Processor<Order>(
            "orders", in: table,
            steps: [
                Step("pay") { _, _ in
                    .fail("no")
                } compensation: { _, _ in
                    throw PatternError(.poison, "no way back")
                }
            ])
        try await broken.start("1", Order())
        try await broken.runDue()
        #expect(try await broken.stuck() == ["1"])
        let successor = try Processor<Order>(
            "orders", in: table,
            steps: [
                Step("pay") { order, _ in
                    .done
                } compensation: { order, _ in
                    order.payment = "successor"
                }
            ], lease: .seconds(3))
        let zombie = try Processor<Order>(
            "orders", in: table,
            steps: [
                Step("pay") { order, _ in
                    .done
                } compensation: { order, context in
                    order.payment = "zombie"
                    try await Task.sleep(for: .milliseconds(3100))
                    try await successor.advance("1")
                }
            ], lease: .seconds(3))
        try await broken.resume("1")
        #expect(try await zombie.advance("1"))
        let status = try #require(try await broken.status(of: "1"))
        #expect(status.phase == .compensated)
        #expect(status.state.payment == "successor")
        #expect(try await broken.stuck() == [])
    }
}
