import AWSClient
import DynamoDBPatternsTesting
import Testing

@testable import DynamoDBPatterns

@Suite struct VersionedTransactionTests {
    struct Stock: Codable, Equatable {
        var thing: String
        var count: Int
    }

    let store: MemoryDynamoDB
    let table: VersionedTable<Account>
    let stocks: VersionedTable<Stock>

    init() throws {
        store = try .withAccounts()
        try store.createTable("stocks", partition: "thing")
        table = accounts(store)
        stocks = VersionedTable("stocks", in: store, key: .init(partition: "thing"))
    }

    @Test("Items of several tables and types are written together")
    func commits() async throws {
        let old = try await table.insert(Account(id: "old"))
        try await stocks.insert(Stock(thing: "lamp", count: 3))
        let left = try await store.transact { transaction in
            var stock = try #require(try await transaction.load("lamp", from: stocks))
            stock.item.count -= 1
            let saved = try transaction.save(stock, in: stocks)
            try transaction.insert(Account(id: "new"), into: table)
            try transaction.delete(old, from: table)
            return saved
        }
        #expect(left.version == 2 && left.item.count == 2)
        #expect(try await stocks.load("lamp")?.item.count == 2)
        #expect(try await table.load("old") == nil)
        // What the transaction gave back can be saved further.
        var next = left
        next.item.count = 0
        #expect(try await stocks.save(next).version == 3)
    }

    @Test("A conflict leaves everything as it was, and says which items were in the way, with the newer ones")
    func conflict() async throws {
        let (a, b) = (try await table.insert(Account(id: "a")), try await table.insert(Account(id: "b")))
        let stock = try await stocks.insert(Stock(thing: "lamp", count: 1))
        try await table.update("b") { $0.status = "changed" }
        try await stocks.delete(stock)
        var transaction = VersionedTransaction(in: store)
        try transaction.save(a, in: table)
        try transaction.save(b, in: table)
        try transaction.check(stock, in: stocks)
        let conflict = await #expect(throws: TransactionConflict.self) { try await transaction.commit() }
        let error = try #require(conflict)
        #expect(error.failures.map(\.key) == ["b", "lamp"] && error.failures.map(\.table) == ["accounts", "stocks"])
        let ofAccounts = try error.conflicts(in: table)
        #expect(ofAccounts.count == 1 && ofAccounts[0].newer?.item.status == "changed")
        #expect(try error.conflicts(in: stocks).map { $0.newer == nil } == [true])
        #expect(try await table.load("a")?.version == 1)
        #expect("\(error)".contains("“accounts”, “stocks”"))
    }

    @Test("What was only read has to be unchanged, and what was missing still to be missing")
    func reads() async throws {
        try await table.insert(Account(id: "a"))
        for other in ["a", "missing"] {
            var transaction = VersionedTransaction(in: store)
            #expect(try await transaction.load("a", from: table) != nil)
            #expect(try await transaction.load("missing", from: table) == nil)
            try transaction.insert(Account(id: "new-\(other)"), into: table)
            try await table.update(PrimaryKey(other), orInsert: Account(id: other)) { $0.entries.append("x") }
            let conflict = await #expect(throws: TransactionConflict.self) { try await transaction.commit() }
            #expect(conflict?.failures.map(\.key) == [PrimaryKey(other)])
            if let added = try await table.load("missing") { try await table.delete(added) }
        }
        #expect(store.items(in: "accounts").count == 1)
    }

    @Test("No item is written twice, none but the loaded version, and no more than 100")
    func refusals() async throws {
        let old = try await table.insert(Account(id: "a"))
        let new = try await table.save(old)
        var transaction = VersionedTransaction(in: store)
        _ = try await transaction.load("a", from: table)
        #expect(throws: TransactionConflict.self) { try transaction.save(old, in: table) }
        try transaction.save(new, in: table)
        for write in [
            { try transaction.delete(new, from: table) }, { try transaction.insert(Account(id: "a"), into: table) },
        ] {
            #expect(throws: PatternError.self) { try write() }
        }
        for number in 1...99 { try transaction.insert(Account(id: "n\(number)"), into: table) }
        let error = #expect(throws: PatternError.self) { try transaction.insert(Account(id: "n100"), into: table) }
        #expect(error?.code == .invalidArgument)
        try await transaction.commit()
        #expect(store.items(in: "accounts").count == 100)
        try await VersionedTransaction(in: store).commit()
    }

    @Test("A transaction runs again after a conflict, with what is there by then; at last it is contention")
    func again() async throws {
        try await table.insert(Account(id: "a"))
        var runs = 0
        try await store.transact(clock: .hasty) { transaction in
            runs += 1
            var account = try #require(try await transaction.load("a", from: table))
            if runs < 3 { try await table.update("a") { $0.entries.append("other") } }
            account.item.entries.append("mine")
            try transaction.save(account, in: table)
        }
        #expect(runs == 3)
        #expect(try await table.load("a")?.item.entries == ["other", "other", "mine"])
        let error = await #expect(throws: PatternError.self) {
            try await store.transact(clock: .hasty, tries: 2) { transaction in
                let account = try #require(try await transaction.load("a", from: table))
                try await table.update("a") { $0.entries.append("other") }
                try transaction.save(account, in: table)
            }
        }
        #expect(error?.code == .contention && error?.cause is TransactionConflict)
    }

    @Test("A transaction without an answer is sent again, and carried out once", arguments: Fault.allCases)
    func lostReplies(fault: Fault) async throws {
        try await table.insert(Account(id: "a"))
        let isCrash = [.crashBefore, .crashAfter, .throttled].contains(fault)
        let faulty = FaultyDynamoDB(
            store, plan: .at([1: fault, 2: fault]).where { $0.operation == .transactWriteItems })
        do {
            try await faulty.transact(clock: .hasty) { transaction in
                var account = try #require(try await transaction.load("a", from: accounts(faulty)))
                account.item.entries.append("x")
                try transaction.save(account, in: table)
                try transaction.insert(Account(id: "b"), into: table)
            }
            #expect(!isCrash)
        } catch {
            #expect(isCrash, "\(error)")
        }
        let isDone = !isCrash || fault == .crashAfter
        #expect(try await table.load("a")?.item.entries == (isDone ? ["x"] : []))
        #expect(store.items(in: "accounts").count == (isDone ? 2 : 1))
    }

    @Test("After a lost answer no other error hides that the transaction may have been carried out")
    func doubt() async throws {
        let faulty = FaultyDynamoDB(store, plan: .at([1: .lostReply, 2: .throttled, 3: .throttled]))
        let error = await #expect(throws: AWSError.self) {
            try await faulty.transact(clock: .hasty, tries: 3) { try $0.insert(Account(id: "a"), into: table) }
        }
        #expect(error?.mayHaveTakenEffect == true)
    }
}
