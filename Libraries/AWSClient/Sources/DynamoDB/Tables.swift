/// Makes a table; it can be used once its status is active.
public struct CreateTableRequest: Sendable, Encodable {
    public var tableName: String
    /// The types of the attributes in keys, and of no others.
    public var attributeDefinitions: [AttributeDefinition]
    public var keySchema: [KeySchemaElement]
    public var billingMode: BillingMode?
    public var provisionedThroughput: ProvisionedThroughput?
    public var globalSecondaryIndexes: [GlobalSecondaryIndex]?
    public var streamSpecification: StreamSpecification?
    public var deletionProtectionEnabled: Bool?
    public var tags: [Tag]?

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

/// The table, which is most often still being made.
public struct CreateTableResponse: Sendable, Decodable {
    public var tableDescription: TableDescription?

    public init() {}
}

/// Asks for a table's settings and status.
public struct DescribeTableRequest: Sendable, Encodable {
    /// The table's name or ARN.
    public var tableName: String

    public init(tableName: String) {
        self.tableName = tableName
    }
}

/// The table, as of a few seconds ago.
public struct DescribeTableResponse: Sendable, Decodable {
    public var table: TableDescription?

    public init() {}
}

/// Changes a table's settings; one index or stream at a time.
public struct UpdateTableRequest: Sendable, Encodable {
    /// The table's name or ARN.
    public var tableName: String
    public var attributeDefinitions: [AttributeDefinition]?
    public var billingMode: BillingMode?
    public var provisionedThroughput: ProvisionedThroughput?
    public var globalSecondaryIndexUpdates: [GlobalSecondaryIndexUpdate]?
    public var streamSpecification: StreamSpecification?
    public var deletionProtectionEnabled: Bool?

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
    public var tableDescription: TableDescription?

    public init() {}
}

/// Deletes a table with all its items.
public struct DeleteTableRequest: Sendable, Encodable {
    /// The table's name or ARN.
    public var tableName: String

    public init(tableName: String) {
        self.tableName = tableName
    }
}

/// The table, which is most often still being deleted.
public struct DeleteTableResponse: Sendable, Decodable {
    public var tableDescription: TableDescription?

    public init() {}
}
