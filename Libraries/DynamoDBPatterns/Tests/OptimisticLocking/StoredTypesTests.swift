import AWSClient
import DynamoDBPatternsTesting
import Foundation
import Testing

@testable import DynamoDBPatterns

/// Items that another program writes as well, with types that Swift's encoders do not write by themselves.
@Suite struct StoredTypesTests {
    struct User: Codable, Sendable, Equatable {
        struct Profile: Codable, Equatable {
            var name: String
            var badges: [String]
        }

        var id: String
        var logins: Int
        var roles: Set<String>
        var groups: [String]
        var lucky: Set<Int>
        var keys: [Data]
        var photo: Data
        var score: Double
        var profile: Profile
        var devices: [Profile]
    }

    /// Sets in the order in which DynamoDB in memory gives them back.
    static let stored: StoredItem = [
        "id": .string("a"), "logins": .number("1"), "roles": .stringSet(["admin", "writer"]),
        "groups": .stringSet(["g1", "g2"]), "lucky": .numberSet(["3", "7"]), "keys": .binarySet([[1], [2]]),
        "photo": .binary([1, 2]), "score": .number("0.1000000000000000000000000001"), "unknown": .null,
        "profile": .map(["name": .string("Ann"), "badges": .stringSet(["b"]), "newer": .numberSet(["1"])]),
        "devices": .list([
            .map(["name": .string("phone"), "badges": .stringSet(["x"]), "newer": .bool(true)]),
            .map(["name": .string("watch"), "badges": .stringSet(["y"]), "newer": .bool(true)]),
        ]),
    ]

    let store: MemoryDynamoDB
    let users: VersionedTable<User>

    init() async throws {
        store = try MemoryDynamoDB.withAccounts()
        users = VersionedTable("accounts", in: store, key: .init(partition: "id"))
        _ = try await store.putItem(PutItemRequest(tableName: "accounts", item: Self.stored))
    }

    /// What is stored, without the attributes of the table's own.
    private func item() throws -> StoredItem {
        try #require(store.items(in: "accounts").first).filter { !["version", "stamp"].contains($0.key) }
    }

    private func add(_ name: String, _ set: AttributeValue) async throws {
        _ = try await store.updateItem(
            UpdateItemRequest(
                tableName: "accounts", key: ["id": .string("a")], updateExpression: "ADD #n :v",
                expressionAttributeNames: ["#n": name], expressionAttributeValues: [":v": set]))
    }

    @Test("What was not changed stays as it was stored, so that another program can add to its sets")
    func untouched() async throws {
        try await users.update("a") { $0.logins += 1 }
        var expected = Self.stored
        expected["logins"] = .number("2")
        #expect(try item() == expected)
        try await add("roles", .stringSet(["reader"]))
        try await add("lucky", .numberSet(["8"]))
        #expect(try await users.load("a")?.item.roles == ["reader", "writer", "admin"])
    }

    @Test("A save of a save, a transaction and a conflict's newer item keep the types, too")
    func everyWrite() async throws {
        var first = try #require(try await users.load("a"))
        first.item.logins = 2
        var second = try await users.save(first)
        second.item.logins = 3
        try await users.save(second)
        try await store.transact { transaction in
            var user = try #require(try await transaction.load("a", from: users))
            user.item.logins += 1
            try transaction.save(user, in: users)
        }
        first.item.logins = 9
        let stale = first
        let conflict = await #expect(throws: Conflict<User>.self) { _ = try await users.save(stale) }
        var newer = try #require(conflict?.newer)
        newer.item.logins += 1
        try await users.save(newer)
        var expected = Self.stored
        expected["logins"] = .number("5")
        #expect(try item() == expected)
    }

    @Test("A change in a map or a list leaves the types of what is beside it")
    func nested() async throws {
        try await users.update("a") { user in
            user.profile.name = "Anne"
            user.devices[0].name = "tablet"
        }
        var expected = Self.stored
        expected["profile"] = .map([
            "name": .string("Anne"), "badges": .stringSet(["b"]), "newer": .numberSet(["1"]),
        ])
        // What a changed element of a list has beside its type may belong to another thing.
        let watch = try #require(Self.stored["devices"]?.list?[1])
        expected["devices"] = .list([.map(["name": .string("tablet"), "badges": .stringSet(["x"])]), watch])
        #expect(try item() == expected)
        try await users.update("a") { $0.devices.removeFirst() }
        #expect(try item()["devices"] == .list([watch]))
        try await users.update("a") { $0.devices.insert(.init(name: "new", badges: ["z"]), at: 0) }
        #expect(try item()["devices"]?.list?.last == watch)
    }

