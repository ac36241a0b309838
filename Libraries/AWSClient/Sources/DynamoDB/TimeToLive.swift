/// Sets which attribute holds the time after which an item may be deleted.
public struct UpdateTimeToLiveRequest: Sendable, Encodable {
    /// The table's name or ARN.
    public var tableName: String
    /// The new setting, which replaces the old one.
    public var timeToLiveSpecification: TimeToLiveSpecification

    /// A request that enables or disables the expiry of items; DynamoDB takes one for each table and hour.
    public init(tableName: String, timeToLiveSpecification: TimeToLiveSpecification) {
        self.tableName = tableName
        self.timeToLiveSpecification = timeToLiveSpecification
    }
}

/// The setting as it will be within the hour.
public struct UpdateTimeToLiveResponse: Sendable, Decodable {
    /// The setting that was accepted.
    public var timeToLiveSpecification: TimeToLiveSpecification?

    /// An empty answer, for implementations of `DynamoDBAPI` in tests.
    public init() {}
}

/// Which attribute holds the seconds since 1970 after which an item may be deleted.
public struct TimeToLiveSpecification: Sendable, Codable {
    /// The attribute, a number of seconds since 1970; items without it do not expire.
    public var attributeName: String
    /// Whether items expire; expired items are deleted within days.
    public var enabled: Bool

    /// A setting that enables or disables expiry by one attribute.
    public init(attributeName: String, enabled: Bool) {
        self.attributeName = attributeName
        self.enabled = enabled
    }
}

/// Asks whether items expire, and by which attribute.
public struct DescribeTimeToLiveRequest: Sendable, Encodable {
    /// The table's name or ARN.
    public var tableName: String

    /// A request for the expiry settings of one table.
    public init(tableName: String) {
        self.tableName = tableName
    }
}

/// Whether items expire.
public struct DescribeTimeToLiveResponse: Sendable, Decodable {
    /// Whether items of the table expire, and by which attribute.
    public var timeToLiveDescription: TimeToLiveDescription?
}

/// Whether items expire, and by which attribute.
public struct TimeToLiveDescription: Sendable, Decodable {
    /// Whether items expire, or whether that is being changed.
    public var timeToLiveStatus: TimeToLiveStatus?
    /// The attribute with the time of expiry; `nil` if expiry is disabled.
    public var attributeName: String?
}

/// Whether items expire.
public struct TimeToLiveStatus: RawRepresentable, Sendable, Hashable, Codable {
    /// AWS's name of the value; names newer than this library are kept.
    public var rawValue: String
    /// Wraps AWS's name of a value, which need not be one of the constants here.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Expiry was requested, and begins within the hour.
    public static let enabling = TimeToLiveStatus(rawValue: "ENABLING")
    /// Items expire.
    public static let enabled = TimeToLiveStatus(rawValue: "ENABLED")
    /// Expiry was switched off, and ends within the hour.
    public static let disabling = TimeToLiveStatus(rawValue: "DISABLING")
    /// Items do not expire.
    public static let disabled = TimeToLiveStatus(rawValue: "DISABLED")
}
