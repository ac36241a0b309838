import AWSClient
import DynamoDBPatternsTesting
import Testing

@testable import DynamoDBPatterns

@Suite struct UpdateTests {
    /// Lets somebody else write before each of the first puts.
    struct Contended: DynamoDBDecorator {
        let store: MemoryDynamoDB
        let times: Int
        let calls = CallCount()
        var base: any DynamoDBAPI { store }

        func putItem(_ request: PutItemRequest) async throws -> PutItemResponse {
            if calls.next() <= times { try await accounts(store).update("a") { $0.entries.append("other") } }
            return try await base.putItem(request)
        }
    }

    @Test("An update that meets a conflict tries the newer item at once, and reads again after each pause")
    func retries() async throws {
        let store = try MemoryDynamoDB.withAccounts()
        try await accounts(store).insert(Account(id: "a"))
        store.resetUsage()
        let contended = Contended(store: store, times: 3)
        let updated = try await accounts(contended, clock: .hasty).update("a") { $0.entries.append("mine") }
        #expect(updated.item.entries == ["other", "other", "other", "mine"] && updated.version == 5)
        // One read at first and two after pauses; and one of each by each of the three others.
        #expect(store.usage.requests == ["GetItem": 1 + 2 + 3, "PutItem": 4 + 3])
    }

    @Test("An update that loses each try ends as contention, and has changed nothing")
    func contention() async throws {
        let store = try MemoryDynamoDB.withAccounts()
        try await accounts(store).insert(Account(id: "a"))
        let table = accounts(Contended(store: store, times: .max), clock: .hasty)
        let error = await #expect(throws: PatternError.self) {
            try await table.update("a", tries: 4) { $0.entries.append("mine") }
        }
        #expect(error?.code == .contention && error?.message.contains("4 tries") == true)
        #expect(try await accounts(store).load("a")?.item.entries == Array(repeating: "other", count: 4))
    }

    @Test("The pauses between tries grow, within their bounds, by chance")
    func pauses() {
        let longest = PatternClock(random: { .max })
        let pauses = (2...30).map { Duration.conflictBackoff($0, longest) }
        #expect(zip(pauses, pauses.dropFirst()).allSatisfy { $0 <= $1 || $1 > .milliseconds(400) })
        #expect(pauses.allSatisfy { $0 < .seconds(1) } && pauses[0] < .milliseconds(40))
        #expect(Duration.conflictBackoff(5, PatternClock(random: { 0 })) == .zero)
    }

    @Test("What is not there is not found, or inserted, and then changed")
    func missing() async throws {
        let table = accounts(try MemoryDynamoDB.withAccounts())
        let error = await #expect(throws: PatternError.self) { try await table.update("a") { $0.status = "x" } }
        #expect(error?.code == .notFound)
        for version in 1...2 {
            let updated = try await table.update("a", orInsert: Account(id: "a")) { $0.entries.append("x") }
            #expect(updated.version == Int64(version) && updated.item.entries.count == version)
        }
        let other = await #expect(throws: PatternError.self) {
            try await table.update("b", orInsert: Account(id: "c")) { $0.status = "x" }
        }
        #expect(other?.code == .invalidArgument)
    }

    @Test("An update that changes nothing writes nothing, and one whose change throws neither")
    func nothing() async throws {
        struct Refused: Error {}
        let store = try MemoryDynamoDB.withAccounts()
        try await accounts(store).insert(Account(id: "a"))
        store.resetUsage()
        #expect(try await accounts(store).update("a") { $0.status = "open" }.version == 1)
        await #expect(throws: Refused.self) {
            try await accounts(store).update("a") {
                $0.status = "x"
                throw Refused()
            }
        }
        #expect(store.usage.requests == ["GetItem": 2])
    }

    @Test("Costs: a load is one read, an insertion two writes, everything else one, an update a read and a write")
    func costs() async throws {
        let store = try MemoryDynamoDB.withAccounts()
        let table = accounts(store)
        func cost(_ work: () async throws -> Void) async throws -> [Double] {
            store.resetUsage()
            try await work()
            let usage = store.usage
            return [Double(usage.requests.values.reduce(0, +)), usage.readUnits, usage.writeUnits]
        }
        #expect(try await cost { try await table.insert(Account(id: "a")) } == [1, 0, 2])
        #expect(try await cost { _ = try await table.load("a") } == [1, 1, 0])
        let old = try #require(try await table.load("a"))
        #expect(try await cost { try await table.save(old) } == [1, 0, 1])
        #expect(
            try await cost { await #expect(throws: Conflict<Account>.self) { try await table.save(old) } } == [1, 0, 1])
        #expect(try await cost { try await table.update("a") { $0.status = "x" } } == [2, 1, 1])
        let new = try #require(try await table.load("a"))
        #expect(try await cost { try await table.delete(new) } == [1, 0, 1])
        let transaction: @Sendable (inout VersionedTransaction) async throws -> Void = { transaction in
            _ = try await transaction.load("a", from: table)
            try transaction.insert(Account(id: "b"), into: table)
        }
        #expect(try await cost { try await store.transact(transaction) } == [2, 1, 4])
    }
}
