import AWSClient
import AWSTestSupport
import DiscfgCore
import DiscfgDynamoDB
import Logging
import Synchronization
import Testing

@Suite("The table", DynamoDBFixture.isAvailable)
struct TableTests {
    private func engine(_ table: String, progress: @escaping @Sendable (String) -> Void = { _ in }) async throws
        -> DynamoDBEngine
    {
        DynamoDBEngine(
            table: table, client: try Clients.client(for: try await Ministack.shared().url),
            options: .init(progress: progress))
    }

    @Test("Making a config makes the table where it is missing, with what was asked for, and says so")
    func createMakesTable() async throws {
        let notes = Mutex<[String]>([])
        let name = "table-\(UInt64.random(in: .min ... .max))"
        let engine = try await engine(name) { note in notes.withLock { $0.append(note) } }
        let settings = ConfigSettings(store: TableThroughput.provisioned(readUnits: 4, writeUnits: 2).settings)
        let first = Commit(revision: 1, time: Timestamp(milliseconds: 1), author: "", message: "", changes: [])
        try await engine.createConfig(try ConfigName("live"), settings: settings, first: first)
        let status = try await engine.manager.status()
        #expect(status.state == "ACTIVE" && status.billing == "PROVISIONED")
        #expect(status.readUnits == 4 && status.writeUnits == 2 && status.stream != nil)
        #expect(notes.withLock { $0.first?.contains(name) } == true)
        let ttl = try await DynamoDB(try Clients.client(for: try await Ministack.shared().url))
            .describeTimeToLive(DescribeTimeToLiveRequest(tableName: name))
        #expect(ttl.timeToLiveDescription?.attributeName == "ttl")
        let record = try #require(try await engine.config(try ConfigName("live")))
        #expect(record.settings == ConfigSettings(), "the throughput is the table's, not the config's")

        let isUpdated = try await engine.updateConfig(
            record.name, settings: ConfigSettings(store: TableThroughput.onDemand.settings), replacing: record.settings)
        #expect(isUpdated)
        #expect(try await engine.manager.status().billing == "PAY_PER_REQUEST")
        try await engine.manager.destroy()
        #expect(try await !engine.manager.exists())
    }

    @Test("Without a table every call says so, and what to do")
    func missing() async throws {
        let name = "table-\(UInt64.random(in: .min ... .max))"
        let service = ConfigService(
            engine: try await engine(name), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let key = try Key(path: "/a")
        for call in [
            { _ = try await service.get(key, in: .default) },
            { _ = try await service.commit(Transaction(then: [.set(key, Value("x"))]), to: .default) },
            { _ = try await service.configs() }, { _ = try await service.info(of: .default) },
        ] as [@Sendable () async throws -> Void] {
            let error = await #expect(throws: DiscfgError.self) { try await call() }
            #expect(error?.code == .storeUnusable)
            #expect(error?.message == "There is no DynamoDB table “\(name)” in us-east-1.")
            #expect(error?.hint?.contains("discfg store init") == true)
        }
        #expect(try await !(try await engine(name)).manager.exists(), "asking must not make one")
    }

    @Test("A table that another program made is neither used as a store nor deleted")
    func foreign() async throws {
        let name = "table-\(UInt64.random(in: .min ... .max))"
        let client = try Clients.client(for: try await Ministack.shared().url)
        _ = try await DynamoDB(client).createTable(
            CreateTableRequest(
                tableName: name,
                attributeDefinitions: [AttributeDefinition(attributeName: "id", attributeType: .string)],
                keySchema: [KeySchemaElement(attributeName: "id", keyType: .hash)], billingMode: .payPerRequest))
        let manager = try await engine(name).manager
        for call in [manager.checkOwnership, manager.destroy] {
            let error = await #expect(throws: DiscfgError.self) { try await call() }
            #expect(error?.code == .storeUnusable && error?.message.contains("was not made by discfg") == true)
        }
        #expect(try await manager.exists())
    }

    @Test("A table that is protected is not deleted")
    func protected() async throws {
        let engine = try await engine("table-\(UInt64.random(in: .min ... .max))")
        try await engine.manager.make(isProtected: true)
        #expect(try await engine.manager.status().isProtected)
        await #expect(throws: DiscfgError.self) { try await engine.manager.destroy() }
        #expect(try await engine.manager.exists())
    }

    @Test("A transaction over the limit is refused with the limit in its error, before anything is read for it")
    func limits() async throws {
        let fixture = try await DynamoDBFixture()
        let service = fixture.service()
        func transaction(_ count: Int) throws -> Transaction {
            Transaction(then: try (0..<count).map { .set(try Key(path: "/k/\($0)"), Value("x")) })
        }
        #expect(try await service.commit(transaction(99), to: .default).revision == 2)
        _ = fixture.meter.take()
        let error = await #expect(throws: DiscfgError.self) {
            try await service.commit(try transaction(100), to: .default)
        }
        #expect(error?.code == .tooLarge)
        #expect(error?.message.contains("at most 99 changes") == true)
        #expect(fixture.meter.take().requests == 0)
        let large = Value(bytes: Array(repeating: 1, count: Value.maximumLength), contentType: Value.octets)
        let heavy = Transaction(then: try (0..<3).map { .set(try Key(path: "/l/\($0)"), large) })
        let tooHeavy = await #expect(throws: DiscfgError.self) { try await service.commit(heavy, to: .default) }
        #expect(tooHeavy?.code == .tooLarge && tooHeavy?.message.contains("4194304 bytes") == true)
    }
}
