/// A table as DynamoDB describes it.
public struct TableDescription: Sendable, Decodable {
    public var tableName: String?
    public var tableArn: String?
    public var tableId: String?
    public var tableStatus: TableStatus?
    /// Seconds since 1970.
    public var creationDateTime: Double?
    /// About six hours old.
    public var itemCount: Int64?
    /// About six hours old.
    public var tableSizeBytes: Int64?
    public var attributeDefinitions: [AttributeDefinition]?
    public var keySchema: [KeySchemaElement]?
    /// `nil` for a table that was always provisioned.
    public var billingModeSummary: BillingModeSummary?
    public var provisionedThroughput: ProvisionedThroughputDescription?
    public var globalSecondaryIndexes: [GlobalSecondaryIndexDescription]?
    public var streamSpecification: StreamSpecification?
    public var latestStreamArn: String?
    public var latestStreamLabel: String?
    public var deletionProtectionEnabled: Bool?

    public init() {}
}

/// How a table is paid for.
public struct BillingModeSummary: Sendable, Decodable {
    public var billingMode: BillingMode?
    /// Seconds since 1970.
    public var lastUpdateToPayPerRequestDateTime: Double?

    public init() {}
}

/// What a table was bought to carry.
public struct ProvisionedThroughputDescription: Sendable, Decodable {
    public var readCapacityUnits: Int64?
    public var writeCapacityUnits: Int64?
    public var numberOfDecreasesToday: Int64?

    public init() {}
}

/// An index as DynamoDB describes it.
public struct GlobalSecondaryIndexDescription: Sendable, Decodable {
    public var indexName: String?
    public var indexArn: String?
    public var indexStatus: TableStatus?
    public var backfilling: Bool?
    public var keySchema: [KeySchemaElement]?
    public var projection: Projection?
    public var itemCount: Int64?
    public var indexSizeBytes: Int64?
    public var provisionedThroughput: ProvisionedThroughputDescription?

    public init() {}
}

/// What a table or index can be used for.
public struct TableStatus: RawRepresentable, Sendable, Hashable, Codable {
    /// AWS's own word; one that is newer than this library is kept as it came.
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let creating = TableStatus(rawValue: "CREATING")
    public static let active = TableStatus(rawValue: "ACTIVE")
    public static let updating = TableStatus(rawValue: "UPDATING")
    public static let deleting = TableStatus(rawValue: "DELETING")
    public static let archived = TableStatus(rawValue: "ARCHIVED")
    public static let archiving = TableStatus(rawValue: "ARCHIVING")
    public static let inaccessibleEncryptionCredentials = TableStatus(rawValue: "INACCESSIBLE_ENCRYPTION_CREDENTIALS")
}
