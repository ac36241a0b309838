import AWSClient
import DynamoDBPatternsTesting
import Testing

@testable import DynamoDBPatterns

/// Each fault at each call; the message is delivered again until it is handled, and twice after that.
@Suite struct IdempotencyFaultTests {
    private struct Failure: Error {}

    @Test(
        "Handled calls: one answer, and the writes exactly once, whatever happens to which two calls",
        arguments: [false, true])
    func handling(failsFirst: Bool) async throws {
        let runs = try await FaultSweep.run(depth: 2) { run in
            let world = try PatternWorld()
            let outside = Journal()
            var answers: [Receipt] = []
            for _ in 1...3 {
                let answer = try await run.deliver(to: world.store) { api in
                    try await Self.persistently(world) {
                        try await IdempotentHandler<Receipt>(
                            "payments", in: world.table(api), logger: ProcessorWorld.logger
                        ).handle("7", payload: "p") {
                            outside.write($0.idempotencyKey)
                            if failsFirst, outside.entries.count == 1 { throw Failure() }
                            $0.write(PatternWorld.effect("7"))
                            return Receipt(number: outside.entries.count)
                        }.answer
                    }
                }
                answers.append(answer)
            }
            try run.check(Set(answers.map(\.number)).count == 1, "The answers were \(answers.map(\.number)).")
            let effects = PatternWorld.effects("7", in: world.store)
            try run.check(effects == 1, "The effect was written \(effects) times.")
            try run.check(Set(outside.entries) == ["payments/7"], "The keys were \(outside.entries).")
            try run.check(answers[0].number == outside.entries.count, "The handler ran after it was done.")
        }
        #expect(runs > 100)
    }

    @Test("Handlers without writes: one answer, whatever happens to which two calls")
    func withoutWrites() async throws {
        try await FaultSweep.run(depth: 2) { run in
            let world = try PatternWorld()
            let count = CallCount()
            var answers: Set<Int> = []
            for _ in 1...3 {
                answers.insert(
                    try await run.deliver(to: world.store) { api in
                        try await Self.persistently(world) {
                            try await IdempotentHandler<Receipt>(
                                "payments", in: world.table(api), logger: ProcessorWorld.logger
                            ).handle("7") { _ in
                                Receipt(number: count.next())
                            }.answer.number
                        }
                    })
            }
            try run.check(answers == [count.value], "The answers were \(answers), of \(count.value) runs.")
        }
    }

    @Test("Transactions: the change and the answer exactly once, whatever happens to which two calls")
    func transactions() async throws {
        let runs = try await FaultSweep.run(depth: 2) { run in
            let world = try PatternWorld()
            try world.store.createTable("accounts")
            for _ in 1...3 {
                let count = try await run.deliver(to: world.store) { api in
                    let handler = try IdempotentHandler<Int>(
                        "payments", in: world.table(api), logger: ProcessorWorld.logger)
                    return try await handler.transact("7", payload: "p") { transaction in
                        let accounts = accounts(api, clock: world.time.clock)
                        guard var account = try await transaction.load("x", from: accounts) else {
                            try transaction.insert(Account(id: "x", entries: ["paid"]), into: accounts)
                            return 1
                        }
                        account.item.entries.append("paid again")
                        try transaction.save(account, in: accounts)
                        return account.item.entries.count
                    }.answer
                }
                try run.check(count == 1, "The answer was \(count).")
            }
            let entries = try await accounts(world.store).load("x")?.item.entries
            try run.check(entries == ["paid"], "The account has \(entries ?? []).")
        }
        #expect(runs > 100)
    }

    /// Tries again after a failure of the handler, and after the claim of a call that crashed is over.
    private static func persistently<Value>(
        _ world: PatternWorld, _ body: () async throws -> Value
    ) async throws -> Value {
        for _ in 1...5 {
            do {
                return try await body()
            } catch is Failure {
            } catch let error as PatternError where error.code == .busy {
                world.time.advance(by: .seconds(61))
            }
        }
        throw InvariantViolation("The key is busy for ever.")
    }
}
