public import AWSClient

/// The calls of DynamoDB's streams that a consumer makes.
///
/// `DynamoDBStreams` is the one that AWS answers; `DynamoDBPatternsTesting` has one in memory.
public protocol StreamsAPI: Sendable {
    /// Asks for a stream's shards, a page at a time.
    func describeStream(_ request: DescribeStreamRequest) async throws -> DescribeStreamResponse
    /// Asks for a place in a shard to read from.
    func getShardIterator(_ request: GetShardIteratorRequest) async throws -> GetShardIteratorResponse
    /// Reads the records from a place on; none for now is no sign of the end.
    func getRecords(_ request: GetRecordsRequest) async throws -> GetRecordsResponse
}

extension DynamoDBStreams: StreamsAPI {}
