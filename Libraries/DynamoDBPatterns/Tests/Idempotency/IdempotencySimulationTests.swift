import AWSClient
import DynamoDBPatternsTesting
import Testing

@testable import DynamoDBPatterns

@Suite struct IdempotencySimulationTests {
    typealias Store = DynamoDBAPI & StreamsAPI

    /// Three receivers of the same messages, some slower than their deadline, with crashes, lost answers and wrong clocks.
    @Sendable private static func receiving(
        _ simulation: Simulation, through: @escaping @Sendable (MemoryDynamoDB) -> any Store
    ) async throws {
        let store = MemoryDynamoDB(clock: simulation.clock.now, seed: simulation.seed)
        try store.createPatternTable(PatternWorld.tableName)
        let committing = SlowCommits(base: through(store), clock: simulation.clock)
        let answers = Journal()
        for name in ["a", "b", "c"] {
            let skew = simulation.duration(in: .seconds(-3)...(.seconds(3)))
            simulation.spawn(name, skew: skew) { process in
                let api = process.dynamoDB(committing, faults: .random(percent: 5))
                let table = PatternTable(PatternWorld.tableName, in: api, clock: process.clock)
                let handler = try IdempotentHandler<String>(
                    "calls", in: table, timeout: .seconds(10), logger: ProcessorWorld.logger)
                for message in ["m", "n"] {
                    while true {
                        do {
                            let answer = try await handler.handle(message, payload: message) { call in
                                if process.clock.random() % 4 == 0 { try await process.clock.sleep(.seconds(15)) }
                                call.write(PatternWorld.effect(message))
                                return "\(name) \(process.clock.token())"
                            }
                            answers.write("\(message): \(answer.answer)")
                            break
                        } catch let error as PatternError where [.busy, .fenced].contains(error.code) {
                            try await process.clock.sleep(.seconds(4))
                        }
                    }
                }
            }
        }
        try await simulation.run()
        for message in ["m", "n"] {
            let effects = PatternWorld.effects(message, in: store)
            try simulation.check(effects == 1, "The effect of \(message) was written \(effects) times.")
            let own = Set(answers.entries.filter { $0.hasPrefix(message) })
            try simulation.check(own.count == 1, "The answers were \(own).")
        }
    }

    @Test("Each message is handled once and has one answer, in hundreds of schedules")
    func received() async throws {
        try await Simulation.explore(seeds: 0..<600) { try await Self.receiving($0) { $0 } }
    }

    @Test(
        "Broken on purpose: without the condition of the claim or of the answer", arguments: ["until = ", "answer = "])
    func broken(update: String) async throws {
        let failure = try await Simulation.firstFailure(seeds: 0..<600) {
            try await Self.receiving($0) { store in
                WithoutConditions(base: store) {
                    $0.update.contains(update) && $0.key["pk"]?.string?.hasPrefix("I#") == true
                }
            }
        }
        #expect(failure?.violation != nil, "\(failure?.description ?? "nothing was found")")
    }

    /// Three receivers of the same messages, each of which changes an account, if asked to, and has a blind effect.
    @Sendable private static func moving(
        _ simulation: Simulation, loads: Bool = true, through: @escaping @Sendable (MemoryDynamoDB) -> any Store
    ) async throws {
        struct Spent: Error {}
        let store = MemoryDynamoDB(clock: simulation.clock.now, seed: simulation.seed)
        try store.createPatternTable(PatternWorld.tableName)
        try store.createTable("accounts")
        let committing = SlowCommits(
            base: through(store), clock: simulation.clock, key: ["pk", "sk", "id"])
        try await accounts(store).insert(Account(id: "x"))
        let handled = Journal()
        for name in ["a", "b", "c"] {
            simulation.spawn(name) { process in
                let api = process.dynamoDB(committing, faults: .random(percent: 5))
                let table = PatternTable(PatternWorld.tableName, in: api, clock: process.clock)
                let inbox = try Inbox("orders", in: table, logger: ProcessorWorld.logger)
                for message in ["m", "n"] {
                    do {
                        let isNew = try await inbox.transact(message, tries: 50) { transaction in
                            try transaction.add(PatternWorld.effect(message))
                            guard loads else { return }
                            let accounts = accounts(api, clock: process.clock)
                            guard var account = try await transaction.load("x", from: accounts),
                                !account.item.entries.contains(message)
                            else { throw Spent() }
                            account.item.entries.append(message)
                            try transaction.save(account, in: accounts)
                        }
                        if isNew { handled.write(message) }
                    } catch is Spent {
                        throw InvariantViolation("The body saw what its own message had done.")
                    }
                }
            }
        }
        try await simulation.run()
        let entries = try await accounts(store).load("x")?.item.entries ?? []
        try simulation.check(!loads || entries.sorted() == ["m", "n"], "The account has \(entries).")
        for message in ["m", "n"] {
            let effects = PatternWorld.effects(message, in: store)
            try simulation.check(effects == 1, "The effect of \(message) was written \(effects) times.")
        }
        try simulation.check(Set(handled.entries).count == handled.entries.count, "Handled: \(handled.entries).")
    }

    @Test("Transactions of an inbox: once each, and a repetition never sees its own message's effect as another's")
    func transactions() async throws {
        try await Simulation.explore(seeds: 0..<600) { try await Self.moving($0) { $0 } }
    }

    @Test("Broken on purpose: an inbox whose note is written without a condition")
    func withoutNote() async throws {
        let failure = try await Simulation.firstFailure(seeds: 0..<600) {
            try await Self.moving($0, loads: false) { store in
                WithoutConditions(base: store) { $0.key["pk"]?.string?.hasPrefix("I#") == true }
            }
        }
        #expect(failure?.violation != nil, "\(failure?.description ?? "nothing was found")")
    }
}
