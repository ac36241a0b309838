import AWSClient
import DynamoDBPatternsTesting
import Testing

@testable import DynamoDBPatterns

@Suite struct UniqueConstraintTests {
    let world: PatternWorld
    let emails: UniqueConstraint

    init() throws {
        world = try PatternWorld()
        try world.store.createTable("accounts")
        emails = try UniqueConstraint("accounts.email", in: world.table())
    }

    private func signUp(_ id: String, _ email: String) async throws {
        try await world.store.transact(clock: world.time.clock) { transaction in
            try transaction.claim(email, for: id, in: emails)
            try transaction.insert(Account(id: id, status: email), into: accounts(world.store))
        }
    }

    @Test("A value has one owner; another one is refused by name, and nothing of its transaction is written")
    func claims() async throws {
        try await signUp("1", "ann@example.org")
        await expect(.taken) { try await signUp("2", "ann@example.org") }
        #expect(try await emails.owner(of: "ann@example.org") == "1")
        #expect(try await accounts(world.store).load("2") == nil)
        try await signUp("2", "Ann@example.org")
        #expect(try await emails.owner(of: "bob@example.org") == nil)
        // An accent in one character and in two are two values, as DynamoDB compares.
        try await signUp("3", "\u{E9}")
        try await signUp("4", "e\u{301}")
    }

    @Test("A move frees the old value, and is refused as a whole if the new one is taken")
    func moves() async throws {
        try await signUp("1", "a")
        try await signUp("2", "b")
        func move(_ old: String, _ new: String) async throws {
            try await world.store.transact(clock: world.time.clock) { transaction in
                try transaction.move(from: old, to: new, of: "1", in: emails)
                var account = try #require(try await transaction.load("1", from: accounts(world.store)))
                account.item.status = new
                try transaction.save(account, in: accounts(world.store))
            }
        }
        await expect(.taken) { try await move("a", "b") }
        #expect(try await emails.owner(of: "a") == "1")
        try await move("a", "c")
        #expect(try await emails.owner(of: "a") == nil)
        #expect(try await emails.owner(of: "c") == "1")
        try await move("c", "c")
        try await move("c", "\u{E9}")
        try await move("\u{E9}", "e\u{301}")
        #expect(try await emails.owner(of: "\u{E9}") == nil)
        #expect(try await emails.owner(of: "e\u{301}") == "1")
        #expect(try await accounts(world.store).load("1")?.item.status == "e\u{301}")
    }

    @Test("A release frees a value for others; that of another owner is refused")
    func releases() async throws {
        try await signUp("1", "a")
        await expect(.taken) {
            try await world.store.transact(clock: world.time.clock) { try $0.release("a", of: "2", in: emails) }
        }
        await expect(.taken) { try await emails.release("a", of: "2") }
        try await world.store.transact(clock: world.time.clock) { transaction in
            let account = try #require(try await transaction.load("1", from: accounts(world.store)))
            try transaction.delete(account, from: accounts(world.store))
            try transaction.release("a", of: "1", in: emails)
        }
        try await emails.release("a", of: "1")
        try await signUp("2", "a")
    }

    @Test("A conflict of the items goes before a value that is taken: the body decides again")
    func conflictFirst() async throws {
        try await signUp("1", "a")
        try await signUp("2", "b")
        var tries = 0
        try await world.store.transact(clock: world.time.clock) { transaction in
            tries += 1
            var account = try #require(try await transaction.load("1", from: accounts(world.store)))
            if tries == 1 { try await accounts(world.store).update("1") { $0.entries = ["changed"] } }
            account.item.status = tries == 1 ? "b" : "c"
            try transaction.move(from: "a", to: account.item.status, of: "1", in: emails)
            try transaction.save(account, in: accounts(world.store))
        }
        #expect(tries == 2)
        #expect(try await emails.owner(of: "c") == "1")
    }

    @Test("Writes for transactions of one's own, and what it costs")
    func costs() async throws {
        let claim = TransactWriteItemsRequest(transactItems: [try emails.claiming("a", for: "1")])
        #expect(
            try await world.cost { _ = try await world.store.transactWriteItems(claim, retryingContention: true) }
                == .init(requests: 1, written: 2))
        #expect(
            try await world.cost {
                try await world.store.transact { try $0.move(from: "a", to: "b", of: "1", in: emails) }
            } == .init(requests: 1, written: 4))
        let release = TransactWriteItemsRequest(transactItems: [try emails.releasing("b", of: "1")])
        #expect(
            try await world.cost { _ = try await world.store.transactWriteItems(release, retryingContention: true) }
                == .init(requests: 1, written: 2))
        #expect(try await world.cost { _ = try await emails.owner(of: "b") } == .init(requests: 1, read: 1))
        #expect(try await emails.owner(of: "b") == nil)
    }

    @Test("Arguments that are not allowed are refused")
    func arguments() async throws {
        await expect(.invalidArgument) { _ = try UniqueConstraint("no name", in: world.table()) }
        await expect(.invalidArgument) { _ = try emails.claiming("", for: "1") }
        await expect(.invalidArgument) { _ = try emails.claiming("a", for: "") }
        await expect(.invalidArgument) {
            try await world.store.transact { transaction in
                try transaction.claim("a", for: "1", in: emails)
                try transaction.release("a", of: "1", in: emails)
            }
        }
    }

    @Test("A refused write that was added to a transaction is a conflict, which is not tried again")
    func addedWrites() async throws {
        let refused = TransactWriteItem.conditionCheck(
            .init(
                tableName: PatternWorld.tableName, key: ["pk": .string("x"), "sk": .string("x")],
                conditionExpression: "attribute_exists(pk)"))
        var tries = 0
        await expect(.conflict) {
            try await world.store.transact(clock: world.time.clock) { transaction in
                tries += 1
                try transaction.insert(Account(id: "1"), into: accounts(world.store))
                try transaction.add(refused)
            }
        }
        #expect(tries == 1)
        await expect(.invalidArgument) {
            try await world.store.transact(clock: world.time.clock) { transaction in
                for number in 0...100 { try transaction.add(PatternWorld.effect("\(number)")) }
            }
        }
    }
}