    @Test("A set that changed stays a set of its type, whether the member is a Set or an array")
    func changedSets() async throws {
        try await users.update("a") { user in
            user.roles = ["reader", "admin"]
            user.groups.append("g3")
            user.lucky.insert(1)
            user.keys.removeFirst()
            user.profile.badges.append("c")
            user.devices[1].badges.append("w")
        }
        let item = try item()
        #expect(item["roles"] == .stringSet(["admin", "reader"]))
        #expect(item["groups"] == .stringSet(["g1", "g2", "g3"]))
        #expect(item["lucky"] == .numberSet(["1", "3", "7"]))
        #expect(item["keys"] == .binarySet([[2]]))
        #expect(item["profile"]?.map?["badges"] == .stringSet(["b", "c"]))
        #expect(item["devices"]?.list?[1].map?["badges"] == .stringSet(["w", "y"]))
    }

    @Test("A set that became empty is left out, reads as empty, and is a set again with its next element")
    func emptied() async throws {
        try await users.update("a") { $0.roles = [] }
        #expect(try item()["roles"] == nil)
        #expect(try await users.load("a")?.item.roles == [])
        try await add("roles", .stringSet(["reader"]))
        try await users.update("a") { $0.roles.remove("reader") }
        try await users.update("a") { $0.roles.insert("admin") }
        #expect(try item()["roles"] == .stringSet(["admin"]))
        // An array could not be read again without its attribute.
        let error = await #expect(throws: PatternError.self) { try await users.update("a") { $0.groups = [] } }
        #expect(error?.code == .invalidArgument && error?.message.contains("“groups”") == true)
        let twice = await #expect(throws: PatternError.self) { try await users.update("a") { $0.groups += ["g1"] } }
        #expect(twice?.code == .invalidArgument && twice?.message.contains("“groups”") == true)
        #expect(try item()["groups"] == Self.stored["groups"])
    }

    @Test("A Set is inserted as a set, and one that is stored as a list stays one")
    func insertedSets() async throws {
        struct Tagged: Codable { var id: String, tags: Set<String>, more: Set<String> = [], times: Set<Date> = [] }
        let table = VersionedTable<Tagged>("accounts", in: store, key: .init(partition: "id"))
        try await table.insert(Tagged(id: "b", tags: ["y", "x"], times: [Date(timeIntervalSince1970: 5)]))
        let inserted = try #require(store.items(in: "accounts").first { $0["id"] == .string("b") })
        #expect(inserted["tags"] == .stringSet(["x", "y"]) && inserted["times"] == .numberSet(["5"]))
        #expect(inserted["more"] == nil)
        let list: StoredItem = ["id": .string("c"), "tags": .list([.string("y")]), "more": .list([])]
        _ = try await store.putItem(PutItemRequest(tableName: "accounts", item: list))
        try await table.update("c") { item in
            item.tags.insert("x")
            item.more.insert("z")
        }
        let changed = try #require(store.items(in: "accounts").first { $0["id"] == .string("c") })
        #expect(changed["tags"] == .list([.string("x"), .string("y")]) && changed["more"] == .list([.string("z")]))
        try await table.update("c") { $0.tags = [] }
        #expect(store.items(in: "accounts").first { $0["id"] == .string("c") }?["tags"] == .list([]))
    }

    @Test("The same elements in another order are no change of a Set")
    func sameSet() async throws {
        let before = store.usage.requests["PutItem"]
        try await users.update("a") { user in
            let roles = user.roles
            user.roles = []
            for role in roles.sorted() { user.roles.insert(role) }
        }
        #expect(store.usage.requests["PutItem"] == before)
    }

    @Test("A member that is an AttributeValue becomes what the caller says, another type too")
    func attributeValues() async throws {
        struct Raw: Codable { var id: String, roles: AttributeValue, groups: AttributeValue }
        let table = VersionedTable<Raw>("accounts", in: store, key: .init(partition: "id"))
        try await table.update("a") { $0.roles = .list([.string("x")]) }
        #expect(try item()["roles"] == .list([.string("x")]) && item()["groups"] == Self.stored["groups"])
    }

    @Test("A restored version has the types that it had")
    func restored() async throws {
        try store.createPatternTable("history")
        let history = try Historic("users", of: users, in: PatternTable("history", in: store))
        try await users.update("a") { $0.logins += 1 }
        for record in try await store.records(of: "accounts").dropFirst() { try await history.record(record) }
        let entry = try #require(try await history.history(of: "a").entries.first)
        try await users.update("a") { $0 = User(entry: $0) }
        try await history.restore(entry)
        var expected = Self.stored
        expected["logins"] = .number("2")
        #expect(try item() == expected)
        let current = try #require(try await users.load("a"))
        try await users.delete(current)
        try await history.restore(entry)
        #expect(try item() == expected)
    }
}

extension StoredTypesTests.User {
    /// The same user, everything else changed.
    fileprivate init(entry user: Self) {
        self.init(
            id: user.id, logins: 0, roles: [], groups: ["g"], lucky: [], keys: [Data([9])], photo: Data(), score: 1,
            profile: .init(name: "", badges: ["n"]), devices: [])
    }
}
