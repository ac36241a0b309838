import AWSClient
import DynamoDBPatternsTesting
import Foundation
import Testing

@testable import DynamoDBPatterns

@Suite struct VersionedItemTests {
    @Test("Attributes that the type does not know are kept, and members that became nil go")
    func otherAttributes() async throws {
        struct Note: Codable { var id: String, text: String? }
        let store = try MemoryDynamoDB.withAccounts()
        _ = try await store.putItem(
            PutItemRequest(
                tableName: "accounts",
                item: ["id": .string("a"), "text": .string("x"), "ttl": .integer(5), "tags": .stringSet(["t"])]))
        let table = VersionedTable<Note>("accounts", in: store, key: .init(partition: "id"))
        try await table.update("a") { $0.text = nil }
        let stored = try #require(store.items(in: "accounts").first)
        #expect(stored["ttl"] == .number("5") && stored["tags"] == .stringSet(["t"]))
        #expect(stored["text"] == nil && stored["version"] == .number("1"))
    }

    @Test("Items from before are taken over: without a version, or with one that something else counts")
    func takeover() async throws {
        let store = try MemoryDynamoDB.withAccounts()
        let table = accounts(store)
        for (id, version) in [("plain", nil), ("counted", AttributeValue.number("41"))] {
            var item: StoredItem = ["id": .string(id), "status": .string("old"), "entries": .list([])]
            item["version"] = version
            _ = try await store.putItem(PutItemRequest(tableName: "accounts", item: item))
            let (first, second) = (
                try #require(try await table.load(PrimaryKey(id))), try #require(try await table.load(PrimaryKey(id)))
            )
            #expect(try await table.save(first).version == (version == nil ? 1 : 42))
            await #expect(throws: Conflict<Account>.self) { try await table.save(second) }
        }
        // Nor does the first save of what was never counted make a phantom.
        _ = try await store.putItem(
            PutItemRequest(
                tableName: "accounts", item: ["id": .string("b"), "status": .string("x"), "entries": .list([])]))
        let gone = try #require(try await table.load("b"))
        _ = try await store.deleteItem(DeleteItemRequest(tableName: "accounts", key: ["id": .string("b")]))
        await #expect(throws: Conflict<Account>.self) { try await table.save(gone) }
        // Something else counts the version up and leaves the stamp.
        let mine = try #require(try await table.load("counted"))
        _ = try await store.updateItem(
            UpdateItemRequest(
                tableName: "accounts", key: ["id": .string("counted")], updateExpression: "SET version = version + :1",
                expressionAttributeValues: [":1": .integer(1)]))
        await #expect(throws: Conflict<Account>.self) { try await table.save(mine) }
    }

    @Test(
        "A version or stamp that this library did not write is said to be so",
        arguments: [
            ["version": AttributeValue.string("1")], ["version": .number("-1")],
            ["version": .number("9223372036854775807")],
            ["version": .number("1"), "stamp": .string("")], ["version": .number("1"), "stamp": .number("4")],
        ])
    func corrupt(marks: [String: AttributeValue]) throws {
        let table = accounts(MemoryDynamoDB())
        let item: StoredItem = ["id": .string("a"), "status": .string(""), "entries": .list([])]
        let error = #expect(throws: PatternError.self) { try table.versioned(item.merging(marks) { $1 }) }
        #expect(error?.code == .corrupt)
        let unreadable = #expect(throws: PatternError.self) { try table.versioned(["id": .string("a")]) }
        #expect(unreadable?.code == .corrupt && unreadable?.cause is DecodingError)
    }

    @Test("Any attributes and types are keys, and any names those of the version, reserved words too")
    func keys() async throws {
        struct Reading: Codable, Equatable { var sensor: [UInt8], at: Double, value: Int }
        let store = MemoryDynamoDB()
        try store.createTable("readings", partition: "sensor", .binary, sort: ("at", .number))
        let table = VersionedTable<Reading>(
            "readings", in: store, key: .init(partition: "sensor", sort: "at"),
            attributes: .init(version: "timestamp", stamp: "token", modified: "date"))
        try await table.insert(Reading(sensor: [1, 255], at: 10, value: 5))
        let key = PrimaryKey(.binary([1, 255]), .number("1e1"))
        #expect(try await table.update(key) { $0.value += 1 }.item.value == 6)
        let stored = try #require(store.items(in: "readings").first)
        #expect(stored["timestamp"] == .number("2") && stored["token"]?.string != nil && stored["date"]?.int64 != nil)
        #expect(key.text == "01ff|10")
    }
}
