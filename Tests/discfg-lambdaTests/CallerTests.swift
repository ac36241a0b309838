import DiscfgCore
import DiscfgEtcd
import DiscfgHTTP
import LambdaRuntime
import Logging
import Testing

@testable import discfg_lambda

@Suite("The author of a commit by Lambda is the caller")
struct CallerTests {
    /// Authorisers, and the names that they prove.
    static let authorizers: [(JSONValue, String)] = [
        (["iam": ["userArn": "arn:aws:iam::123456789012:user/alice"]], "user/alice"),
        (["jwt": ["claims": ["sub": "1234", "email": "alice@example.com"], "scopes": []]], "alice@example.com"),
        (["lambda": ["principalId": "alice"]], "alice"),
        // A gateway that does not know the caller passes on what the client claims.
        (.null, "boss"),
    ]

    @Test("The author is the name that the authoriser proves, for REST and every etcd API", arguments: authorizers)
    func author(authorizer: JSONValue, name: String) async throws {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let service = ConfigService(engine: MemoryEngine(), logger: logger)
        let etcd = EtcdAPI(
            store: service, config: .default, identity: EtcdIdentity(clusterID: 7, memberID: 8, name: "test"),
            logger: logger)
        let function = APIFunction(
            responder: DiscfgResponder(store: service, options: .init(etcd: EtcdOptions(etcd)), logger: logger),
            executor: nil, logger: logger)
        let requests = [
            ("PUT", "/v1/default/keys/a", "1"), ("PUT", "/v2/keys/b?value=1", ""),
            ("POST", "/v3/kv/put", #"{"key":"YQ==","value":"MQ=="}"#), ("POST", "/v3/lock/lock", #"{"name":"bA=="}"#),
        ]
        for (method, path, body) in requests {
            let parts = path.split(separator: "?").map(String.init)
            let event = try GatewayEvents.event(
                GatewayEvents.httpAPI,
                [
                    "rawPath": .string(parts[0]), "rawQueryString": .string(parts.count > 1 ? parts[1] : ""),
                    "headers": ["x-discfg-author": "boss", "if-match": .null], "body": .string(body),
                    "requestContext": [
                        "authorizer": authorizer, "http": ["method": .string(method), "path": .string(parts[0])],
                    ],
                ])
            let invocation = Invocation(
                requestID: "1", deadline: .now + .seconds(600), body: event.bytes)
            let answer = try JSONValue(parsing: try await function.answer(invocation))
            #expect([200, 201].contains(answer["statusCode"]?.integer ?? 0), "\(path): \(answer.text)")
        }
        let commits = try await service.changes(ChangesQuery(after: 1), in: .default).commits
        #expect(commits.map(\.author) == Array(repeating: name, count: requests.count))
    }
}
