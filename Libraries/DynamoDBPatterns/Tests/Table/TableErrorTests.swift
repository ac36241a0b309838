import AWSClient
import DynamoDBPatternsTesting
import Foundation
import Testing

@testable import DynamoDBPatterns

@Suite struct TableErrorTests {
    private func order(_ table: PatternTable) throws -> Processor<Order> {
        try Processor("orders", in: table, steps: [Step("pay") { _, _ in .done }])
    }

    @Test("A table that is not there is named, with the operation and what makes it")
    func absentTable() async throws {
        let store = MemoryDynamoDB()
        let processor = try order(PatternTable("patterns", in: store))
        let error = await #expect(throws: AWSError.self) { try await processor.start("1", Order()) }
        #expect(error?.tables == ["patterns"] && error?.operation == "PutItem")
        #expect(error.map { "\($0)" }?.contains("“patterns”") == true)
        #expect(error?.hint?.contains("PatternTable.create") == true)
        let load = await #expect(throws: AWSError.self) { try await accounts(store).load("a") }
        #expect(load?.operation == "GetItem" && load?.hint?.contains("create(in:)") == true)
        let insert = await #expect(throws: AWSError.self) { try await accounts(store).insert(Account(id: "a")) }
        #expect(insert?.operation == "TransactWriteItems" && insert?.hint?.contains("create(in:)") == true)
    }

    @Test("A table of another layout is said to be so, whether its key differs or its index is missing")
    func otherLayout() async throws {
        let store = try MemoryDynamoDB.withAccounts()
        let processor = try order(PatternTable("accounts", in: store))
        let write = await #expect(throws: AWSError.self) { try await processor.start("secret", Order()) }
        #expect(write?.code == .validation && write?.hint?.contains("PatternTable.check") == true)
        let query = await #expect(throws: AWSError.self) { try await processor.runDue() }
        #expect(query?.operation == "Query" && query?.hint?.contains("PatternTable.check") == true)
        #expect(write.map { "\($0)" }?.contains("secret") == false)
        let other = VersionedTable<Account>("accounts", in: store, key: .init(partition: "status"))
        let load = await #expect(throws: AWSError.self) { try await other.load("a") }
        #expect(load?.hint?.contains("KeyAttributes") == true)
    }

    @Test("What the role may not do leads to the policy")
    func denied() async throws {
        let store = MemoryDynamoDB()
        try store.createPatternTable("patterns")
        let table = PatternTable("patterns", in: Forbidding(base: store))
        let error = await #expect(throws: AWSError.self) { try await order(table).status(of: "1") }
        #expect(error?.hint?.contains("policyStatement") == true)
    }

    @Test("An error of a transaction with another table has no advice about this one")
    func otherTable() async throws {
        let store = MemoryDynamoDB()
        try store.createPatternTable("patterns")
        let table = PatternTable("patterns", in: store)
        let request = TransactWriteItemsRequest(
            transactItems: ["patterns", "others"].map { name in
                .put(.init(tableName: name, item: ["pk": .string("a"), "sk": .string("a")]))
            })
        let error = await #expect(throws: AWSError.self) {
            try await table.api.transactWriteItems(request, retryingContention: false)
        }
        #expect(error?.code == .resourceNotFound && error?.tables == ["patterns", "others"] && error?.hint == nil)
    }

    @Test("An item that cannot be read is an error with the place, and without what is there")
    func corruptCause() async throws {
        struct Line: Codable { var when: Date }
        struct Legacy: Codable { var id: String, lines: [Line], colour: Colour }
        enum Colour: String, Codable { case red }
        let store = try MemoryDynamoDB.withAccounts()
        let table = VersionedTable<Legacy>("accounts", in: store, key: .init(partition: "id"))
        var item: StoredItem = [
            "id": .string("a"), "colour": .string("red"), "lines": .list([.map(["when": .string("secret")])]),
        ]
        func description() -> String {
            let error = #expect(throws: PatternError.self) { try table.versioned(item) }
            return error.map { "\($0)" } ?? ""
        }
        #expect(
            description()
                == "corrupt: An item of the table “accounts” cannot be read as Legacy."
                + " The member “lines[0].when” is not of the type Date.")
        item["lines"] = .list([])
        item["colour"] = .string("secret")
        #expect(description().hasSuffix(" The member “colour” is not what its type expects."))
        item["colour"] = nil
        #expect(description().hasSuffix(" The member “colour” is missing."))
        #expect(!description().contains("secret"))
    }

    @Test("A cause of another library is named by its type alone, one of this library in full")
    func otherCauses() {
        struct Leak: Error, CustomStringConvertible { let description = "secret" }
        let outer = PatternError(.poison, "No", hint: "Try.", cause: PatternError(.corrupt, "Inner.", cause: Leak()))
        #expect("\(outer)" == "poison: No. corrupt: Inner. The cause is of the type Leak. Try.")
    }

    @Test("An insertion of what is there says so, and a save of what changed does not")
    func insertion() async throws {
        let table = accounts(try MemoryDynamoDB.withAccounts())
        let first = try await table.insert(Account(id: "a"))
        let taken = await #expect(throws: Conflict<Account>.self) { try await table.insert(Account(id: "a")) }
        #expect(
            taken.map { "\($0)" }
                == "conflict: an item of the table “accounts” has this key already; it is at version 1.")
        try await table.save(first)
        let late = await #expect(throws: Conflict<Account>.self) { try await table.save(first) }
        #expect(late.map { "\($0)" }?.hasSuffix("is at version 2 by now.") == true)
    }

    @Test("Steps of the same name are refused by that name")
    func sameSteps() {
        let error = #expect(throws: PatternError.self) {
            try Processor<Order>(
                "orders", in: PatternTable("patterns", in: MemoryDynamoDB()),
                steps: ["a", "b", "b"].map { name in Step(name) { _, _ in .done } })
        }
        #expect(error?.message == "The processor “orders” has several steps that are called “b”.")
    }
}

/// A DynamoDB whose caller may not read.
private struct Forbidding: DynamoDBDecorator {
    let base: any DynamoDBAPI

    func getItem(_ request: GetItemRequest) async throws -> GetItemResponse {
        throw AWSError(.accessDenied, "User: a is not authorized to perform: dynamodb:GetItem")
    }
}
