import Testing

@testable import AWSClient

@Suite("Clients")
struct ClientTests {
    private static let keys = ["AWS_ACCESS_KEY_ID": "KEY", "AWS_SECRET_ACCESS_KEY": "SECRET"]

    @Test("A client from a configuration asks where the configuration says, as whom the standard chain finds")
    func configured() async throws {
        try await CredentialsFolder.with { folder in
            try folder.write(
                "config",
                """
                [default]
                region = eu-west-1
                [profile local]
                region = us-west-2
                aws_access_key_id = LOCAL
                aws_secret_access_key = SECRET
                services = here
                [services here]
                dynamodb =
                  endpoint_url = http://127.0.0.1:8000
                """)
            var variables = Self.keys
            variables["AWS_CONFIG_FILE"] = "\(folder.path)/config"
            let environment = AWSEnvironment(variables)
            let usual = try await asked(AWSConfiguration(environment: environment))
            #expect(
                usual == [
                    "https://dynamodb.eu-west-1.amazonaws.com/ KEY eu-west-1",
                    "https://streams.dynamodb.eu-west-1.amazonaws.com/ KEY eu-west-1",
                ])
            let profile = try await asked(AWSConfiguration(environment: environment, profile: "local"))
            #expect(
                profile == [
                    "http://127.0.0.1:8000/ LOCAL us-west-2",
                    "https://streams.dynamodb.us-west-2.amazonaws.com/ LOCAL us-west-2",
                ])
            let passed = try await asked(
                AWSConfiguration(environment: environment, region: "cn-north-1", endpoint: "http://127.0.0.1:1"))
            #expect(passed == Array(repeating: "http://127.0.0.1:1/ KEY cn-north-1", count: 2))
        }
    }

    /// Asks DynamoDB and its streams; returns each request's address, key and region.
    private func asked(_ configuration: AWSConfiguration) async throws -> [String] {
        let transport = ScriptedTransport([.success, .success])
        let client = try AWSClient(configuration: configuration, transport: transport)
        #expect(try configuration.region().name == client.region)
        _ = try await DynamoDB(client).describeTable(.init(tableName: "t"))
        _ = try await DynamoDBStreams(client).describeStream(.init(streamArn: "a"))
        return transport.requests.map { request in
            let scope = request.headers.first { $0.name == "Authorization" }?.value
                .firstMatch(of: /Credential=([^\/]*)\/\d*\/([^\/]*)\/dynamodb\//)
            return "\(request.url) \(scope?.1 ?? "") \(scope?.2 ?? "")"
        }
    }

    @Test("Without a configuration it asks each region's own domain, or the one endpoint")
    func told() throws {
        func url(_ region: String, _ endpoint: String?, _ service: AWSService) throws -> String {
            let client = try AWSClient(
                region: region, endpoint: endpoint, credentials: CountedCredentials(), transport: ScriptedTransport([]))
            return try client.endpoints.url(of: service)
        }
        #expect(try url("eu-west-1", nil, .dynamoDBStreams) == "https://streams.dynamodb.eu-west-1.amazonaws.com/")
        #expect(try url("cn-north-1", nil, .kms) == "https://kms.cn-north-1.amazonaws.com.cn/")
        #expect(try url("x", "http://127.0.0.1:1/", .dynamoDBStreams) == "http://127.0.0.1:1/")
        #expect(try url("x", "http://127.0.0.1:1", .dynamoDBStreams) == "http://127.0.0.1:1/")
        #expect(try url("x", "https://Host.example/base", .sns) == "https://host.example/base")
    }

    @Test(
        "A region or an endpoint that could lead elsewhere makes no client, and a password in it is not shown",
        arguments: [
            ("", nil), ("eu-west-1.evil.example/", nil), ("a@evil.example", nil), ("EU-WEST-1", nil), ("a b", nil),
            ("a\r\nX: y", nil), ("é", nil), ("r", ""), ("r", "localhost"), ("r", "ftp://h"),
            ("r", "http://user:SECRET@h"), ("r", "http://h?SECRET"), ("r", "http://h#a"), ("r", "http://h/\r\nX: y"),
            ("r", "http://h\\@evil.example"), ("r", "http://[::1"),
        ] as [(String, String?)])
    func refused(region: String, endpoint: String?) async throws {
        _ = try await failure(.invalidConfiguration) {
            try AWSClient(region: region, endpoint: endpoint, credentials: CountedCredentials())
        }
        var variables = Self.keys
        variables["AWS_ENDPOINT_URL_DYNAMODB_STREAMS"] = endpoint
        guard region != "", endpoint != "" else { return }
        variables["AWS_REGION"] = region
        _ = try await failure(.invalidConfiguration) {
            try AWSClient(configuration: AWSConfiguration(environment: AWSEnvironment(variables)))
        }
    }

    @Test("Without a region there is no client; a service that is never called may have a bad endpoint")
    func lazily() async throws {
        let missing = try await failure(.invalidConfiguration) {
            try AWSClient(configuration: AWSConfiguration(environment: ["AWS_ENDPOINT_URL": "http://127.0.0.1:1"]))
        }
        #expect(missing.hint?.contains("AWS_REGION") == true)
        let transport = ScriptedTransport([.success])
        let client = try AWSClient(
            configuration: AWSConfiguration(environment: [
                "AWS_REGION": "r", "AWS_ENDPOINT_URL_KMS": "http://u:SECRET@h",
            ]),
            credentials: CountedCredentials(), transport: transport)
        _ = try await DynamoDB(client).describeTable(.init(tableName: "t"))
        let call = ServiceCall(json: .kms, targetPrefix: "TrentService", operation: "Sign", body: [], isWrite: true)
        let error = try await failure(.invalidConfiguration) { try await client.call(call) }
        #expect(error.message.contains("AWS_ENDPOINT_URL_KMS") && !error.mayHaveTakenEffect)
        #expect(transport.requests.count == 1)
    }

    @Test("A client closes the connections that it made itself, with those of its chain, and no others")
    func shutdown() async throws {
        try await LocalHTTPServer.with(FakeAWS.answer) { server, transport in
            let configuration = try AWSConfiguration(
                environment: [
                    "AWS_REGION": "r", "AWS_CONTAINER_CREDENTIALS_FULL_URI": "\(server.url)/container",
                    "AWS_ENDPOINT_URL": server.url,
                ])
            let client = try AWSClient(configuration: configuration)
            // The server knows no DynamoDB, but it is asked, with the container's key.
            _ = try await failure(.invalidAnswer) { try await DynamoDB(client).describeTable(.init(tableName: "t")) }
            #expect(server.requests.last?.header("Authorization")?.contains("Credential=CONTAINER/") == true)
            try await client.shutdown()
            _ = try await failure(.noAnswer) { try await DynamoDB(client).describeTable(.init(tableName: "t")) }

            let guest = try AWSClient(configuration: configuration, transport: transport)
            try await guest.shutdown()
            _ = try await failure(.invalidAnswer) { try await DynamoDB(guest).describeTable(.init(tableName: "t")) }
        }
    }
}
