/// The type of an attribute that is part of a key.
public struct AttributeDefinition: Sendable, Hashable, Codable {
    /// The name of the attribute, which the key schema of the table or of an index uses.
    public var attributeName: String
    /// The type that the attribute must have in every item.
    public var attributeType: ScalarAttributeType

    /// The type of an attribute that is part of a key.
    public init(attributeName: String, attributeType: ScalarAttributeType) {
        self.attributeName = attributeName
        self.attributeType = attributeType
    }
}

/// The types that a key can have.
public struct ScalarAttributeType: RawRepresentable, Sendable, Hashable, Codable {
    /// AWS's name of the value; names newer than this library are kept.
    public var rawValue: String
    /// Wraps AWS's name of a value, which need not be one of the constants here.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// UTF-8 text, ordered by its bytes.
    public static let string = ScalarAttributeType(rawValue: "S")
    /// A decimal number of up to 38 digits, ordered by its value.
    public static let number = ScalarAttributeType(rawValue: "N")
    /// Bytes, ordered as unsigned numbers.
    public static let binary = ScalarAttributeType(rawValue: "B")
}

/// One attribute of a key.
public struct KeySchemaElement: Sendable, Hashable, Codable {
    /// The name of an attribute that the attribute definitions contain.
    public var attributeName: String
    /// Whether the attribute is the partition key or the sort key.
    public var keyType: KeyType

    /// An attribute as the partition key or the sort key.
    public init(attributeName: String, keyType: KeyType) {
        self.attributeName = attributeName
        self.keyType = keyType
    }
}

/// Whether an attribute is the partition key or the sort key.
public struct KeyType: RawRepresentable, Sendable, Hashable, Codable {
    /// AWS's name of the value; names newer than this library are kept.
    public var rawValue: String
    /// Wraps AWS's name of a value, which need not be one of the constants here.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The partition key: its value determines the partition of the item.
    public static let hash = KeyType(rawValue: "HASH")
    /// The sort key: its value determines the order of the items in a partition.
    public static let range = KeyType(rawValue: "RANGE")
}

/// How a table is paid for.
public struct BillingMode: RawRepresentable, Sendable, Hashable, Codable {
    /// AWS's name of the value; names newer than this library are kept.
    public var rawValue: String
    /// Wraps AWS's name of a value, which need not be one of the constants here.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// On-demand: each read and write is paid for, and no capacity is set.
    public static let payPerRequest = BillingMode(rawValue: "PAY_PER_REQUEST")
    /// Capacity is set and paid for by the hour; requests beyond it are throttled.
    public static let provisioned = BillingMode(rawValue: "PROVISIONED")
}

/// The capacity of a table that is provisioned, in units a second.
public struct ProvisionedThroughput: Sendable, Hashable, Codable {
    /// Strongly consistent reads of up to 4 KB a second; twice as many with eventual consistency.
    public var readCapacityUnits: Int64
    /// Writes of up to 1 KB a second.
    public var writeCapacityUnits: Int64

    /// Units for reads and writes, at least 1 each.
    public init(readCapacityUnits: Int64, writeCapacityUnits: Int64) {
        self.readCapacityUnits = readCapacityUnits
        self.writeCapacityUnits = writeCapacityUnits
    }
}

/// An index with keys of its own.
public struct GlobalSecondaryIndex: Sendable, Hashable, Codable {
    /// 3 to 255 letters, digits, `_`, `-` and `.`; unique among the indexes of the table.
    public var indexName: String
    /// The partition key, and a sort key if wanted; an item without these attributes is not in the index.
    public var keySchema: [KeySchemaElement]
    /// Which attributes are copied into the index.
    public var projection: Projection
    /// The index's own capacity; must be `nil` if the table is paid by request.
    public var provisionedThroughput: ProvisionedThroughput?

    /// An index to create with a table, or later with `GlobalSecondaryIndexUpdate`.
    public init(
        indexName: String, keySchema: [KeySchemaElement], projection: Projection,
        provisionedThroughput: ProvisionedThroughput? = nil
    ) {
        self.indexName = indexName
        self.keySchema = keySchema
        self.projection = projection
        self.provisionedThroughput = provisionedThroughput
    }
}

