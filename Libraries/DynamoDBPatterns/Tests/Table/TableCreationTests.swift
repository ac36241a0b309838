import AWSClient
import AWSTestSupport
import DynamoDBPatterns
import Testing

@Suite(.enabled(if: Ministack.skipReason == nil, Comment(rawValue: Ministack.skipReason ?? "")))
struct TableCreationTests {
    struct Show: Codable, Sendable, Equatable { var id: String, free = 0 }

    let dynamoDB: DynamoDB
    let name = "made-\(UInt64.random(in: 0 ... .max))"
    let shows: VersionedTable<Show>

    init() async throws {
        dynamoDB = DynamoDB(try await StandIn.client())
        shows = VersionedTable(name, in: dynamoDB, key: .init(partition: "id"))
    }

    private func expiry() async throws -> TimeToLiveDescription? {
        try await dynamoDB.describeTimeToLive(.init(tableName: name)).timeToLiveDescription
    }

    @Test("A table of another layout is refused by name, and nothing of it is changed")
    func refused() async throws {
        try await shows.create(in: dynamoDB)
        for work in [
            { try await PatternTable.create(name, in: dynamoDB) }, { try await PatternTable.check(name, in: dynamoDB) },
        ] {
            let error = await #expect(throws: PatternError.self) { try await work() }
            #expect(error?.code == .wrongLayout && error?.message.contains("“id” (S)") == true)
        }
        #expect([nil, .disabled].contains(try await expiry()?.timeToLiveStatus))
        let other = VersionedTable<Show>(name, in: dynamoDB, key: .init(partition: "id", .number))
        let error = await #expect(throws: PatternError.self) { try await other.create(in: dynamoDB) }
        #expect(error?.code == .wrongLayout)
    }

    @Test("A table whose items expire by another attribute is refused, and keeps that")
    func otherExpiry() async throws {
        _ = try await dynamoDB.createTable(PatternTable.creation(of: name))
        _ = try await dynamoDB.updateTimeToLive(
            .init(tableName: name, timeToLiveSpecification: .init(attributeName: "expires", enabled: true)))
        let error = await #expect(throws: PatternError.self) { try await PatternTable.create(name, in: dynamoDB) }
        #expect(error?.code == .wrongLayout && error?.message.contains("“expires”") == true)
        #expect(try await expiry()?.attributeName == "expires")
    }

    @Test("A table is made, with stream and expiry, once, and checked")
    func created() async throws {
        let absent = await #expect(throws: AWSError.self) { try await PatternTable.check(name, in: dynamoDB) }
        #expect(absent?.code == .resourceNotFound && absent?.tables == [name])
        for _ in 1...2 { try await PatternTable.create(name, in: dynamoDB) }
        try await PatternTable.check(name, in: dynamoDB)
        #expect(try await expiry()?.attributeName == "ttl")
    }

    @Test("A table of your own is made in one line, and a consumer finds its stream by its name")
    func ownTable() async throws {
        for _ in 1...2 { try await shows.create(in: dynamoDB, timeToLive: "expires") }
        try await shows.check(in: dynamoDB)
        #expect(try await expiry()?.attributeName == "expires")
        try await shows.insert(Show(id: "hamlet"))
        let table = try await StandIn.table()
        let changes = Changes()
        let processor = try StreamProcessor<Show>("shows", logger: StreamFixture.silent) { await changes.add($0.new) }
        let consumer = try await StreamConsumer(processor, ofTable: name, in: dynamoDB, leases: table)
        try await consumer.step()
        await consumer.release()
        #expect(await changes.all == [Show(id: "hamlet")])
    }

    @Test("A table without a stream is said to have none")
    func noStream() async throws {
        try await shows.create(in: dynamoDB, stream: nil)
        let error = await #expect(throws: PatternError.self) { try await dynamoDB.streamARN(ofTable: name) }
        #expect(error?.code == .notFound && error?.message.contains("“\(name)”") == true)
    }

    private actor Changes {
        var all: [Show?] = []
        func add(_ show: Show?) { all.append(show) }
    }
}
