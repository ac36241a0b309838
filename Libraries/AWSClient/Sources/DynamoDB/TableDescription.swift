/// A table as DynamoDB describes it.
public struct TableDescription: Sendable, Decodable {
    /// The name without region and account; 3 to 255 letters, digits, `_`, `-` and `.`.
    public var tableName: String?
    /// The ARN, which names region, account and table, as policies need it.
    public var tableArn: String?
    /// The identity of this table; a table that is created again with the same name has another one.
    public var tableId: String?
    /// Whether the table can be used; only `active` and `updating` tables take reads and writes.
    public var tableStatus: TableStatus?
    /// Seconds since 1970.
    public var creationDateTime: Double?
    /// About six hours old.
    public var itemCount: Int64?
    /// About six hours old.
    public var tableSizeBytes: Int64?
    /// The types of the attributes that are part of a key of the table or of an index.
    public var attributeDefinitions: [AttributeDefinition]?
    /// The partition key, and the sort key if the table has one.
    public var keySchema: [KeySchemaElement]?
    /// `nil` for a table that was always provisioned.
    public var billingModeSummary: BillingModeSummary?
    /// The capacity that was bought; units of 0 for a table that is paid by request.
    public var provisionedThroughput: ProvisionedThroughputDescription?
    /// The global secondary indexes; `nil` if there are none.
    public var globalSecondaryIndexes: [GlobalSecondaryIndexDescription]?
    /// The settings of the stream; `nil` if the table has none.
    public var streamSpecification: StreamSpecification?
    /// The ARN of the newest stream, which is readable for 24 hours after it was disabled; `nil` if there was none.
    public var latestStreamArn: String?
    /// The time at which the newest stream was enabled, in ISO 8601: the last part of its ARN.
    public var latestStreamLabel: String?
    /// Whether `DeleteTable` is refused for this table.
    public var deletionProtectionEnabled: Bool?

    /// A description in which everything is `nil`, for implementations of `DynamoDBAPI` in tests.
    public init() {}
}

/// How a table is paid for.
public struct BillingModeSummary: Sendable, Decodable {
    /// How the table is paid for now.
    public var billingMode: BillingMode?
    /// Seconds since 1970.
    public var lastUpdateToPayPerRequestDateTime: Double?

    /// A summary in which everything is `nil`, for implementations of `DynamoDBAPI` in tests.
    public init() {}
}

/// The provisioned capacity of a table or index.
public struct ProvisionedThroughputDescription: Sendable, Decodable {
    /// Strongly consistent reads of up to 4 KB a second; 0 if the table is paid by request.
    public var readCapacityUnits: Int64?
    /// Writes of up to 1 KB a second; 0 if the table is paid by request.
    public var writeCapacityUnits: Int64?
    /// How often the capacity was lowered on this day in UTC, which AWS limits.
    public var numberOfDecreasesToday: Int64?

    /// A description in which everything is `nil`, for implementations of `DynamoDBAPI` in tests.
    public init() {}
}

/// An index as DynamoDB describes it.
public struct GlobalSecondaryIndexDescription: Sendable, Decodable {
    /// The name, which is unique among the indexes of the table.
    public var indexName: String?
    /// The ARN: that of the table, followed by `/index/` and the name.
    public var indexArn: String?
    /// Whether the index can be queried: only if it is `active` or `updating`.
    public var indexStatus: TableStatus?
    /// Whether a new index still takes in the items that existed before it; `nil` for one created with its table.
    public var backfilling: Bool?
    /// The partition key, and the sort key if the index has one.
    public var keySchema: [KeySchemaElement]?
    /// Which attributes the index contains.
    public var projection: Projection?
    /// How many items the index contains; about six hours old.
    public var itemCount: Int64?
    /// The size of the index in bytes; about six hours old.
    public var indexSizeBytes: Int64?
    /// The capacity that was bought for the index, apart from the table's.
    public var provisionedThroughput: ProvisionedThroughputDescription?

    /// A description in which everything is `nil`, for implementations of `DynamoDBAPI` in tests.
    public init() {}
}

/// What a table or index can be used for.
public struct TableStatus: RawRepresentable, Sendable, Hashable, Codable {
    /// AWS's name of the value; names newer than this library are kept.
    public var rawValue: String
    /// Wraps AWS's name of a value, which need not be one of the constants here.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The table or index is being created; it takes no requests yet.
    public static let creating = TableStatus(rawValue: "CREATING")
    /// The table or index can be used.
    public static let active = TableStatus(rawValue: "ACTIVE")
    /// Settings are being changed; the table or index can be used meanwhile.
    public static let updating = TableStatus(rawValue: "UPDATING")
    /// The table or index is being deleted.
    public static let deleting = TableStatus(rawValue: "DELETING")
    /// The table was archived, because its encryption key was inaccessible for more than seven days.
    public static let archived = TableStatus(rawValue: "ARCHIVED")
    /// The table is being archived, and takes no requests until that has ended.
    public static let archiving = TableStatus(rawValue: "ARCHIVING")
    /// The encryption key in AWS KMS cannot be used, so no item can be read or written.
    public static let inaccessibleEncryptionCredentials = TableStatus(rawValue: "INACCESSIBLE_ENCRYPTION_CREDENTIALS")
}
