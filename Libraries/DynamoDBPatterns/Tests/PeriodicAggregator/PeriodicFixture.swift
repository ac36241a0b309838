import AWSClient
import DynamoDBPatterns
import DynamoDBPatternsTesting
import Foundation
import Synchronization

/// A table in memory, a clock that moves when it is told to, and aggregators of it.
struct PeriodicFixture: Sendable {
    /// Folds the members, which are texts, into a list of them.
    typealias Aggregator = PeriodicAggregator<String, [String]>

    static let table = PatternWorld.tableName

    let time = PeriodicTime()
    let store: MemoryDynamoDB

    init() throws {
        let time = time
        store = MemoryDynamoDB(clock: { time.now })
        try store.createPatternTable(Self.table)
    }

    /// An aggregator as a process of its own has it.
    func aggregator(
        on api: (any DynamoDBAPI)? = nil, name: String = "minutes", behind: Duration = .zero,
        period: Duration = .seconds(60), skew: Duration = .seconds(10), shards: Int = 2,
        late: LateMembers = .nextBucket, pageSize: Int = 1000, duePartitions: Int = 1,
        fold: @escaping @Sendable (inout [String], String) throws -> Void = { $0.append($1) }
    ) throws -> Aggregator {
        let time = time
        let clock = PatternClock(
            now: { time.now.addingTimeInterval(-(behind / .seconds(1))) }, sleep: { time.move(by: $0) })
        return try Aggregator(
            name, in: PatternTable(Self.table, in: api ?? store, clock: clock, duePartitions: duePartitions),
            period: period, grace: .seconds(30), skew: skew, shards: shards, late: late, lease: .seconds(60),
            pageSize: pageSize, initial: [], fold: fold)
    }

    /// All that is stored of one kind, by the beginning of its sort key.
    func items(_ prefix: String) -> [[String: AttributeValue]] {
        store.items(in: Self.table).filter { $0["sk"]?.string?.hasPrefix(prefix) == true }
    }
}

/// A clock that stands still until it is moved; it begins at a full minute.
final class PeriodicTime: Sendable {
    static let start = Date(timeIntervalSince1970: 1_767_225_600)
    private let date = Mutex(start)

    var now: Date { date.withLock { $0 } }

    func move(by duration: Duration) { date.withLock { $0 += duration / .seconds(1) } }

    /// Moves to some seconds after the start, which must not be past.
    func move(to seconds: Double) { date.withLock { $0 = max($0, Self.start.addingTimeInterval(seconds)) } }

    /// Some seconds after the start.
    static func at(_ seconds: Double) -> Date { start.addingTimeInterval(seconds) }
}

/// What `finish` was called with.
final class PeriodicFinishes: Sendable {
    private let all = Mutex<[ClosedBucket<[String]>]>([])

    var closed: [ClosedBucket<[String]>] { all.withLock { $0 } }
    /// All members of all buckets.
    var members: [String] { closed.flatMap(\.partial).sorted() }

    /// Remembers a bucket.
    func finish(_ closed: ClosedBucket<[String]>) -> [TransactWriteItem] {
        all.withLock { $0.append(closed) }
        return []
    }

    /// Remembers a bucket, and counts with the write that is returned how often it is marked as done.
    func mark(_ closed: ClosedBucket<[String]>) -> [TransactWriteItem] {
        all.withLock { $0.append(closed) }
        return [PatternWorld.effect(closed.idempotencyKey)]
    }
}

/// What happened, in order.
final class PeriodicLog: Sendable {
    private let entries = Mutex<[String]>([])

    var all: [String] { entries.withLock { $0 } }

    /// Adds an entry; returns how many of the same there are now.
    @discardableResult func add(_ entry: String) -> Int {
        entries.withLock { entries in
            entries.append(entry)
            return entries.count { $0 == entry }
        }
    }
}

/// Does something before certain calls, as if others had been faster.
struct PeriodicInterruption: DynamoDBDecorator {
    let base: any DynamoDBAPI
    private let calls = PeriodicLog()
    /// Told of each call, and which one of its operation it is, from 1.
    private let interrupt: @Sendable (DynamoDBCall, Int) async throws -> Void

    init(base: any DynamoDBAPI, interrupt: @escaping @Sendable (DynamoDBCall, Int) async throws -> Void) {
        self.base = base
        self.interrupt = interrupt
    }

    func around<Answer: Sendable>(
        _ call: DynamoDBCall, _ carryOut: () async throws -> Answer
    ) async throws -> Answer {
        try await interrupt(call, calls.add(call.operation.rawValue))
        return try await carryOut()
    }
}
