import AWSClient
import DynamoDBPatternsTesting
import Synchronization
import Testing

@testable import DynamoDBPatterns

@Suite struct LockingSimulationTests {
    /// Three writers, each with four entries of its own that it adds once and never again, whatever it is told; beside
    /// them somebody who deletes the account. What is deleted is kept, so that nothing can be lost unseen.
    @Sendable static func entries(
        _ simulation: Simulation, deletes: Bool, through: @escaping @Sendable (MemoryDynamoDB) -> any Store
    ) async throws {
        let store = MemoryDynamoDB(clock: simulation.clock.now, seed: simulation.seed)
        try store.createTable("accounts")
        let told = Mutex<[String]>([])
        let deleted = Mutex<[String]>([])
        for name in ["a", "b", "c"] {
            let next = CallCount()
            simulation.spawn(name, skew: simulation.duration(in: .seconds(-5)...(.seconds(5)))) { process in
                let api = process.dynamoDB(through(store), faults: .random(percent: 10))
                let table = accounts(api, clock: process.clock)
                while true {
                    let number = next.next()
                    guard number <= 4 else { break }
                    do {
                        try await table.update("x", orInsert: Account(id: "x"), tries: 50) {
                            $0.entries.append("\(name)\(number)")
                        }
                        told.withLock { $0.append("\(name)\(number)") }
                    } catch let conflict as Conflict<Account> where conflict.mayHaveTakenEffect {}
                }
            }
        }
        if deletes {
            simulation.spawn("deleter", restarts: 0) { process in
                let table = accounts(process.dynamoDB(through(store)), clock: process.clock)
                for _ in 1...3 {
                    try await process.clock.sleep(.milliseconds(Int64(process.clock.random() % 100)))
                    guard let account = try await table.load("x") else { continue }
                    do {
                        try await table.delete(account)
                        deleted.withLock { $0 += account.item.entries }
                    } catch is Conflict<Account> {}
                }
            }
        }
        try await simulation.run()
        let entries = try await (accounts(store).load("x")?.item.entries ?? []) + deleted.withLock { $0 }
        try simulation.check(Set(entries).count == entries.count, "An entry was added twice: \(entries)")
        let lost = told.withLock { $0 }.filter { !entries.contains($0) }
        try simulation.check(lost.isEmpty, "Entries were lost: \(lost), of \(entries)")
    }

    typealias Store = DynamoDBAPI & StreamsAPI

    @Test("No update is lost or made twice, whatever is lost, crashes or comes late", arguments: [false, true])
    func updates(deletes: Bool) async throws {
        try await Simulation.explore(seeds: 0..<1500) { try await Self.entries($0, deletes: deletes) { $0 } }
    }

    @Test("Broken on purpose: saves without their condition lose updates, and the simulation finds it")
    func withoutCondition() async throws {
        let failure = try await Simulation.firstFailure(seeds: 0..<200) {
            try await Self.entries($0, deletes: false) { WithoutConditions(base: $0) { $0.operation == .putItem } }
        }
        #expect(failure?.violation != nil)
    }

    @Test("Broken on purpose: saves that compare the version but not the stamp fall for ABA")
    func withoutStamp() async throws {
        let failure = try await Simulation.firstFailure(seeds: 0..<1500) {
            try await Self.entries($0, deletes: true) { WithoutStamp(base: $0) }
        }
        #expect(failure?.violation != nil)
    }

    @Test("Broken on purpose: a client that does not say that a refused write may have been its own repeats it")
    func withoutDoubt() async throws {
        let failure = try await Simulation.firstFailure(seeds: 0..<500) { simulation in
            try await Self.entries(simulation, deletes: false) { Forgetful(base: $0) }
        }
        #expect(failure?.violation?.description.contains("twice") == true)
    }

    /// Two accounts of which one at least has to stay open: each process closes one, if the other one is open.
    @Sendable static func closing(
        _ simulation: Simulation, through: @escaping @Sendable (MemoryDynamoDB) -> any Store
    ) async throws {
        let store = MemoryDynamoDB(clock: simulation.clock.now, seed: simulation.seed)
        try store.createTable("accounts")
        for id in ["a", "b"] { try await accounts(store).insert(Account(id: id)) }
        for (own, other) in [("a", "b"), ("b", "a")] {
            simulation.spawn(own) { process in
                let api = process.dynamoDB(through(store), faults: .random(percent: 10))
                let table = accounts(api, clock: process.clock)
                try await api.transact(clock: process.clock, tries: 20) { transaction in
                    guard try await transaction.load(PrimaryKey(other), from: table)?.item.status == "open",
                        var account = try await transaction.load(PrimaryKey(own), from: table)
                    else { return }
                    account.item.status = "closed"
                    try transaction.save(account, in: table)
                }
            }
        }
        try await simulation.run()
        let open = store.items(in: "accounts").filter { $0["status"] == .string("open") }
        try simulation.check(open.count == 1, "\(open.count) of the accounts are open, instead of one.")
    }

    @Test("Transactions have the effect of one after the other: what was only read counts too")
    func transactions() async throws {
        try await Simulation.explore(seeds: 0..<2000) { try await Self.closing($0) { $0 } }
    }

    @Test("Broken on purpose: without the checks of what was read, both are closed")
    func withoutChecks() async throws {
        let failure = try await Simulation.firstFailure(seeds: 0..<200) {
            try await Self.closing($0) { WithoutConditions(base: $0) { $0.operation == nil } }
        }
        #expect(failure?.violation?.description.hasPrefix("0 of the accounts") == true)
    }
}

/// Compares no stamps.
private struct WithoutStamp: DynamoDBDecorator {
    let base: any DynamoDBAPI

    func putItem(_ request: PutItemRequest) async throws -> PutItemResponse {
        var request = request
        if let name = request.expressionAttributeNames?.first(where: { $0.value == "stamp" })?.key {
            request.conditionExpression = request.conditionExpression?.replacing(
                " AND \(name) = :1", with: " AND (\(name) = :1 OR attribute_exists(\(name)))")
        }
        return try await base.putItem(request)
    }
}

/// Repeats what was not answered, and forgets that it did.
private struct Forgetful: DynamoDBDecorator {
    let base: any DynamoDBAPI

    func putItem(_ request: PutItemRequest) async throws -> PutItemResponse {
        _ = try await base.putItem(request)
        // As if the first answer of some was lost.
        guard request.item["stamp"]?.string?.hasSuffix("0") == true else { return PutItemResponse() }
        return try await base.putItem(request)
    }
}
