/// What a request cost, in capacity units.
public struct ConsumedCapacity: Sendable, Hashable, Decodable {
    /// The name or ARN of the table that the units were used of.
    public var tableName: String?
    /// The units of the table and its indexes together: 4 KB read, or 1 KB written, are one unit.
    public var capacityUnits: Double?
    /// Only for transactions.
    public var readCapacityUnits: Double?
    /// Only for transactions.
    public var writeCapacityUnits: Double?
    /// The table's own part, if `indexes` was asked for.
    public var table: Capacity?
    /// The part of each index, by its name, if `indexes` was asked for.
    public var globalSecondaryIndexes: [String: Capacity]?

    /// No units, for implementations of `DynamoDBAPI` in tests.
    public init() {}
}

/// One part of what a request cost.
public struct Capacity: Sendable, Hashable, Decodable {
    /// The units of this table or index: 4 KB read, or 1 KB written, are one unit.
    public var capacityUnits: Double?
    /// Only for transactions.
    public var readCapacityUnits: Double?
    /// Only for transactions.
    public var writeCapacityUnits: Double?

    /// No units, for implementations of `DynamoDBAPI` in tests.
    public init() {}
}
