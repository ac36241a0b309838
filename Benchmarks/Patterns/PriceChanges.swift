import AWSClient
import DynamoDBPatterns
import DynamoDBPatternsTesting
import Synchronization

/// A price, which is changed nine times.
struct Price: Codable, Sendable {
    var id: String
    var cents: Int
    var author: String
}

/// The stream records of prices that change, from a table in memory: the same for each way to keep them.
enum PriceChanges {
    private static let known = Mutex<[String: [StreamRecord]]>([:])

    static func source(in api: any DynamoDBAPI) -> VersionedTable<Price> {
        VersionedTable("prices", in: api, key: KeyAttributes(partition: "id"), clock: Place.clock)
    }

    /// The ten records of a price, in their order.
    static func shared(of name: String) async throws -> [StreamRecord] {
        if let records = known.withLock({ $0[name] }) { return records }
        let records = try await records(of: name)
        known.withLock { $0[name] = records }
        return records
    }

    private static func records(of name: String) async throws -> [StreamRecord] {
        let memory = MemoryDynamoDB()
        try memory.createTable(
            CreateTableRequest(
                tableName: "prices", attributeDefinitions: [.init(attributeName: "id", attributeType: .string)],
                keySchema: [.init(attributeName: "id", keyType: .hash)],
                streamSpecification: .init(streamEnabled: true, streamViewType: .newAndOldImages)))
        let prices = source(in: memory)
        var price = try await prices.insert(Price(id: name, cents: 300, author: "ann"))
        for _ in 1..<10 {
            price.item.cents += 10
            price = try await prices.save(price)
        }
        let all = Mutex<[StreamRecord]>([])
        let reader = try StreamProcessor<Price>("reader") { change in all.withLock { $0.append(change.record) } }
        var runner = EventSourceRunner(
            try EventSourceMapping(), of: memory.streamARN(of: "prices") ?? "", in: memory
        ) { event in try await reader.answer(event: event) }
        try await runner.drain()
        return all.withLock { $0 }
    }
}
