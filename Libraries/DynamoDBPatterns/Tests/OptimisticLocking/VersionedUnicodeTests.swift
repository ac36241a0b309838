import AWSClient
import DynamoDBPatternsTesting
import Testing

@testable import DynamoDBPatterns

/// Texts that Swift takes for equal, and DynamoDB for different ones.
@Suite struct VersionedUnicodeTests {
    private let composed = "caf\u{E9}"
    private let decomposed = "cafe\u{301}"

    @Test("A change of how a character is composed is a change")
    func change() async throws {
        let store = try MemoryDynamoDB.withAccounts()
        try await accounts(store).insert(Account(id: "a", status: composed))
        #expect(try await accounts(store).update("a") { $0.status = decomposed }.version == 2)
        let stored = try #require(store.items(in: "accounts").first?["status"]?.string)
        #expect(Array(stored.utf8) == Array(decomposed.utf8))
    }

    @Test("Keys that differ in that are two items, also within a transaction")
    func keys() async throws {
        let store = try MemoryDynamoDB.withAccounts()
        let table = accounts(store)
        #expect(PrimaryKey(composed) != PrimaryKey(decomposed))
        try await store.transact(clock: .hasty, tries: 1) {
            try $0.insert(Account(id: composed), into: table)
            try $0.insert(Account(id: decomposed), into: table)
        }
        #expect(store.items(in: "accounts").count == 2)
        var account = try #require(try await table.load(PrimaryKey(composed)))
        account.item.id = decomposed
        let error = await #expect(throws: PatternError.self) { try await table.save(account) }
        #expect(error?.code == .invalidArgument)
    }
}
