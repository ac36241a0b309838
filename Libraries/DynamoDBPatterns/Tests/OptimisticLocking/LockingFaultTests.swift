import AWSClient
import DynamoDBPatternsTesting
import Testing

@testable import DynamoDBPatterns

@Suite struct LockingFaultTests {
    @Test("Whatever happens to whichever call, what is repeated until it is done is done once")
    func updates() async throws {
        let runs = try await FaultSweep.run(depth: 2) { run in
            let store = try MemoryDynamoDB.withAccounts()
            for entry in ["x", "y"] {
                try await run.deliver(to: store) { api in
                    try await accounts(api, clock: .hasty).update("a", orInsert: Account(id: "a")) { account in
                        if !account.entries.contains(entry) { account.entries.append(entry) }
                    }
                }
            }
            let account = try await accounts(store).load("a")
            try run.check(account?.item.entries == ["x", "y"], "\(account?.item.entries ?? [])")
            try run.check(account?.version == 2, "It was written \(account?.version ?? 0) times.")
        }
        #expect(runs > 100)
    }

    @Test("An update that returns was made once, and one that throws at most once, without any help of its caller")
    func answers() async throws {
        let runs = try await FaultSweep.run(depth: 2) { run in
            let store = try MemoryDynamoDB.withAccounts()
            try await accounts(store).insert(Account(id: "a"))
            var isDone = true
            do {
                let table = accounts(run.dynamoDB(store), clock: .hasty)
                try await table.update("a") { $0.entries.append("x") }
            } catch let error where Fault.explains(error) {
                isDone = false
            }
            let entries = try await accounts(store).load("a")?.item.entries ?? []
            try run.check(isDone ? entries == ["x"] : entries.count <= 1, "\(entries)")
        }
        #expect(runs > 10)
    }

    @Test("Whatever happens to whichever call, a transfer is made once, and between both or neither")
    func transactions() async throws {
        let runs = try await FaultSweep.run(depth: 2) { run in
            let store = try MemoryDynamoDB.withAccounts()
            for id in ["a", "b"] { try await accounts(store).insert(Account(id: id)) }
            try await run.deliver(to: store) { api in
                let table = accounts(api, clock: .hasty)
                try await api.transact(clock: .hasty) { transaction in
                    for id in ["a", "b"] {
                        guard var account = try await transaction.load(PrimaryKey(id), from: table),
                            !account.item.entries.contains("x")
                        else { continue }
                        account.item.entries.append("x")
                        try transaction.save(account, in: table)
                    }
                }
            }
            for id in ["a", "b"] {
                let account = try await accounts(store).load(PrimaryKey(id))
                try run.check(account?.item.entries == ["x"] && account?.version == 2, "\(id) was changed otherwise.")
            }
        }
        #expect(runs > 50)
    }
}
