/// The API of DynamoDB's streams: what was changed in a table, for the last 24 hours.
///
/// Source: the Amazon DynamoDB Streams API reference, version 2012-08-10.
public struct DynamoDBStreams: Sendable {
    let client: AWSClient

    /// The streams in the client's region.
    public init(_ client: AWSClient) { self.client = client }

    /// Asks for a stream's shards, a page at a time.
    public func describeStream(_ request: DescribeStreamRequest) async throws -> DescribeStreamResponse {
        try await call("DescribeStream", request)
    }

    /// Asks for an iterator that begins at a position of a shard.
    public func getShardIterator(_ request: GetShardIteratorRequest) async throws -> GetShardIteratorResponse {
        try await call("GetShardIterator", request)
    }

    /// Reads the records from a place on; none for now is no sign of the end.
    public func getRecords(_ request: GetRecordsRequest) async throws -> GetRecordsResponse {
        try await call("GetRecords", request)
    }

    /// The records that Lambda hands to a function, which are spelled a little differently.
    ///
    /// - Parameter event: The event's JSON: an object with a member `Records`.
    /// - Returns: The records in their order; none if the event has none.
    /// - Throws: `AWSError` with code `invalidAnswer` for what is no such event.
    public static func records(ofLambdaEvent event: [UInt8]) throws(AWSError) -> [StreamRecord] {
        do {
            let answer: GetRecordsResponse = try ServiceJSON.value(of: event)
            return answer.records ?? []
        } catch {
            throw AWSError(.invalidAnswer, "That is no event with records of a DynamoDB stream.", cause: error)
        }
    }

    private func call<Response: Decodable>(_ operation: String, _ request: some Encodable) async throws -> Response {
        let call = ServiceCall(
            json: .dynamoDBStreams, targetPrefix: "DynamoDBStreams_20120810",
            operation: operation, body: try ServiceJSON.bytes(of: request, operation: operation), isWrite: false)
        return try ServiceJSON.value(of: try await client.call(call), for: call)
    }
}
