import AWSClient

/// The table in which the patterns keep their items; several patterns, and several of one kind, may share it.
///
/// | part | attributes |
/// | :-- | :-- |
/// | key | `pk`, `sk`, both strings |
/// | index `due`, sparse, keys only | `duePartition` (string), `due` (number: milliseconds since 1970) |
/// | expiry | `ttl` (number: seconds since 1970) |
///
/// Each item's `pk` begins with the kind of the pattern and the name that it was given: `A#clicks#session-7`.
public struct PatternTable: Sendable {
    /// The table's name or ARN.
    public let name: String
    /// The client of DynamoDB that all patterns of this table use.
    public let api: any DynamoDBAPI
    /// The wall clock, by which things become due.
    public let clock: PatternClock
    /// Over how many partitions of the index `due` the items are spread.
    ///
    /// One carries 1,000 changes of what is due in a second; whoever looks for what is due asks once for each. To be
    /// made larger only: of partitions that are not counted any more, nothing becomes due.
    public let duePartitions: Int
    /// What the patterns of this table count and measure.
    public let metrics: PatternMetrics

    /// A table; nothing is asked yet.
    ///
    /// - Parameters:
    ///   - name: The table's name or ARN. Make it with `create()`, or with what `samResource()` and
    ///     `terraformResource()` print.
    ///   - api: DynamoDB, or what stands in for it.
    ///   - clock: The wall clock, by which things become due.
    ///   - duePartitions: Over how many partitions of the index the items are spread, from 1 to 100.
    ///   - metrics: What the patterns of this table count and measure.
    public init(
        _ name: String, in api: any DynamoDBAPI, clock: PatternClock = PatternClock(), duePartitions: Int = 1,
        metrics: PatternMetrics = PatternMetrics()
    ) {
        self.name = name
        self.api = AdvisingDynamoDB(base: api, table: name, advice: Self.advice)
        self.clock = clock
        self.duePartitions = min(max(duePartitions, 1), 100)
        self.metrics = metrics
    }

    /// The names of the attributes that all patterns share.
    enum Attribute {
        static let partition = "pk"
        static let sort = "sk"
        static let duePartition = "duePartition"
        static let due = "due"
        static let timeToLive = "ttl"
    }

    /// The name of the index of what becomes due.
    static let dueIndex = "due"
}

/// An item as DynamoDB has it.
typealias StoredItem = [String: AttributeValue]

/// The key of an item of a `PatternTable`.
struct ItemKey: Sendable, Hashable {
    var partition: String
    var sort: String

    var attributes: StoredItem {
        [PatternTable.Attribute.partition: .string(partition), PatternTable.Attribute.sort: .string(sort)]
    }
}

extension ItemKey {
    /// The key of an item; `nil` if it is not one of a `PatternTable`.
    init?(of item: StoredItem) {
        guard let partition = item[PatternTable.Attribute.partition]?.string,
            let sort = item[PatternTable.Attribute.sort]?.string
        else { return nil }
        self.init(partition: partition, sort: sort)
    }
}

/// The name of one aggregator, processor or consumer, which is part of the keys of its items.
enum PatternName {
    /// Checks a name: 1 to 64 of letters, digits, `.`, `_` and `-`.
    static func check(_ name: String, of what: String) throws(PatternError) {
        let isAllowed = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard isAllowed, (1...64).contains(name.utf8.count) else {
            throw PatternError(
                .invalidArgument, "“\(name)” is no name for \(what).",
                hint: "Use 1 to 64 letters, digits, dots, underscores and hyphens.")
        }
    }
}

/// What callers choose as part of a key: the key of a set, the identity of a member or of a process.
enum PatternKey {
    /// Checks a key: 1 to `limit` bytes.
    static func check(_ key: String, of what: String, limit: Int = 512) throws(PatternError) {
        guard (1...limit).contains(key.utf8.count) else {
            throw PatternError(
                .invalidArgument, "The \(what) has \(key.utf8.count) bytes.", hint: "It needs 1 to \(limit).")
        }
    }
}
