import AWSClient
import DynamoDBPatternsTesting
import Foundation
import Testing

@testable import DynamoDBPatterns

@Suite struct LostReplyTests {
    @Test("A write that is made again after its answer was lost is recognised as one's own")
    func ownWrites() async throws {
        let store = try MemoryDynamoDB.withAccounts()
        let table = accounts(FaultyDynamoDB(store, plan: .random(percent: 100, faults: [.lostReplyThenRetried])))
        var account = try await table.insert(Account(id: "a"))
        account.item.status = "new"
        account = try await table.save(account)
        #expect(account.version == 2 && store.items(in: "accounts").first?["version"] == .number("2"))
        try await table.delete(account)
        #expect(store.items(in: "accounts").isEmpty)
    }

    @Test("It is recognised under the writes of others, as far as stamps remember", arguments: [1, 3, 4, 9])
    func overtaken(count: Int) async throws {
        let store = try MemoryDynamoDB.withAccounts()
        let others = accounts(store)
        let mine = try await others.insert(Account(id: "a"))
        let overtaken = Overtaken(base: store) {
            for number in 1...count { try await others.update("a") { $0.entries.append("\(number)") } }
        }
        if count < 4 {
            #expect(try await accounts(overtaken).save(mine).version == 2)
        } else {
            let conflict = await #expect(throws: Conflict<Account>.self) { try await accounts(overtaken).save(mine) }
            #expect(conflict?.mayHaveTakenEffect == true && conflict?.newer?.version == Int64(count) + 2)
        }
    }

