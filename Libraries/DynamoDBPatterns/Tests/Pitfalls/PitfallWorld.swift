import AWSClient
import AWSTestSupport
import DynamoDBPatterns
import DynamoDBPatternsTesting
import Synchronization
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Where a pitfall is tried; where there is no stand-in for AWS, the suites on it say so, and these run in memory only.
enum PitfallPlace: String, CustomTestStringConvertible {
    case memory, ministack

    static var all: [Self] { Ministack.skipReason == nil ? [.memory, .ministack] : [.memory] }

    var testDescription: String { rawValue }
}

/// A table of the patterns, a time that tests move, and deliveries of which many go wrong.
struct PitfallWorld: Sendable {
    let time: Simulation
    let name = "pitfalls-\(UInt64.random(in: 0 ... .max))"
    let api: any DynamoDBAPI
    let streams: any StreamsAPI
    private let stream: String
    private let deliveries = Deliveries()

    init(_ place: PitfallPlace) async throws {
        // Tokens are made of chance, and the stand-in knows those of the other tests.
        time = Simulation(seed: place == .memory ? 1 : .random(in: 0 ... .max))
        switch place {
        case .memory:
            let store = MemoryDynamoDB(clock: time.clock.now)
            try store.createPatternTable(name)
            (api, streams, stream) = (store, store, try #require(store.streamARN(of: name)))
        case .ministack:
            let client = try await StandIn.client()
            let dynamoDB = DynamoDB(client)
            try await PatternTable.create(name, in: dynamoDB)
            try await StandIn.keepExpiredItems(in: name)
            let table = try await dynamoDB.describeTable(.init(tableName: name)).table
            (api, streams, stream) = (dynamoDB, DynamoDBStreams(client), try #require(table?.latestStreamArn))
        }
    }

    var table: PatternTable { table(api) }

    func table(_ api: any DynamoDBAPI) -> PatternTable { PatternTable(name, in: api, clock: time.clock) }

    /// Does something through a DynamoDB on which calls go wrong, again and again until nothing does, as a queue or a
    /// stream delivers; between two deliveries leases run out, where they are paused.
    @discardableResult
    func deliver<Result>(pausing: Bool = true, _ body: (PatternTable) async throws -> Result) async throws -> Result {
        while true {
            let plan = FaultPlan.random(seed: deliveries.next(), percent: 25)
            do {
                return try await body(table(FaultyDynamoDB(api, plan: plan)))
            } catch let error where Fault.explains(error) {
                try #require(deliveries.count < 1000, "Nothing is ever delivered.")
                if pausing { time.advance(by: .seconds(61)) }
            }
        }
    }

    /// An effect within DynamoDB, which counts how often it was carried out.
    func effect(_ key: String) -> TransactWriteItem { PatternWorld.effect(key, in: name) }

    func effects(_ key: String) async throws -> Int {
        let request = GetItemRequest(tableName: name, key: PatternWorld.effectKey(key), consistentRead: true)
        return try await api.getItem(request).item?["times"]?.int ?? 0
    }

    /// All records of the table's stream so far.
    func records() async throws -> [StreamRecord] { try await Self.records(of: stream, in: streams) }

    static func records(of stream: String, in streams: any StreamsAPI) async throws -> [StreamRecord] {
        var records: [StreamRecord] = []
        let shards = try await streams.describeStream(.init(streamArn: stream)).streamDescription?.shards
        for shard in shards ?? [] {
            let id = try #require(shard.shardId)
            var place = try await streams.getShardIterator(
                .init(streamArn: stream, shardId: id, shardIteratorType: .trimHorizon)
            ).shardIterator
            while let iterator = place {
                let page = try await streams.getRecords(.init(shardIterator: iterator))
                guard let found = page.records, !found.isEmpty else { break }
                records += found
                place = page.nextShardIterator
            }
        }
        return records
    }

    private final class Deliveries: Sendable {
        private let number = Mutex<UInt64>(0)
        var count: UInt64 { number.withLock { $0 } }

        func next() -> UInt64 {
            number.withLock {
                $0 += 1
                return $0
            }
        }
    }
}
