/// Asks for a stream's shards, a page at a time.
public struct DescribeStreamRequest: Sendable, Encodable {
    /// The ARN of the stream: `TableDescription.latestStreamArn`.
    public var streamArn: String
    /// At most 100 shards.
    public var limit: Int?
    /// The `lastEvaluatedShardId` of the page before.
    public var exclusiveStartShardId: String?

    /// A request for the first page of shards, or for the page after a shard.
    public init(streamArn: String, limit: Int? = nil, exclusiveStartShardId: String? = nil) {
        self.streamArn = streamArn
        self.limit = limit
        self.exclusiveStartShardId = exclusiveStartShardId
    }
}

/// One page of a stream's shards.
public struct DescribeStreamResponse: Sendable, Decodable {
    /// The stream, and one page of its shards.
    public var streamDescription: StreamDescription?

    /// An empty answer, for implementations of `StreamsAPI` in tests.
    public init() {}
}

/// A stream as DynamoDB describes it.
public struct StreamDescription: Sendable, Decodable {
    /// The ARN of the stream: that of the table, followed by `/stream/` and the label.
    public var streamArn: String?
    /// The time at which the stream was enabled, in ISO 8601.
    public var streamLabel: String?
    /// Whether the stream is written to, or whether that is being changed.
    public var streamStatus: StreamStatus?
    /// What each record contains.
    public var streamViewType: StreamViewType?
    /// Seconds since 1970.
    public var creationRequestDateTime: Double?
    /// The table whose changes the stream contains.
    public var tableName: String?
    /// The partition key and the sort key of that table.
    public var keySchema: [KeySchemaElement]?
    /// One page of the shards, also closed ones whose records are still there.
    public var shards: [Shard]?
    /// Where the next page starts; `nil` on the last one.
    public var lastEvaluatedShardId: String?

    /// A description in which everything is `nil`, for implementations of `StreamsAPI` in tests.
    public init() {}
}

/// Whether a stream is written to.
public struct StreamStatus: RawRepresentable, Sendable, Hashable, Codable {
    /// AWS's name of the value; names newer than this library are kept.
    public var rawValue: String
    /// Wraps AWS's name of a value, which need not be one of the constants here.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The stream is being created.
    public static let enabling = StreamStatus(rawValue: "ENABLING")
    /// The stream is written to, and can be read.
    public static let enabled = StreamStatus(rawValue: "ENABLED")
    /// The stream is being switched off.
    public static let disabling = StreamStatus(rawValue: "DISABLING")
    /// The stream is no longer written to; its records can be read for 24 hours.
    public static let disabled = StreamStatus(rawValue: "DISABLED")
}

/// A part of a stream, in order within itself.
public struct Shard: Sendable, Decodable {
    /// The identity of the shard within its stream.
    public var shardId: String?
    /// To be read to its end before this one.
    public var parentShardId: String?
    /// The sequence numbers of its first and last record.
    public var sequenceNumberRange: SequenceNumberRange?

    /// A shard in which everything is `nil`, for implementations of `StreamsAPI` in tests.
    public init() {}
}

/// The first and last record of a shard.
public struct SequenceNumberRange: Sendable, Decodable {
    /// The sequence number of the first record.
    public var startingSequenceNumber: String?
    /// `nil` while the shard is written to.
    public var endingSequenceNumber: String?

    /// A range in which everything is `nil`, for implementations of `StreamsAPI` in tests.
    public init() {}
}

/// Asks for an iterator that begins at a position of a shard.
public struct GetShardIteratorRequest: Sendable, Encodable {
    /// The ARN of the stream that the shard belongs to.
    public var streamArn: String
    /// The identity of the shard to read.
    public var shardId: String
    /// Where reading begins: at an end of the shard, or at or after a record.
    public var shardIteratorType: ShardIteratorType
    /// The record at or after which reading begins; only for these two types.
    public var sequenceNumber: String?

    /// A request for an iterator, with which `GetRecords` begins to read a shard.
    public init(
        streamArn: String, shardId: String, shardIteratorType: ShardIteratorType, sequenceNumber: String? = nil
    ) {
        self.streamArn = streamArn
        self.shardId = shardId
        self.shardIteratorType = shardIteratorType
        self.sequenceNumber = sequenceNumber
    }
}

/// The position in a shard at which an iterator begins.
public struct ShardIteratorType: RawRepresentable, Sendable, Hashable, Codable {
    /// AWS's name of the value; names newer than this library are kept.
    public var rawValue: String
    /// Wraps AWS's name of a value, which need not be one of the constants here.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The oldest record that is still there.
    public static let trimHorizon = ShardIteratorType(rawValue: "TRIM_HORIZON")
    /// After the newest record.
    public static let latest = ShardIteratorType(rawValue: "LATEST")
    /// The record with the given sequence number.
    public static let atSequenceNumber = ShardIteratorType(rawValue: "AT_SEQUENCE_NUMBER")
    /// The record after the one with the given sequence number.
    public static let afterSequenceNumber = ShardIteratorType(rawValue: "AFTER_SEQUENCE_NUMBER")
}

/// An iterator, which is valid for 15 minutes.
public struct GetShardIteratorResponse: Sendable, Decodable {
    /// The iterator for the first `GetRecords`.
    public var shardIterator: String?

    /// An empty answer, for implementations of `StreamsAPI` in tests.
    public init() {}
}

/// Asks for the records from an iterator's position on.
public struct GetRecordsRequest: Sendable, Encodable {
    /// The iterator of `GetShardIterator`, or `nextShardIterator` of the records before.
    public var shardIterator: String
    /// At most 1,000 records.
    public var limit: Int?

    /// A request for the next records of a shard, up to 1 MB.
    public init(shardIterator: String, limit: Int? = nil) {
        self.shardIterator = shardIterator
        self.limit = limit
    }
}

/// Records, perhaps none, and the iterator for the records after them.
public struct GetRecordsResponse: Sendable, Decodable {
    /// The records in the order of their sequence numbers; may be empty although the shard continues.
    public var records: [StreamRecord]?
    /// `nil` at the end of a closed shard.
    public var nextShardIterator: String?

    /// An answer without records, for implementations of `StreamsAPI` in tests.
    public init() {}
}
