import AWSClient
import DynamoDBPatterns
import DynamoDBPatternsTesting
import Synchronization
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Workers that were away, looks that are repeated, and identities that are used again do no harm")
struct ProcessorLivesTests {
    @Test("A step that looks again has begun: a deadline that passed meanwhile undoes it, and it has its full time")
    func lookAgain() async throws {
        for isLate in [false, true] {
            let world = try ProcessorWorld()
            let signaller = try world.processor(world.steps("pay"))
            let processor = try world.processor([
                world.step("pay") { order, context in
                    #expect(context.attempt == 1)
                    #expect(context.deadline == world.time(in: 60))
                    if try context.signal("paid", as: Bool.self) != nil { return .done }
                    world.simulation.advance(by: .seconds(50))
                    try await signaller.signal("paid", of: "1")
                    return .waitForSignal(atMost: .seconds(3600))
                }
            ])
            try await processor.start("1", Order(), within: .seconds(isLate ? 50 : 100))
            try await processor.runDue()
            let status = try #require(try await processor.status(of: "1"))
            #expect(status.state.steps == (isLate ? ["!pay"] : ["pay"]))
        }
    }

    @Test("Pitfall, zombie worker: one that was away between its claim and the effect does not begin it")
    func awayBeforeEffect() async throws {
        let world = try ProcessorWorld()
        let slow = SlowAnswers(base: world.store) {
            world.simulation.advance(by: .seconds(3600))
            try await world.processor([world.step("pay") { _, _ in .fail("no") }]).runDue()
        }
        let zombie = try world.processor(world.steps("pay"), in: slow)
        try await zombie.start("1", Order())
        try await zombie.advance("1")
        #expect(world.ledger.all == ["orders/1/pay", "orders/1/pay!undo"])
    }

    @Test(
        "Where each answer takes longer than the lease, a step is put off and not begun; later it has all its attempts")
    func answersSlowerThanLease() async throws {
        let world = try ProcessorWorld()
        let slow = SlowAnswers(base: world.store, times: .max) { world.simulation.advance(by: .seconds(61)) }
        let pay = world.step("pay", retry: StepRetry(attempts: 1))
        let worker = try world.processor([pay], in: slow)
        try await worker.start("1", Order())
        for _ in 1...3 {
            world.simulation.advance(by: .seconds(3600))
            try await worker.advance("1")
        }
        #expect(world.ledger.all == [])
        let status = try #require(try await worker.status(of: "1"))
        #expect(status.phase == .running && status.lastError?.contains("lease of 60000 ms") == true)
        world.simulation.advance(by: .seconds(3600))
        try await world.processor([pay]).runDue()
        #expect(world.ledger.all == ["orders/1/pay"])
    }

    @Test("Pitfall, zombie worker: one of an earlier process with the same identity writes nothing")
    func earlierLife() async throws {
        let world = try ProcessorWorld()
        // The other one ends between its claim and its record.
        let dying = FaultyDynamoDB(world.store, plan: .at(call: 2, .crashBefore).where(\.isWrite))
        let other = try world.processor(world.steps("pay"), in: dying)
        let zombie = try world.processor([
            world.step("pay") { order, _ in
                _ = try await world.store.deleteItem(
                    DeleteItemRequest(
                        tableName: "patterns", key: ["pk": .string("P#orders#1"), "sk": .string("head")]))
                try await world.processor(world.steps("pay")).start("1", Order(payment: "other"))
                await #expect(throws: SimulatedCrash.self) { try await other.advance("1") }
                return .done
            }
        ])
        try await zombie.start("1", Order())
        try await zombie.runDue()
        let status = try #require(try await zombie.status(of: "1"))
        #expect(status.phase == .running && status.state.payment == "other")
    }

    @Test("A process that is resumed has all of its attempts again")
    func resumed() async throws {
        let world = try ProcessorWorld()
        let step = Step<Order>("pay", retry: StepRetry(attempts: 3)) { _, _ in
            .fail("no")
        } compensation: { [ledger = world.ledger] _, context in
            ledger.note("attempt \(context.attempt)")
            throw Outage()
        }
        let processor = try world.processor([step])
        try await processor.start("1", Order())
        for life in 1...2 {
            for _ in 0..<5 {
                try await processor.runDue()
                world.simulation.advance(by: .seconds(300))
            }
            #expect(try await processor.stuck() == ["1"])
            #expect(world.ledger.all == (1...life).flatMap { _ in ["attempt 1", "attempt 2", "attempt 3"] })
            try await processor.resume("1")
        }
    }

    @Test("The pauses of a message that cannot be sent grow")
    func relayPauses() async throws {
        let world = try ProcessorWorld()
        let processor = try world.processor([
            world.step("pay") { _, context in
                try context.send("paid", 1)
                return .done
            }
        ])
        try await processor.start("1", Order())
        try await processor.runDue()
        for _ in 0..<8 {
            world.simulation.advance(by: .seconds(300))
            try await processor.relay { _ in throw Outage() }
        }
        let due = try #require(world.item("1", "outbox")?["due"]?.int64)
        #expect(Double(due) / 1000 > world.time(in: 60).timeIntervalSince1970)
    }

    @Test("Messages that an expired process left are not lost to a later one with its identity")
    func messagesOfAnEarlierLife() async throws {
        let world = try ProcessorWorld()
        let processor = try world.processor([
            world.step("pay", retry: StepRetry(attempts: 9, first: .seconds(1))) { order, context in
                for part in 1...3 { try context.send("paid", "\(order.payment ?? "") \(part)") }
                return .done
            }
        ])
        try await processor.start("1", Order(payment: "first"))
        try await processor.runDue()
        #expect(try await processor.relay(limit: 1) { _ in } == 1)
        _ = try await world.store.deleteItem(
            DeleteItemRequest(tableName: "patterns", key: ["pk": .string("P#orders#1"), "sk": .string("head")]))
        try await processor.start("1", Order(payment: "second"))
        let sent = EffectLedger()
        for _ in 0..<3 {
            try await processor.runDue()
            try await processor.relay { sent.note(try $0.decode(String.self)) }
            world.simulation.advance(by: .seconds(60))
        }
        #expect(sent.all == ["first 2", "first 3", "second 1", "second 2", "second 3"])
    }
}

/// A way to DynamoDB on which something happens between the first writes and their answers.
private final class SlowAnswers: DynamoDBDecorator {
    let base: any DynamoDBAPI
    private let meanwhile: @Sendable () async throws -> Void
    private let left: Mutex<Int>

    init(base: any DynamoDBAPI, times: Int = 1, meanwhile: @escaping @Sendable () async throws -> Void) {
        self.base = base
        left = Mutex(times)
        self.meanwhile = meanwhile
    }

    func around<Answer: Sendable>(
        _ call: DynamoDBCall, _ carryOut: () async throws -> Answer
    ) async throws -> Answer {
        let answer = try await carryOut()
        guard call.operation == .updateItem,
            left.withLock({ left in
                defer { left -= left > 0 ? 1 : 0 }
                return left > 0
            })
        else { return answer }
        try await meanwhile()
        return answer
    }
}
