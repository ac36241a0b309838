import AWSClient
import DynamoDBPatternsTesting
import Foundation
import Testing

@testable import DynamoDBPatterns

@Suite struct VersionedTableTests {
    @Test("An item is inserted, loaded, saved and deleted, and its version counts its writes")
    func roundTrip() async throws {
        let store = try MemoryDynamoDB.withAccounts()
        let table = accounts(store)
        var account = try await table.insert(Account(id: "a"))
        #expect(account.version == 1 && account.key == "a")
        account.item.entries.append("paid")
        account = try await table.save(account)
        let loaded = try #require(try await table.load("a"))
        #expect(loaded.version == 2 && account.version == 2)
        #expect(loaded.item == Account(id: "a", entries: ["paid"]))
        account.item.status = "closed"
        #expect(try await table.save(account).version == 3, "a saved item can be saved again without a load")
        #expect(store.items(in: "accounts").first?["version"] == .number("3"))
        try await table.delete(try #require(try await table.load("a")))
        #expect(try await table.load("a") == nil && store.items(in: "accounts").isEmpty)
    }

    @Test("Whoever comes second gets a conflict with the newer item, and overwrites nothing")
    func conflict() async throws {
        let table = accounts(try MemoryDynamoDB.withAccounts())
        try await table.insert(Account(id: "a"))
        var (first, second) = (try #require(try await table.load("a")), try #require(try await table.load("a")))
        first.item.entries = ["first"]
        second.item.entries = ["second"]
        try await table.save(first)
        let conflict = await #expect(throws: Conflict<Account>.self) { try await table.save(second) }
        #expect(conflict?.newer?.item.entries == ["first"] && conflict?.newer?.version == 2)
        #expect(conflict?.mayHaveTakenEffect == false && conflict?.key == "a")
        second = try #require(conflict?.newer)
        second.item.entries.append("second")
        #expect(
            try await table.save(second).item.entries == ["first", "second"], "the newer item can be saved at once")
    }

    @Test("A key that is taken is a conflict with the item that has it")
    func insertTaken() async throws {
        let table = accounts(try MemoryDynamoDB.withAccounts())
        try await table.insert(Account(id: "a", status: "first"))
        let conflict = await #expect(throws: Conflict<Account>.self) {
            try await table.insert(Account(id: "a", status: "second"))
        }
        #expect(conflict?.newer?.item.status == "first" && conflict?.mayHaveTakenEffect == false)
        #expect("\(try #require(conflict))".contains("version 1"))
    }

    @Test("What was changed is not deleted, and what was deleted cannot be deleted again")
    func deleteOutdated() async throws {
        let table = accounts(try MemoryDynamoDB.withAccounts())
        let old = try await table.insert(Account(id: "a"))
        let new = try await table.save(old)
        let changed = await #expect(throws: Conflict<Account>.self) { try await table.delete(old) }
        #expect(changed?.newer?.version == 2)
        try await table.delete(new)
        let gone = await #expect(throws: Conflict<Account>.self) { try await table.delete(new) }
        #expect(gone != nil && gone?.newer == nil && gone?.mayHaveTakenEffect == false)
    }

    @Test("ABA: an item that was deleted and inserted again is another one, at the same version too")
    func aba() async throws {
        let table = accounts(try MemoryDynamoDB.withAccounts())
        let old = try await table.insert(Account(id: "a"))
        try await table.delete(old)
        let new = try await table.insert(Account(id: "a", status: "new"))
        #expect(new.version == old.version)
        let saved = await #expect(throws: Conflict<Account>.self) { try await table.save(old) }
        #expect(saved?.newer?.item.status == "new")
        await #expect(throws: Conflict<Account>.self) { try await table.delete(old) }
        #expect(try await table.load("a")?.item.status == "new")
    }

    @Test("Phantoms: a save after a deletion makes no item")
    func phantom() async throws {
        let store = try MemoryDynamoDB.withAccounts()
        let table = accounts(store)
        let account = try await table.insert(Account(id: "a"))
        try await table.delete(account)
        let conflict = await #expect(throws: Conflict<Account>.self) { try await table.save(account) }
        #expect(conflict != nil && conflict?.newer == nil)
        #expect(store.items(in: "accounts").isEmpty)
    }

    @Test("Global tables: a condition sees its own region only, so that both regions' writes succeed and one is lost")
    func regions() async throws {
        let (here, there) = (try MemoryDynamoDB.withAccounts(), try MemoryDynamoDB.withAccounts())
        let item = try await accounts(here).insert(Account(id: "a"))
        // Replication is later than both writes.
        _ = try await there.putItem(
            PutItemRequest(tableName: "accounts", item: try #require(here.items(in: "accounts").first)))
        let (ours, theirs) = (try await accounts(here).save(item), try await accounts(there).save(item))
        #expect(ours.version == theirs.version && ours.stamp != theirs.stamp)
    }

    @Test("An item's key cannot be changed, and its type cannot use the names of the version and the stamp")
    func refusals() async throws {
        let store = try MemoryDynamoDB.withAccounts()
        let table = accounts(store)
        var account = try await table.insert(Account(id: "a"))
        account.item.id = "b"
        let changed = await #expect(throws: PatternError.self) { try await table.save(account) }
        #expect(changed?.code == .invalidArgument && changed?.message.contains("key") == true)
        struct Clash: Codable { var id: String, stamp: String }
        let clash = await #expect(throws: PatternError.self) {
            try await VersionedTable<Clash>("accounts", in: store, key: .init(partition: "id"))
                .insert(Clash(id: "c", stamp: "x"))
        }
        #expect(clash?.code == .invalidArgument && clash?.message.contains("“stamp”") == true)
        struct Keyless: Codable { var name: String }
        let keyless = await #expect(throws: PatternError.self) {
            try await VersionedTable<Keyless>("accounts", in: store, key: .init(partition: "id"))
                .insert(Keyless(name: "x"))
        }
        #expect(keyless?.code == .invalidArgument)
        await #expect(throws: PatternError.self) { try await table.load(PrimaryKey("a", "b")) }
        #expect(store.items(in: "accounts").count == 1)
    }

    @Test("The writer's time never goes back, whatever the clocks")
    func modified() async throws {
        let store = try MemoryDynamoDB.withAccounts()
        let (late, early) = [2_000_000, 1_000_000].map { milliseconds in
            accounts(
                store, clock: PatternClock(now: { Date(milliseconds: milliseconds) }),
                attributes: .init(modified: "modified"))
        }.pair
        #expect(try await late.insert(Account(id: "a")).modified?.milliseconds == 2_000_000)
        let saved = try await early.update("a") { $0.status = "new" }
        #expect(saved.modified?.milliseconds == 2_000_001)
        #expect(try await late.load("a")?.modified == saved.modified)
    }
}

extension Array {
    fileprivate var pair: (Element, Element) { (self[0], self[1]) }
}
