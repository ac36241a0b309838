public import AWSClient
public import DynamoDBPatterns
import Synchronization
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// DynamoDB with its streams, in memory: the same rules, answers, errors and prices, without a server.
///
/// Made for tests of what is written against `DynamoDBAPI` and `StreamsAPI`. Nothing in it waits, and with the same
/// seed, clock and calls it does the same again. What DynamoDB does by itself happens when a test says so: items expire
/// with `expireItems(in:)`, shards close with `splitShards(of:)`, records are lost with `trimStream(of:)`.
///
/// A transaction without a request token is carried out each time, as by DynamoDB; it is the client that makes tokens.
public final class MemoryDynamoDB: Sendable {
    private let state: Mutex<MemoryState>

    /// A DynamoDB without tables.
    ///
    /// - Parameters:
    ///   - clock: The time, by which iterators and request tokens age and items expire.
    ///   - seed: What chance does, such as how far an index is behind.
    public init(clock: @escaping @Sendable () -> Date = { Date() }, seed: UInt64 = 0) {
        state = Mutex(MemoryState(clock: clock, seed: seed))
    }

    func locked<Result: Sendable>(_ body: @Sendable (MemoryState) throws -> Result) rethrows -> Result {
        try state.withLock { state in try body(state) }
    }
}

extension MemoryDynamoDB {
    /// Makes a table, which can be used at once.
    ///
    /// - Parameters:
    ///   - request: As for DynamoDB.
    ///   - timeToLive: The attribute that holds the seconds since 1970 after which an item expires; `nil` for none.
    ///   - streamShards: How many shards the stream has at first, where there is one.
    /// - Throws: `AWSError`, with code `resourceInUse` for a table that exists.
    public func createTable(
        _ request: CreateTableRequest, timeToLive: String? = nil, streamShards: Int = 1
    ) throws {
        try locked { try $0.createTable(request, timeToLive: timeToLive, streamShards: streamShards) }
    }

    /// Makes a table as `PatternTable` needs it.
    ///
    /// - Parameters:
    ///   - name: The table's name.
    ///   - stream: Whether it has a stream, of new and old images.
    /// - Throws: `AWSError`, with code `resourceInUse` for a table that exists.
    public func createPatternTable(_ name: String, stream: Bool = true) throws {
        try createTable(PatternTable.creation(of: name, stream: stream ? .newAndOldImages : nil), timeToLive: "ttl")
    }

    /// Creates a table as a `VersionedTable` needs it.
    ///
    /// - Parameters:
    ///   - table: Whose name and key it has; its types are those of `KeyAttributes`.
    ///   - stream: What the records of its stream hold; `nil` for no stream.
    ///   - timeToLive: The attribute that holds the seconds since 1970 after which an item expires; `nil` for none.
    /// - Throws: `AWSError`, with code `resourceInUse` for a table that exists.
    public func createTable<Item>(
        for table: VersionedTable<Item>, stream: StreamViewType? = .newAndOldImages, timeToLive: String? = nil
    ) throws {
        try createTable(table.creation(stream: stream), timeToLive: timeToLive)
    }

    /// Deletes a table with its items and its stream.
    ///
    /// - Parameter name: The table's name or ARN.
    /// - Throws: `AWSError`, with code `resourceNotFound` if there is none.
    public func deleteTable(_ name: String) throws { try locked { try $0.deleteTable(name) } }

    /// How many writes of its table an index may be behind, 0 at first.
    ///
    /// Each query or scan of an index finds any of the changes within that number, as chance has it, but those of one
    /// item in their order.
    public var indexLag: Int {
        get { locked { $0.indexLag } }
        set { locked { $0.indexLag = max(0, newValue) } }
    }

    /// All items of a table as they are now, in no particular order; none if there is no such table.
    ///
    /// It costs nothing.
    public func items(in table: String) -> [[String: AttributeValue]] {
        locked { state in
            guard let rows = try? state.table(table).rows else { return [] }
            return rows.partitions(from: nil).flatMap { rows.rows(in: $0.partition).map(\.item) }
        }
    }

    /// What the requests so far have cost, at the prices of tables that are paid by request.
    public var usage: Usage { locked { $0.usage } }

    /// Begins to count from nothing.
    public func resetUsage() { locked { $0.usage = Usage() } }

    /// What requests have cost.
    public struct Usage: Sendable, Hashable {
        /// How many requests there were, by operation, such as `PutItem`.
        public var requests: [String: Int] = [:]
        /// Units for writing, those of indexes included.
        public var writeUnits = 0.0
        /// Units for reading.
        public var readUnits = 0.0

        /// Nothing used yet.
        public init() {}
    }
}
