import AWSClient
import DynamoDBPatternsTesting
import Synchronization

@testable import DynamoDBPatterns

struct Click: Codable, Sendable, Equatable {
    var page: String
}

struct Visit: Codable, Sendable, Equatable {
    var pages: [String] = []
}

extension PatternWorld {
    func clicks(
        _ needed: Int = 3, storage: AggregateStorage = .inHead, in api: (any DynamoDBAPI)? = nil
    ) throws -> Aggregator<Click, NoValue> {
        try Aggregators.clicks(needed, storage: storage, in: table(api))
    }

    func visits(
        until page: String = "checkout", storage: AggregateStorage = .inHead, in api: (any DynamoDBAPI)? = nil
    ) throws -> Aggregator<Click, Visit> {
        try Aggregators.visits(until: page, storage: storage, in: table(api))
    }

    func head(_ set: String, of name: String = "clicks") -> [String: AttributeValue]? {
        Aggregators.head(set, of: name, in: store)
    }

    func state(_ set: String, of name: String = "clicks") -> String? { head(set, of: name)?["state"]?.string }
}

enum Aggregators {
    static func clicks(
        _ needed: Int, storage: AggregateStorage, in table: PatternTable
    ) throws -> Aggregator<Click, NoValue> {
        try Aggregator(
            "clicks", in: table, rule: .count(needed), timeout: .seconds(600), lease: .seconds(30), storage: storage)
    }

    static func visits(
        until page: String, storage: AggregateStorage, in table: PatternTable
    ) throws -> Aggregator<Click, Visit> {
        try Aggregator(
            "visits", in: table,
            rule: .merging(
                into: Visit(), { $0.pages.append($1.page) }, until: { visit, _ in visit.pages.contains(page) }),
            timeout: .seconds(600), lease: .seconds(30), storage: storage)
    }

    static func head(_ set: String, of name: String, in store: MemoryDynamoDB) -> [String: AttributeValue]? {
        store.items(in: PatternWorld.tableName).first {
            $0["pk"]?.string == "A#\(name)#\(set)" && $0["sk"]?.string == "head"
        }
    }

    /// All records of the table's stream so far.
    static func records(of store: MemoryDynamoDB) async throws -> [StreamRecord] {
        guard let stream = store.streamARN(of: PatternWorld.tableName) else { return [] }
        return try await PitfallWorld.records(of: stream, in: store)
    }
}

/// What actions that run outside of DynamoDB have done.
final class Journal: Sendable {
    private let written = Mutex<[String]>([])
    var entries: [String] { written.withLock { $0 } }
    func write(_ entry: String) { written.withLock { $0.append(entry) } }
}