    @Test("That an answer was lost is still told when a later try fails for another reason")
    func doubtIsKept() async throws {
        /// Carries the first write out, and answers as a client does whose second try met a transaction.
        final class Doubtful: DynamoDBDecorator {
            let base: any DynamoDBAPI
            private let calls = CallCount()
            init(base: any DynamoDBAPI) { self.base = base }

            func putItem(_ request: PutItemRequest) async throws -> PutItemResponse {
                switch calls.next() {
                case 1:
                    _ = try await base.putItem(request)
                    throw AWSError(.transactionConflict, "Somebody's transaction.", mayHaveTakenEffect: true)
                case 2: throw AWSError("ProvisionedThroughputExceededException", "Too fast.")
                default: return try await base.putItem(request)
                }
            }
        }
        let store = try MemoryDynamoDB.withAccounts()
        let account = try await accounts(store).insert(Account(id: "a"))
        let error = await #expect(throws: AWSError.self) {
            try await accounts(Doubtful(base: store)).save(account)
        }
        #expect(error?.mayHaveTakenEffect == true)
        // So an update looks, and makes the change once.
        try await accounts(Doubtful(base: store)).update("a") { $0.entries.append("once") }
        #expect(try await accounts(store).load("a")?.item.entries == ["once"])
    }

    @Test("An insertion that is made again after its answer was lost brings back nothing that was deleted meanwhile")
    func deletedInsertion() async throws {
        struct Again: DynamoDBDecorator {
            let base: any DynamoDBAPI
            let others: @Sendable () async throws -> Void
            func transactWriteItems(
                _ request: TransactWriteItemsRequest, retryingContention: Bool
            ) async throws -> TransactWriteItemsResponse {
                _ = try await base.transactWriteItems(request, retryingContention: retryingContention)
                try await others()
                return try await base.transactWriteItems(request, retryingContention: retryingContention)
            }
        }
        let store = try MemoryDynamoDB.withAccounts()
        let again = Again(base: store) {
            try await accounts(store).delete(try #require(try await accounts(store).load("a")))
        }
        try await accounts(again).insert(Account(id: "a"))
        #expect(store.items(in: "accounts").isEmpty)
    }

    @Test("A worker that pauses for an hour after a lost answer does not insert again what was deleted meanwhile")
    func pausedInsertion() async throws {
        let store = try MemoryDynamoDB.withAccounts()
        let others = accounts(store)
        let pauses = CallCount()
        let clock = PatternClock(
            now: { Date(milliseconds: 1_800_000_000_000 + Int64(pauses.value) * 3_600_000) },
            sleep: { _ in
                _ = pauses.next()
                if let account = try await others.load("a") { try await others.delete(account) }
            })
        let faulty = FaultyDynamoDB(store, plan: .at([1: .lostReply]))
        let error = await #expect(throws: AWSError.self) {
            try await accounts(faulty, clock: clock).insert(Account(id: "a"))
        }
        #expect(error?.mayHaveTakenEffect == true)
        #expect(store.usage.requests["TransactWriteItems"] == 1)
    }

    @Test("A write that never arrived, because others were faster, is a plain conflict", arguments: [1, 3])
    func neverArrived(count: Int) async throws {
        let store = try MemoryDynamoDB.withAccounts()
        let others = accounts(store)
        var mine = try await others.insert(Account(id: "a"))
        mine.item.status = "mine"
        let overtaken = Overtaken(base: store, arrives: false) {
            for number in 1...count { try await others.update("a") { $0.entries.append("\(number)") } }
        }
        let conflict = await #expect(throws: Conflict<Account>.self) { try await accounts(overtaken).save(mine) }
        #expect(conflict?.mayHaveTakenEffect == false && conflict?.newer?.item.entries.count == count)
    }

    @Test("When the item was deleted meanwhile, nobody knows, and nobody pretends")
    func deletedMeanwhile() async throws {
        let store = try MemoryDynamoDB.withAccounts()
        let others = accounts(store)
        for isInsertedAgain in [false, true] {
            let mine = try await others.insert(Account(id: "a"))
            let overtaken = Overtaken(base: store) {
                try await others.delete(try #require(try await others.load("a")))
                if isInsertedAgain { try await others.insert(Account(id: "a")) }
            }
            let conflict = await #expect(throws: Conflict<Account>.self) { try await accounts(overtaken).save(mine) }
            #expect(conflict?.mayHaveTakenEffect == true)
            #expect((conflict?.newer == nil) != isInsertedAgain)
        }
    }

    @Test(
        "An update without an answer looks whether it was made: it is made once",
        arguments: [
            Fault.lostReply, .notSent, .lostReplyThenRetried, .conflict,
        ])
    func updates(fault: Fault) async throws {
        for faults in [[2: fault], [2: fault, 4: fault]] {
            let store = try MemoryDynamoDB.withAccounts()
            try await accounts(store).insert(Account(id: "a"))
            let faulty = FaultyDynamoDB(store, plan: .at(faults))
            let updated = try await accounts(faulty, clock: .hasty).update("a") { $0.entries.append("x") }
            #expect(updated.item.entries == ["x"])
            let loaded = try #require(try await accounts(store).load("a"))
            #expect(loaded.item.entries == ["x"] && loaded.version == 2)
        }
    }

    @Test("An update of an item that was never counted is tried again when it did not arrive")
    func uncounted() async throws {
        let store = try MemoryDynamoDB.withAccounts()
        _ = try await store.putItem(
            PutItemRequest(
                tableName: "accounts", item: ["id": .string("a"), "status": .string("x"), "entries": .list([])]))
        let faulty = FaultyDynamoDB(store, plan: .at(call: 2, .notSent))
        let updated = try await accounts(faulty, clock: .hasty).update("a") { $0.entries.append("x") }
        #expect(updated.version == 1 && updated.item.entries == ["x"])
    }

    @Test("An insertion without an answer is not taken for done because somebody else's item is there")
    func othersInsertion() async throws {
        struct Unanswered: DynamoDBDecorator {
            let base: any DynamoDBAPI
            let others: @Sendable () async throws -> Void
            func transactWriteItems(
                _ request: TransactWriteItemsRequest, retryingContention: Bool
            ) async throws -> TransactWriteItemsResponse {
                try await others()
                throw AWSError(.noAnswer, "Not answered.", mayHaveTakenEffect: true)
            }
        }
        let store = try MemoryDynamoDB.withAccounts()
        let unanswered = Unanswered(base: store) {
            _ = try await accounts(store).update("a", orInsert: Account(id: "a")) { $0.status = "theirs" }
        }
        let error = await #expect(throws: AWSError.self) {
            try await accounts(unanswered, clock: .hasty).update("a", orInsert: Account(id: "a")) {
                $0.entries.append("mine")
            }
        }
        #expect(error?.mayHaveTakenEffect == true)
        #expect(try await accounts(store).load("a")?.item.entries == [])
    }

    @Test("After a lost answer no other error hides that the change may have been made")
    func doubt() async throws {
        let store = try MemoryDynamoDB.withAccounts()
        try await accounts(store).insert(Account(id: "a"))
        for faults in [[2: Fault.notSent, 4: .throttled], [2: .notSent, 3: .throttled]] {
            let faulty = FaultyDynamoDB(store, plan: .at(faults))
            let error = await #expect(throws: AWSError.self) {
                try await accounts(faulty, clock: .hasty).update("a") { $0.entries.append("x") }
            }
            #expect(error?.mayHaveTakenEffect == true)
        }
    }

    @Test("A deletion that is made again after its answer was lost is done, unless another life began")
    func deletions() async throws {
        struct Again: DynamoDBDecorator {
            let base: any DynamoDBAPI
            let others: @Sendable () async throws -> Void
            func deleteItem(_ request: DeleteItemRequest) async throws -> DeleteItemResponse {
                _ = try await base.deleteItem(request)
                try await others()
                do {
                    return try await base.deleteItem(request)
                } catch var error as AWSError {
                    error.mayHaveTakenEffect = true
                    throw error
                }
            }
        }
        let store = try MemoryDynamoDB.withAccounts()
        let table = accounts(store)
        let first = try await table.insert(Account(id: "a"))
        try await accounts(Again(base: store) {}).delete(first)
        let second = try await table.insert(Account(id: "a"))
        let conflict = await #expect(throws: Conflict<Account>.self) {
            try await accounts(Again(base: store) { try await table.insert(Account(id: "a")) }).delete(second)
        }
        #expect(conflict?.mayHaveTakenEffect == true && conflict?.newer?.version == 1)
    }
}
