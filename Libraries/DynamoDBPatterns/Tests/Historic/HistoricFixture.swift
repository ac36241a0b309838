import AWSClient
import DynamoDBPatternsTesting
import Foundation
import Synchronization
import Testing

@testable import DynamoDBPatterns

/// What the tests keep a history of.
struct Document: Codable, Sendable, Equatable {
    var id = "a"
    var text: String
    var editor: String?
    var expires: Int?
}

/// A table with a stream, and its history, in memory, at a time that the test sets.
final class HistoricFixture: Sendable {
    /// Milliseconds since 1970 of second 0 of the tests.
    static let epoch: Int64 = 1_800_000_000_000
    private let time = SetTime()
    let store: MemoryDynamoDB
    let documents: VersionedTable<Document>
    let history: Historic<Document>
    private let delivered = Mutex(0)

    init(attributes: VersionAttributes = .init(), allowedSkew: Duration = .seconds(3600)) throws {
        let clock = { @Sendable [time] in Date(milliseconds: time.milliseconds) }
        store = MemoryDynamoDB(clock: clock)
        try store.createTable("documents", timeToLive: "expires")
        try store.createPatternTable("history")
        documents = VersionedTable(
            "documents", in: store, key: .init(partition: "id"), attributes: attributes,
            clock: PatternClock(now: clock))
        history = try Historic(
            "documents", of: documents, in: PatternTable("history", in: store, clock: PatternClock(now: clock)),
            author: "editor", allowedSkew: allowedSkew)
    }

    /// The moment a number of seconds after the beginning.
    static func second(_ seconds: Double) -> Date { Date(milliseconds: epoch + Int64(seconds * 1000)) }

    /// Sets the time to so many seconds after the beginning.
    func at(_ seconds: Double) { time.milliseconds = Self.epoch + Int64(seconds * 1000) }

    /// A history through another DynamoDB.
    func history(through api: any DynamoDBAPI) throws -> Historic<Document> {
        let source = VersionedTable<Document>(
            "documents", in: api, key: documents.key, attributes: documents.attributes, clock: documents.clock)
        return try Historic(
            "documents", of: source, in: PatternTable("history", in: api, clock: .hasty), author: "editor")
    }

    /// The documents, written by somebody whose clock is ahead.
    func documents(ahead seconds: Double) -> VersionedTable<Document> {
        VersionedTable(
            "documents", in: store, key: documents.key, attributes: documents.attributes,
            clock: PatternClock(now: { [documents] in documents.clock.now().addingTimeInterval(seconds) }))
    }

    /// Records what was not recorded yet.
    func deliver() async throws {
        let records = try await store.records(of: "documents")
        let start = delivered.withLock { delivered in
            defer { delivered = records.count }
            return delivered
        }
        for record in records.dropFirst(start) { try await history.record(record) }
    }

    /// Loses what was not recorded yet, as a consumer does that was down for more than 24 hours.
    func lose() async throws {
        let count = try await store.records(of: "documents").count
        delivered.withLock { $0 = count }
    }

    /// What the document was at a second, in a word.
    func state(_ seconds: Double) async throws -> String {
        switch try await history.item("a", at: Self.second(seconds)) {
        case .found(let document, let version): "\(version) \(document.text)"
        case .deleted(let when, let by):
            "deleted at \((when.milliseconds - Self.epoch) / 1000)" + (by.map { " by \($0)" } ?? "")
        case .didNotExistYet: "not yet"
        case .unknown(let gap): "unknown \(gap.after)-\(gap.before.map(String.init) ?? "")"
        }
    }
}

/// A time that is set.
private final class SetTime: Sendable {
    private let value = Mutex(HistoricFixture.epoch)

    var milliseconds: Int64 {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}

extension MemoryDynamoDB {
    /// All records that a table's stream still has, parents before children.
    func records(of table: String) async throws -> [StreamRecord] {
        try await PitfallWorld.records(of: try #require(streamARN(of: table)), in: self)
    }
}
