/// What a request cost, in capacity units.
public struct ConsumedCapacity: Sendable, Hashable, Decodable {
    public var tableName: String?
    public var capacityUnits: Double?
    /// Only for transactions.
    public var readCapacityUnits: Double?
    /// Only for transactions.
    public var writeCapacityUnits: Double?
    /// The table's own part, where `indexes` was asked for.
    public var table: Capacity?
    public var globalSecondaryIndexes: [String: Capacity]?

    public init() {}
}

/// One part of what a request cost.
public struct Capacity: Sendable, Hashable, Decodable {
    public var capacityUnits: Double?
    public var readCapacityUnits: Double?
    public var writeCapacityUnits: Double?

    public init() {}
}