/// One change of a table's indexes; exactly one member is set.
public struct GlobalSecondaryIndexUpdate: Sendable, Encodable {
    /// An index to create, which DynamoDB fills from the table's items in the background.
    public var create: GlobalSecondaryIndex?
    /// New capacity for an index that exists.
    public var update: Update?
    /// An index to delete; the table's items are not changed.
    public var delete: Delete?

    /// One change; DynamoDB refuses an update in which no member, or more than one, is set.
    public init(create: GlobalSecondaryIndex? = nil, update: Update? = nil, delete: Delete? = nil) {
        self.create = create
        self.update = update
        self.delete = delete
    }
}

/// Which attributes an index holds.
public struct Projection: Sendable, Hashable, Codable {
    /// All attributes, the keys alone, or the keys and those of `nonKeyAttributes`.
    public var projectionType: ProjectionType
    /// The names of the attributes to copy, for `include` only.
    public var nonKeyAttributes: [String]?

    /// A projection of all attributes, unless another type is given.
    public init(projectionType: ProjectionType = .all, nonKeyAttributes: [String]? = nil) {
        self.projectionType = projectionType
        self.nonKeyAttributes = nonKeyAttributes
    }
}

/// Which attributes an index holds.
public struct ProjectionType: RawRepresentable, Sendable, Hashable, Codable {
    /// AWS's name of the value; names newer than this library are kept.
    public var rawValue: String
    /// Wraps AWS's name of a value, which need not be one of the constants here.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Every attribute of the item.
    public static let all = ProjectionType(rawValue: "ALL")
    /// Only the keys of the index and of the table.
    public static let keysOnly = ProjectionType(rawValue: "KEYS_ONLY")
    /// The keys, and the attributes of `nonKeyAttributes`.
    public static let include = ProjectionType(rawValue: "INCLUDE")
}

/// Whether a table has a stream of its changes.
public struct StreamSpecification: Sendable, Hashable, Codable {
    /// Whether changes of items are recorded in a stream, which keeps them for 24 hours.
    public var streamEnabled: Bool
    /// What each record contains; required if the stream is enabled.
    public var streamViewType: StreamViewType?

    /// A stream with the given view, or no stream.
    public init(streamEnabled: Bool, streamViewType: StreamViewType? = nil) {
        self.streamEnabled = streamEnabled
        self.streamViewType = streamViewType
    }
}

/// What a stream's records hold.
public struct StreamViewType: RawRepresentable, Sendable, Hashable, Codable {
    /// AWS's name of the value; names newer than this library are kept.
    public var rawValue: String
    /// Wraps AWS's name of a value, which need not be one of the constants here.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The key of the item.
    public static let keysOnly = StreamViewType(rawValue: "KEYS_ONLY")
    /// The item after the change.
    public static let newImage = StreamViewType(rawValue: "NEW_IMAGE")
    /// The item before the change.
    public static let oldImage = StreamViewType(rawValue: "OLD_IMAGE")
    /// The item before and after the change.
    public static let newAndOldImages = StreamViewType(rawValue: "NEW_AND_OLD_IMAGES")
}

/// A label of a resource.
public struct Tag: Sendable, Hashable, Codable {
    /// The name, up to 128 characters; must not begin with `aws:`.
    public var key: String
    /// The value, up to 256 characters; may be empty.
    public var value: String

    /// A tag; a resource has one value for each key.
    public init(key: String, value: String) {
        self.key = key
        self.value = value
    }
}

extension GlobalSecondaryIndexUpdate {
    /// New throughput for an index.
    public struct Update: Sendable, Encodable {
        /// The name of the index whose capacity is changed.
        public var indexName: String
        /// The new capacity, which replaces the old one.
        public var provisionedThroughput: ProvisionedThroughput

        /// New capacity for one index of a provisioned table.
        public init(indexName: String, provisionedThroughput: ProvisionedThroughput) {
            self.indexName = indexName
            self.provisionedThroughput = provisionedThroughput
        }
    }

    /// Which index to delete.
    public struct Delete: Sendable, Encodable {
        /// The name of the index to delete.
        public var indexName: String

        /// The deletion of one index.
        public init(indexName: String) {
            self.indexName = indexName
        }
    }
}
