import AWSClient
import DynamoDBPatterns
import DynamoDBPatternsTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("What a step asks for and DynamoDB does not take is a failed attempt of that step, and of nothing else")
struct ProcessorRefusalTests {
    /// Runs a process with this step, and one with another; both have ended then.
    private func failure(
        in api: (ProcessorWorld) -> any DynamoDBAPI = { $0.store },
        _ work: @escaping @Sendable (StepContext) throws -> Void
    ) async throws -> String? {
        let world = try ProcessorWorld()
        let processor = try world.processor(
            [
                world.step("pay", retry: StepRetry(attempts: 1)) { _, context in
                    if context.process == "1" { try work(context) }
                    return .done
                }
            ], in: api(world))
        for id in ["1", "2"] { try await processor.start(id, Order()) }
        #expect(try await processor.runDue() == 2)
        #expect(try await processor.status(of: "2")?.phase == .done)
        #expect(try await processor.status(of: "1")?.phase == .compensated)
        #expect(world.ledger.count(of: "orders/1/pay") == 1)
        return try await processor.status(of: "1")?.failure
    }

    @Test("More messages than a transaction has room for")
    func messages() async throws {
        let failure = try await failure { context in
            for number in 1...99 { try context.send("paid", number) }
        }
        #expect(failure?.contains("101 writes is too large") == true)
    }

    @Test("A write to a table that the worker's role may not touch")
    func denied() async throws {
        let failure = try await failure(in: { Denying(base: $0.store) }) { context in
            context.write(.put(.init(tableName: "others", item: ["pk": .string("1"), "sk": .string("1")])))
        }
        #expect(failure?.contains("may not") == true && failure?.contains("400 KB") == false)
    }

    @Test("What the role lacks for the processor's own table is no failure of a step, which is done later")
    func deniedOutbox() async throws {
        let world = try ProcessorWorld()
        let pay = world.step("pay", retry: StepRetry(attempts: 2)) { _, context in
            try context.send("paid", 1)
            return .done
        }
        let denied = try world.processor([pay], in: Denying(base: world.store))
        try await denied.start("1", Order())
        let error = await #expect(throws: AWSError.self) { try await denied.runDue() }
        #expect(error?.code == "AccessDeniedException")
        world.simulation.advance(by: .seconds(61))
        try await world.processor([pay]).runDue()
        #expect(try await denied.status(of: "1")?.phase == .done)
    }

    @Test("A worker outlives what it did not expect, and a cancellation that is not its own")
    func worker() async throws {
        let world = try ProcessorWorld()
        let looks = EffectLedger()
        let failing = PeriodicInterruption(base: world.store) { call, _ in
            guard call.operation == .query else { return }
            looks.note("look")
            switch looks.all.count {
            case 1: throw PatternError(.corrupt, "Who knows.")
            case 2: throw CancellationError()
            case 4: withUnsafeCurrentTask { $0?.cancel() }
            default: return
            }
        }
        let processor = try world.processor(world.steps("pay"), in: failing)
        try await processor.run()
        #expect(looks.all.count == 4)
    }

    @Test("An item that others have changed, so that it cannot be counted on or undone, is set aside")
    func tampered() async throws {
        for (name, value) in [
            ("status", AttributeValue.string("COMPENSATING")), ("version", .integer(.max - 1)),
            ("attempt", .integer(.max - 1)),
        ] {
            let world = try ProcessorWorld()
            let processor = try world.processor(world.steps("pay"))
            for id in ["1", "2"] { try await processor.start(id, Order()) }
            var item = try #require(world.item("1"))
            item[name] = value
            _ = try await world.store.putItem(PutItemRequest(tableName: "patterns", item: item))
            try await processor.runDue()
            #expect(try await processor.stuck() == ["1"], "\(name)")
            #expect(try await processor.status(of: "2")?.phase == .done)
        }
    }
}

/// Denies each transaction, as for a role that lacks a permission.
private struct Denying: DynamoDBDecorator {
    let base: any DynamoDBAPI

    func transactWriteItems(
        _ request: TransactWriteItemsRequest, retryingContention: Bool
    ) async throws -> TransactWriteItemsResponse {
        throw AWSError("AccessDeniedException", "The role may not dynamodb:PutItem.", status: 400)
    }
}
