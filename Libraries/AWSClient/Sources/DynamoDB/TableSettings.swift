/// The type of an attribute that is part of a key.
public struct AttributeDefinition: Sendable, Hashable, Codable {
    public var attributeName: String
    public var attributeType: ScalarAttributeType

    public init(attributeName: String, attributeType: ScalarAttributeType) {
        self.attributeName = attributeName
        self.attributeType = attributeType
    }
}

/// The types that a key can have.
public struct ScalarAttributeType: RawRepresentable, Sendable, Hashable, Codable {
    /// AWS's own word; one that is newer than this library is kept as it came.
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let string = ScalarAttributeType(rawValue: "S")
    public static let number = ScalarAttributeType(rawValue: "N")
    public static let binary = ScalarAttributeType(rawValue: "B")
}

/// One attribute of a key.
public struct KeySchemaElement: Sendable, Hashable, Codable {
    public var attributeName: String
    public var keyType: KeyType

    public init(attributeName: String, keyType: KeyType) {
        self.attributeName = attributeName
        self.keyType = keyType
    }
}

/// The part that an attribute plays in a key.
public struct KeyType: RawRepresentable, Sendable, Hashable, Codable {
    /// AWS's own word; one that is newer than this library is kept as it came.
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Says in which partition the item is.
    public static let hash = KeyType(rawValue: "HASH")
    /// Says at which place in its partition the item is.
    public static let range = KeyType(rawValue: "RANGE")
}

/// How a table is paid for.
public struct BillingMode: RawRepresentable, Sendable, Hashable, Codable {
    /// AWS's own word; one that is newer than this library is kept as it came.
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let payPerRequest = BillingMode(rawValue: "PAY_PER_REQUEST")
    public static let provisioned = BillingMode(rawValue: "PROVISIONED")
}

/// What a table is bought to carry, in units a second.
public struct ProvisionedThroughput: Sendable, Hashable, Codable {
    public var readCapacityUnits: Int64
    public var writeCapacityUnits: Int64

    public init(readCapacityUnits: Int64, writeCapacityUnits: Int64) {
        self.readCapacityUnits = readCapacityUnits
        self.writeCapacityUnits = writeCapacityUnits
    }
}

/// An index with keys of its own.
public struct GlobalSecondaryIndex: Sendable, Hashable, Codable {
    public var indexName: String
    public var keySchema: [KeySchemaElement]
    public var projection: Projection
    public var provisionedThroughput: ProvisionedThroughput?

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
    public var create: GlobalSecondaryIndex?
    public var update: Update?
    public var delete: Delete?

    public init(create: GlobalSecondaryIndex? = nil, update: Update? = nil, delete: Delete? = nil) {
        self.create = create
        self.update = update
        self.delete = delete
    }
}

/// Which attributes an index holds.
public struct Projection: Sendable, Hashable, Codable {
    public var projectionType: ProjectionType
    public var nonKeyAttributes: [String]?

    public init(projectionType: ProjectionType = .all, nonKeyAttributes: [String]? = nil) {
        self.projectionType = projectionType
        self.nonKeyAttributes = nonKeyAttributes
    }
}

/// Which attributes an index holds.
public struct ProjectionType: RawRepresentable, Sendable, Hashable, Codable {
    /// AWS's own word; one that is newer than this library is kept as it came.
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let all = ProjectionType(rawValue: "ALL")
    public static let keysOnly = ProjectionType(rawValue: "KEYS_ONLY")
    public static let include = ProjectionType(rawValue: "INCLUDE")
}

/// Whether a table has a stream of its changes.
public struct StreamSpecification: Sendable, Hashable, Codable {
    public var streamEnabled: Bool
    public var streamViewType: StreamViewType?

    public init(streamEnabled: Bool, streamViewType: StreamViewType? = nil) {
        self.streamEnabled = streamEnabled
        self.streamViewType = streamViewType
    }
}

/// What a stream's records hold.
public struct StreamViewType: RawRepresentable, Sendable, Hashable, Codable {
    /// AWS's own word; one that is newer than this library is kept as it came.
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let keysOnly = StreamViewType(rawValue: "KEYS_ONLY")
    public static let newImage = StreamViewType(rawValue: "NEW_IMAGE")
    public static let oldImage = StreamViewType(rawValue: "OLD_IMAGE")
    public static let newAndOldImages = StreamViewType(rawValue: "NEW_AND_OLD_IMAGES")
}

/// A label of a resource.
public struct Tag: Sendable, Hashable, Codable {
    public var key: String
    public var value: String

    public init(key: String, value: String) {
        self.key = key
        self.value = value
    }
}

extension GlobalSecondaryIndexUpdate {
    /// New throughput for an index.
    public struct Update: Sendable, Encodable {
        public var indexName: String
        public var provisionedThroughput: ProvisionedThroughput

        public init(indexName: String, provisionedThroughput: ProvisionedThroughput) {
            self.indexName = indexName
            self.provisionedThroughput = provisionedThroughput
        }
    }

    /// Which index to delete.
    public struct Delete: Sendable, Encodable {
        public var indexName: String

        public init(indexName: String) {
            self.indexName = indexName
        }
    }
}
