public import AWSClient
import DynamoDBPatterns

extension DynamoDBDecorator {
    /// Passes the call to `streams`, within `around`; throws an `AWSError` if there are none.
    public func describeStream(_ request: DescribeStreamRequest) async throws -> DescribeStreamResponse {
        let streams = try theStreams()
        return try await around(DynamoDBCall(.describeStream)) { try await streams.describeStream(request) }
    }

    /// Passes the call to `streams`, within `around`; throws an `AWSError` if there are none.
    public func getShardIterator(_ request: GetShardIteratorRequest) async throws -> GetShardIteratorResponse {
        let streams = try theStreams()
        return try await around(DynamoDBCall(.getShardIterator)) { try await streams.getShardIterator(request) }
    }

    /// Passes the call to `streams`, within `around`; throws an `AWSError` if there are none.
    public func getRecords(_ request: GetRecordsRequest) async throws -> GetRecordsResponse {
        let streams = try theStreams()
        return try await around(DynamoDBCall(.getRecords)) { try await streams.getRecords(request) }
    }

    private func theStreams() throws -> any StreamsAPI {
        guard let streams else {
            throw AWSError(.invalidRequest, "What this DynamoDB is made of has no streams.")
        }
        return streams
    }
}
