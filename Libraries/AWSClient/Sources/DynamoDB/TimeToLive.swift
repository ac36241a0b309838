/// Says which attribute holds the time after which an item may be deleted.
public struct UpdateTimeToLiveRequest: Sendable, Encodable {
    /// The table's name or ARN.
    public var tableName: String
    public var timeToLiveSpecification: TimeToLiveSpecification

    public init(tableName: String, timeToLiveSpecification: TimeToLiveSpecification) {
        self.tableName = tableName
        self.timeToLiveSpecification = timeToLiveSpecification
    }
}

/// The setting as it will be within the hour.
public struct UpdateTimeToLiveResponse: Sendable, Decodable {
    public var timeToLiveSpecification: TimeToLiveSpecification?

    public init() {}
}

/// Which attribute holds the seconds since 1970 after which an item may be deleted.
public struct TimeToLiveSpecification: Sendable, Codable {
    public var attributeName: String
    public var enabled: Bool

    public init(attributeName: String, enabled: Bool) {
        self.attributeName = attributeName
        self.enabled = enabled
    }
}

/// Asks whether items expire, and by which attribute.
public struct DescribeTimeToLiveRequest: Sendable, Encodable {
    /// The table's name or ARN.
    public var tableName: String

    public init(tableName: String) {
        self.tableName = tableName
    }
}

/// Whether items expire.
public struct DescribeTimeToLiveResponse: Sendable, Decodable {
    public var timeToLiveDescription: TimeToLiveDescription?
}

/// Whether items expire, and by which attribute.
public struct TimeToLiveDescription: Sendable, Decodable {
    public var timeToLiveStatus: TimeToLiveStatus?
    public var attributeName: String?
}

/// Whether items expire.
public struct TimeToLiveStatus: RawRepresentable, Sendable, Hashable, Codable {
    /// AWS's own word; one that is newer than this library is kept as it came.
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let enabling = TimeToLiveStatus(rawValue: "ENABLING")
    public static let enabled = TimeToLiveStatus(rawValue: "ENABLED")
    public static let disabling = TimeToLiveStatus(rawValue: "DISABLING")
    public static let disabled = TimeToLiveStatus(rawValue: "DISABLED")
}
