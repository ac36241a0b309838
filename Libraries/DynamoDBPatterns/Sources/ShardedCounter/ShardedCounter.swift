/// Counters that take more writes than one item does: each is spread over several items.
///
/// ```swift
/// let likes = try ShardedCounter("likes", in: table, shards: 10)
/// try await likes.add(1, to: video)                          // one write unit; a retry may count twice
/// try await likes.add(1, to: video, request: event.id)       // four write units; counts once
/// let count = try await likes.value(of: video)               // one read unit for each shard
/// ```
///
/// One item takes 1,000 write units a second. A counter of n shards takes about n times as many.
public struct ShardedCounter: Sendable {
    /// The name in the keys of the items.
    public let name: String
    /// The table of the items, which other patterns may share.
    public let table: PatternTable
    /// Over how many items each counter is spread.
    public let shards: Int
    /// How long the request of an increment is remembered.
    public let retention: Duration

    /// Counters of one name; no request is made yet.
    ///
    /// - Parameters:
    ///   - name: The name in the keys of the items: 1 to 64 letters, digits, dots, underscores and hyphens.
    ///   - table: Where they are kept.
    ///   - shards: Over how many items each counter is spread, 1 to 100. It may be made larger at any time, and never
    ///     smaller: what the shards that are left out have counted would be missing.
    ///   - retention: How long the request of an increment is remembered: longer than it may be repeated.
    /// - Throws: `PatternError` with code `invalidArgument`.
    public init(
        _ name: String, in table: PatternTable, shards: Int = 10, retention: Duration = .seconds(15 * 86_400)
    ) throws(PatternError) {
        try PatternName.check(name, of: "a sharded counter")
        guard (1...100).contains(shards) else {
            throw PatternError(
                .invalidArgument, "The counter “\(name)” cannot have \(shards) shards.", hint: "It needs 1 to 100.")
        }
        guard retention >= .seconds(1), retention <= .seconds(10 * 366 * 86_400) else {
            throw PatternError(
                .invalidArgument, "The retention of the counter “\(name)” is not allowed.",
                hint: "It has to be from a second to ten years.")
        }
        self.name = name
        self.table = table
        self.shards = shards
        self.retention = retention
    }
}

extension ShardedCounter {
    enum Attribute {
        static let count = "count"
    }

    private static let longestRequest = 256

    /// The key of one shard; the shards of a counter are in different partitions of the table.
    func shardKey(_ shard: Int, of counter: String) -> ItemKey {
        ItemKey(partition: PatternTable.Prefix("C", name).partition("\(shard)#\(counter)"), sort: "count")
    }

    /// The key of the item that remembers a request.
    func requestKey(_ request: String, of counter: String) throws(PatternError) -> ItemKey {
        try PatternKey.check(request, of: "identity of a request", limit: Self.longestRequest)
        // The length keeps a counter and a request apart, whatever bytes they have.
        let key = "request#\(counter.utf8.count)#\(counter)#\(request)"
        return ItemKey(partition: PatternTable.Prefix("C", name).partition(key), sort: "request")
    }

    func check(_ counter: String) throws(PatternError) {
        try PatternKey.check(counter, of: "key of a counter")
    }
}
