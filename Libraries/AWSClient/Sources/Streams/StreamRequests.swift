/// Asks for a stream's shards, a page at a time.
public struct DescribeStreamRequest: Sendable, Encodable {
    public var streamArn: String
    /// At most 100 shards.
    public var limit: Int?
    public var exclusiveStartShardId: String?

    public init(streamArn: String, limit: Int? = nil, exclusiveStartShardId: String? = nil) {
        self.streamArn = streamArn
        self.limit = limit
        self.exclusiveStartShardId = exclusiveStartShardId
    }
}

/// One page of a stream's shards.
public struct DescribeStreamResponse: Sendable, Decodable {
    public var streamDescription: StreamDescription?

    public init() {}
}

/// A stream as DynamoDB describes it.
public struct StreamDescription: Sendable, Decodable {
    public var streamArn: String?
    public var streamLabel: String?
    public var streamStatus: StreamStatus?
    public var streamViewType: StreamViewType?
    /// Seconds since 1970.
    public var creationRequestDateTime: Double?
    public var tableName: String?
    public var keySchema: [KeySchemaElement]?
    public var shards: [Shard]?
    /// Where the next page starts; `nil` on the last one.
    public var lastEvaluatedShardId: String?

    public init() {}
}

/// Whether a stream is written to.
public struct StreamStatus: RawRepresentable, Sendable, Hashable, Codable {
    /// AWS's own word; one that is newer than this library is kept as it came.
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let enabling = StreamStatus(rawValue: "ENABLING")
    public static let enabled = StreamStatus(rawValue: "ENABLED")
    public static let disabling = StreamStatus(rawValue: "DISABLING")
    public static let disabled = StreamStatus(rawValue: "DISABLED")
}

/// A part of a stream, in order within itself.
public struct Shard: Sendable, Decodable {
    public var shardId: String?
    /// To be read to its end before this one.
    public var parentShardId: String?
    public var sequenceNumberRange: SequenceNumberRange?

    public init() {}
}

/// The first and last record of a shard.
public struct SequenceNumberRange: Sendable, Decodable {
    public var startingSequenceNumber: String?
    /// `nil` while the shard is written to.
    public var endingSequenceNumber: String?

    public init() {}
}

/// Asks for a place in a shard to read from.
public struct GetShardIteratorRequest: Sendable, Encodable {
    public var streamArn: String
    public var shardId: String
    public var shardIteratorType: ShardIteratorType
    public var sequenceNumber: String?

    public init(
        streamArn: String, shardId: String, shardIteratorType: ShardIteratorType, sequenceNumber: String? = nil
    ) {
        self.streamArn = streamArn
        self.shardId = shardId
        self.shardIteratorType = shardIteratorType
        self.sequenceNumber = sequenceNumber
    }
}

/// Which place in a shard.
public struct ShardIteratorType: RawRepresentable, Sendable, Hashable, Codable {
    /// AWS's own word; one that is newer than this library is kept as it came.
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The oldest record that is still there.
    public static let trimHorizon = ShardIteratorType(rawValue: "TRIM_HORIZON")
    /// After the newest record.
    public static let latest = ShardIteratorType(rawValue: "LATEST")
    public static let atSequenceNumber = ShardIteratorType(rawValue: "AT_SEQUENCE_NUMBER")
    public static let afterSequenceNumber = ShardIteratorType(rawValue: "AFTER_SEQUENCE_NUMBER")
}

/// A place in a shard, good for 15 minutes.
public struct GetShardIteratorResponse: Sendable, Decodable {
    public var shardIterator: String?

    public init() {}
}

/// Asks for the records from a place on.
public struct GetRecordsRequest: Sendable, Encodable {
    public var shardIterator: String
    /// At most 1,000 records.
    public var limit: Int?

    public init(shardIterator: String, limit: Int? = nil) {
        self.shardIterator = shardIterator
        self.limit = limit
    }
}

/// Records, perhaps none, and the place after them.
public struct GetRecordsResponse: Sendable, Decodable {
    public var records: [StreamRecord]?
    /// `nil` at the end of a closed shard.
    public var nextShardIterator: String?

    public init() {}
}
