/// DynamoDB's API, with a type for each request and answer.
///
/// Members are named as AWS's are, with a small first letter; `nil` is left out. All calls throw `AWSError`, whose
/// `mayHaveTakenEffect` says whether a write that failed may have been carried out all the same, or
/// `CancellationError`, after which that is unknown.
/// Source: the Amazon DynamoDB API reference, version 2012-08-10.
public struct DynamoDB: Sendable {
    let client: AWSClient

    /// DynamoDB in the client's region.
    public init(_ client: AWSClient) { self.client = client }

    /// The streams of the tables, by the same client.
    public var streams: DynamoDBStreams { DynamoDBStreams(client) }

    func call<Response: Decodable>(
        _ operation: String, _ request: some Encodable & NamesTables, isWrite: Bool = false,
        isTransaction: Bool = false, retryingContention: Bool = false
    ) async throws -> Response {
        do {
            let body = try ServiceJSON.bytes(of: request, operation: operation)
            var call = ServiceCall(
                json: .dynamoDB, targetPrefix: "DynamoDB_20120810", operation: operation, body: body, isWrite: isWrite)
            call.retryingContention = retryingContention
            if isTransaction { call.timeout = client.options.timeouts.transaction }
            return try ServiceJSON.value(of: try await client.call(call), for: call)
        } catch let error as AWSError {
            throw error.naming(operation, request.namedTables).advising(at: place)
        }
    }

    /// Where requests go.
    private var place: String {
        let endpoint = try? client.endpoints.url(of: .dynamoDB)
        return client.region + (endpoint.map { " (\($0))" } ?? "")
    }
}
