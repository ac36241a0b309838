import AWSClient
import AWSTestSupport
import Testing

extension Trait where Self == ConditionTrait {
    /// Skips where there is no ministack, and says why.
    static var needsMinistack: Self {
        .enabled(if: Ministack.skipReason == nil, Comment(rawValue: Ministack.skipReason ?? ""))
    }
}

extension StaticCredentials {
    /// The key of a user of the stand-in.
    init(_ key: AccessKey) { self.init(accessKeyID: key.id, secretAccessKey: key.secret) }
}

/// A client, and what its calls came to.
struct LiveClient {
    let client: AWSClient
    let calls: CallLog
    var dynamoDB: DynamoDB { DynamoDB(client) }

    /// Nothing but an answer ends a call, however slow this machine is: a call that is made again would find its own first try.
    static func options(calls: CallLog = CallLog()) -> AWSClient.Options {
        .init(timeouts: .init(connect: .seconds(30), request: .seconds(30)), onCall: { calls.add($0) })
    }

    /// Runs a test with a client, which nothing but an answer keeps waiting, however slow this machine is.
    static func with(
        _ endpoint: String, _ credentials: any CredentialsProvider, _ body: (LiveClient) async throws -> Void
    ) async throws {
        let calls = CallLog()
        let client = try AWSClient(
            region: Ministack.region, endpoint: endpoint, credentials: credentials,
            options: options(calls: calls))
        try await with(client, calls, body)
    }

    /// Runs a test with a client, and closes that.
    static func with(
        _ client: AWSClient, _ calls: CallLog = CallLog(), _ body: (LiveClient) async throws -> Void
    ) async throws {
        let live = LiveClient(client: client, calls: calls)
        let result = await Result { try await body(live) }
        try await live.client.shutdown()
        try result.get()
    }

    /// Makes a table with a text as partition key.
    func createTable(_ name: String) async throws {
        _ = try await dynamoDB.createTable(
            CreateTableRequest(
                tableName: name, attributeDefinitions: [.init(attributeName: "pk", attributeType: .string)],
                keySchema: [.init(attributeName: "pk", keyType: .hash)]))
    }
}
