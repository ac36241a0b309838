import AWSClient
import DynamoDBPatternsTesting
import Testing

@testable import DynamoDBPatterns

@Suite struct UniqueFaultTests {
    typealias Store = DynamoDBAPI & StreamsAPI

    @Test("Sign-up, move and deletion: guards and items agree, whatever happens to which two calls")
    func faults() async throws {
        let runs = try await FaultSweep.run(depth: 2) { run in
            let world = try PatternWorld()
            try world.store.createTable("accounts")
            for email in ["a", "b"] {
                try await run.deliver(to: world.store) { api in
                    try await Self.name("1", email, api, world.table(api))
                }
                try Self.check(world.store)
            }
            try await run.deliver(to: world.store) { api in try await Self.name("2", "a", api, world.table(api)) }
            try await run.deliver(to: world.store) { api in try await Self.delete("1", api, world.table(api)) }
            try Self.check(world.store)
            try run.check(world.store.items(in: "accounts").count == 1, "There are other accounts.")
        }
        #expect(runs > 500)
    }

    /// Gives an account a name, which is its own or that of nobody.
    private static func name(
        _ id: String, _ name: String, _ api: any DynamoDBAPI, _ table: PatternTable
    ) async throws {
        let names = try UniqueConstraint("names", in: table)
        let accounts = accounts(api, clock: table.clock)
        try await api.transact(clock: table.clock, tries: 20) { transaction in
            guard var account = try await transaction.load(PrimaryKey(id), from: accounts) else {
                try transaction.claim(name, for: id, in: names)
                try transaction.insert(Account(id: id, status: name), into: accounts)
                return
            }
            guard account.item.status != name else { return }
            try transaction.move(from: account.item.status, to: name, of: id, in: names)
            account.item.status = name
            try transaction.save(account, in: accounts)
        }
    }

    private static func delete(_ id: String, _ api: any DynamoDBAPI, _ table: PatternTable) async throws {
        let names = try UniqueConstraint("names", in: table)
        let accounts = accounts(api, clock: table.clock)
        try await api.transact(clock: table.clock, tries: 20) { transaction in
            guard let account = try await transaction.load(PrimaryKey(id), from: accounts) else { return }
            try transaction.release(account.item.status, of: id, in: names)
            try transaction.delete(account, from: accounts)
        }
    }

    /// Each account has a guard, each guard its account, and no two accounts one name.
    private static func check(_ store: MemoryDynamoDB) throws(InvariantViolation) {
        var owners: [String: String] = [:]
        for item in store.items(in: PatternWorld.tableName) {
            owners[item["pk"]?.string ?? ""] = item["owner"]?.string
        }
        var expected: [String: String] = [:]
        for item in store.items(in: "accounts") {
            let key = "U#names#" + (item["status"]?.string ?? "")
            if expected.updateValue(item["id"]?.string ?? "", forKey: key) != nil {
                throw InvariantViolation("Two accounts have the name of \(key).")
            }
        }
        guard owners == expected else { throw InvariantViolation("The guards are \(owners), for \(expected).") }
    }

    /// Four processes that want the same few names, give them up and delete their accounts.
    @Sendable private static func naming(
        _ simulation: Simulation, through: @escaping @Sendable (MemoryDynamoDB) -> any Store
    ) async throws {
        let store = MemoryDynamoDB(clock: simulation.clock.now, seed: simulation.seed)
        try store.createPatternTable(PatternWorld.tableName)
        try store.createTable("accounts")
        let broken = through(store)
        for id in ["1", "2", "3", "4"] {
            simulation.spawn(id) { process in
                let api = process.dynamoDB(broken, faults: .random(percent: 5))
                let table = PatternTable(PatternWorld.tableName, in: api, clock: process.clock)
                for _ in 1...4 {
                    let name = ["x", "y"][Int(process.clock.random() % 2)]
                    do {
                        switch process.clock.random() % 4 {
                        case 0: try await Self.delete(id, api, table)
                        default: try await Self.name(id, name, api, table)
                        }
                    } catch let error as PatternError where error.code == .taken {}
                }
            }
        }
        try await simulation.run()
        try check(store)
    }

    @Test("No two accounts have one name, and no guard is left behind, in hundreds of schedules")
    func simulated() async throws {
        try await Simulation.explore(seeds: 0..<600) { try await Self.naming($0) { $0 } }
    }

    @Test("Broken on purpose: guards without their condition")
    func broken() async throws {
        let failure = try await Simulation.firstFailure(seeds: 0..<600) {
            try await Self.naming($0) { store in
                WithoutConditions(base: store) { $0.key["pk"]?.string?.hasPrefix("U#") == true }
            }
        }
        #expect(failure?.violation != nil, "\(failure?.description ?? "nothing was found")")
    }

    @Test("Pitfall: of many who want one value, one gets it", arguments: PitfallPlace.all)
    func many(place: PitfallPlace) async throws {
        let world = try await PitfallWorld(place)
        var owners: Set<String> = []
        for id in 1...8 {
            do {
                try await world.deliver { table in
                    let names = try UniqueConstraint("names", in: table)
                    try await table.api.transact(clock: table.clock) { try $0.claim("x", for: "\(id)", in: names) }
                }
                owners.insert("\(id)")
            } catch let error as PatternError where error.code == .taken {}
        }
        #expect(owners == ["1"])
        let names = try UniqueConstraint("names", in: world.table)
        try await world.deliver { table in try await UniqueConstraint("names", in: table).release("x", of: "1") }
        #expect(try await names.owner(of: "x") == nil)
    }
}
