/// Creates a table; it can be used as soon as its status is active.
public struct CreateTableRequest: Sendable, Encodable {
    /// The name or ARN of the new table; a name has 3 to 255 letters, digits, `_`, `-` and `.`.
    public var tableName: String
    /// The types of the attributes in keys, and of no others.
    public var attributeDefinitions: [AttributeDefinition]
    /// The partition key, and a sort key if the table needs one; neither can be changed later.
    public var keySchema: [KeySchemaElement]
    /// How the table is paid for; DynamoDB takes `provisioned` if `nil`.
    public var billingMode: BillingMode?
    /// The capacity to buy; required for `provisioned`, refused for `payPerRequest`.
    public var provisionedThroughput: ProvisionedThroughput?
    /// The global secondary indexes, up to 20; more can be added later, one for each request.
    public var globalSecondaryIndexes: [GlobalSecondaryIndex]?
    /// Whether the table has a stream, and what its records contain; no stream if `nil`.
    public var streamSpecification: StreamSpecification?
    /// Whether `DeleteTable` is refused; not if `nil`.
    public var deletionProtectionEnabled: Bool?
    /// Labels of the table, up to 50, for cost reports and policies.
    public var tags: [Tag]?

    /// A request for a new table, which is paid by request unless another billing mode is given.
    public init(
        tableName: String, attributeDefinitions: [AttributeDefinition], keySchema: [KeySchemaElement],
        billingMode: BillingMode? = .payPerRequest, provisionedThroughput: ProvisionedThroughput? = nil,
        globalSecondaryIndexes: [GlobalSecondaryIndex]? = nil, streamSpecification: StreamSpecification? = nil,
        deletionProtectionEnabled: Bool? = nil, tags: [Tag]? = nil
    ) {
        self.tableName = tableName
        self.attributeDefinitions = attributeDefinitions
        self.keySchema = keySchema
        self.billingMode = billingMode
        self.provisionedThroughput = provisionedThroughput
        self.globalSecondaryIndexes = globalSecondaryIndexes
        self.streamSpecification = streamSpecification
        self.deletionProtectionEnabled = deletionProtectionEnabled
        self.tags = tags
    }
}

/// The new table, which is usually still being created.
public struct CreateTableResponse: Sendable, Decodable {
    /// The new table; its status is `creating` until it can be used.
    public var tableDescription: TableDescription?

    /// An empty answer, for implementations of `DynamoDBAPI` in tests.
    public init() {}
}

/// Asks for a table's settings and status.
public struct DescribeTableRequest: Sendable, Encodable {
    /// The table's name or ARN.
    public var tableName: String

    /// A request for the settings and the status of one table.
    public init(tableName: String) {
        self.tableName = tableName
    }
}

/// The table, as of a few seconds ago.
public struct DescribeTableResponse: Sendable, Decodable {
    /// The settings and the status of the table.
    public var table: TableDescription?

    /// An empty answer, for implementations of `DynamoDBAPI` in tests.
    public init() {}
}

/// Changes a table's settings; one index or stream at a time.
public struct UpdateTableRequest: Sendable, Encodable {
    /// The table's name or ARN.
    public var tableName: String
    /// The types of key attributes; required if an index is created, and includes those of the index.
    public var attributeDefinitions: [AttributeDefinition]?
    /// How the table is paid for from now on; unchanged if `nil`.
    public var billingMode: BillingMode?
    /// The new capacity of the table; unchanged if `nil`.
    public var provisionedThroughput: ProvisionedThroughput?
    /// Indexes to create, change or delete; at most one may be created or deleted for each request.
    public var globalSecondaryIndexUpdates: [GlobalSecondaryIndexUpdate]?
    /// Enables or disables the stream; unchanged if `nil`.
    public var streamSpecification: StreamSpecification?
    /// Whether `DeleteTable` is refused from now on; unchanged if `nil`.
    public var deletionProtectionEnabled: Bool?

    /// A request that changes what is not `nil`, and nothing else.
    public init(
        tableName: String, attributeDefinitions: [AttributeDefinition]? = nil, billingMode: BillingMode? = nil,
        provisionedThroughput: ProvisionedThroughput? = nil,
        globalSecondaryIndexUpdates: [GlobalSecondaryIndexUpdate]? = nil,
        streamSpecification: StreamSpecification? = nil, deletionProtectionEnabled: Bool? = nil
    ) {
        self.tableName = tableName
        self.attributeDefinitions = attributeDefinitions
        self.billingMode = billingMode
        self.provisionedThroughput = provisionedThroughput
        self.globalSecondaryIndexUpdates = globalSecondaryIndexUpdates
        self.streamSpecification = streamSpecification
        self.deletionProtectionEnabled = deletionProtectionEnabled
    }
}

/// The table, which is most often still being changed.
public struct UpdateTableResponse: Sendable, Decodable {
    /// The table; its status is `updating` until the change has ended.
    public var tableDescription: TableDescription?

    /// An empty answer, for implementations of `DynamoDBAPI` in tests.
    public init() {}
}

/// Deletes a table with all its items.
public struct DeleteTableRequest: Sendable, Encodable {
    /// The table's name or ARN.
    public var tableName: String

    /// A request that deletes a table, its items, its indexes and its stream.
    public init(tableName: String) {
        self.tableName = tableName
    }
}

/// The table, which is most often still being deleted.
public struct DeleteTableResponse: Sendable, Decodable {
    /// The table; its status is `deleting` until it is gone.
    public var tableDescription: TableDescription?

    /// An empty answer, for implementations of `DynamoDBAPI` in tests.
    public init() {}
}
