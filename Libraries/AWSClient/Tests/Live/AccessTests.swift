import AWSClient
import AWSTestSupport
import Testing

/// What a server that checks signatures and policies makes of ours.
@Suite("Access, live", .needsMinistack)
struct AccessTests {
    private static let policy = """
        {"Version":"2012-10-17","Statement":[{"Effect":"Allow",\
        "Action":["dynamodb:CreateTable","dynamodb:GetItem","dynamodb:PutItem"],\
        "Resource":"arn:aws:dynamodb:\(Ministack.region):\(Ministack.account):table/own"}]}
        """
    private static func allowing(_ action: String) -> String {
        #"{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"\#(action)","Resource":"*"}]}"#
    }
    private static let key: [String: AttributeValue] = ["pk": .string("ä /+%\n")]

    @Test("A right signature passes, and each reason to refuse one has AWS's own code, message and request")
    func access() async throws {
        try await Ministack.with(checkingAccess: true) { ministack in
            let ann = try await ministack.createUser("ann", policy: Self.policy)
            try await LiveClient.with(ministack.url, StaticCredentials(ann)) { live in
                try await live.createTable("own")
                _ = try await live.dynamoDB.putItem(.init(tableName: "own", item: Self.key))
                #expect(try await live.dynamoDB.getItem(.init(tableName: "own", key: Self.key)).item == Self.key)
                try await expectRefusal("AccessDeniedException", live) {
                    _ = try await $0.deleteItem(.init(tableName: "own", key: Self.key))
                }
                try await expectRefusal("AccessDeniedException", live) {
                    _ = try await $0.getItem(.init(tableName: "foreign", key: Self.key))
                }
            }
            let wrong =
                [
                    (AccessKey(id: ann.id, secret: String(ann.secret.reversed())), "InvalidSignatureException"),
                    (AccessKey(id: "AKIAUNKNOWN000000000", secret: ann.secret), "UnrecognizedClientException"),
                ] as [(AccessKey, AWSError.Code)]
            for (key, code) in wrong {
                try await LiveClient.with(ministack.url, StaticCredentials(key)) { live in
                    try await expectRefusal(code, live) {
                        _ = try await $0.putItem(.init(tableName: "own", item: Self.key))
                    }
                }
            }
        }
    }

    @Test("An application that is told a profile, a region and an endpoint works as the role that the profile takes on")
    func role() async throws {
        try await Ministack.with(checkingAccess: true) { ministack in
            let ann = try await ministack.createUser("ann", policy: Self.allowing("sts:AssumeRole"))
            let trust = """
                {"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"sts:AssumeRole","Principal":{"AWS":"*"}}]}
                """
            _ = try await ministack.iam("CreateRole", ["RoleName": "writer", "AssumeRolePolicyDocument": trust])
            _ = try await ministack.iam(
                "PutRolePolicy", ["RoleName": "writer", "PolicyName": "test", "PolicyDocument": Self.policy])
            try await CredentialsFolder.with { folder in
                try folder.write(
                    "config",
                    """
                    [profile writer]
                    role_arn = arn:aws:iam::\(Ministack.account):role/writer
                    source_profile = ann
                    [profile ann]
                    aws_access_key_id = \(ann.id)
                    aws_secret_access_key = \(ann.secret)
                    """)
                try await FaultProxy.with(before: ministack.url) { proxy in
                    let configuration = try AWSConfiguration(
                        environment: folder.environment(server: ministack.url), profile: "writer",
                        region: Ministack.region, endpoint: proxy.url)
                    let client = try AWSClient(configuration: configuration, options: LiveClient.options())
                    try await LiveClient.with(client) { live in
                        try await live.createTable("own")
                        _ = try await live.dynamoDB.putItem(.init(tableName: "own", item: Self.key))
                        try await expectRefusal("AccessDeniedException", live) {
                            _ = try await $0.getItem(.init(tableName: "foreign", key: Self.key))
                        }
                    }
                    #expect(proxy.counts.operations.keys.sorted() == ["CreateTable", "GetItem", "PutItem"])
                }
            }
        }
    }

    @Test("AWS STS knows whose key it is, and refuses a wrong secret")
    func identity() async throws {
        try await Ministack.with(checkingAccess: true) { ministack in
            let ann = try await ministack.createUser("ann", policy: Self.allowing("sts:GetCallerIdentity"))
            let configuration = try AWSConfiguration(
                environment: ["AWS_REGION": Ministack.region, "AWS_ENDPOINT_URL": ministack.url])
            let transport = AsyncHTTPClientTransport()
            let result = await Result {
                let client = try STSClient(configuration: configuration, transport: transport)
                let identity = try await client.callerIdentity(of: try await StaticCredentials(ann).credentials())
                #expect(identity.account == Ministack.account && identity.arn.hasSuffix(":user/ann"))
                let wrong = AWSCredentials(accessKeyID: ann.id, secretAccessKey: "wrong")
                let error = await #expect(throws: AWSError.self) { try await client.callerIdentity(of: wrong) }
                #expect(error?.code == "SignatureDoesNotMatch" && error?.status == 403)
            }
            try await transport.shutdown()
            try result.get()
        }
    }

    private func expectRefusal(
        _ code: AWSError.Code, _ live: LiveClient, sourceLocation: SourceLocation = #_sourceLocation,
        _ call: (DynamoDB) async throws -> Void
    ) async throws {
        let found = await #expect(throws: AWSError.self, sourceLocation: sourceLocation) {
            try await call(live.dynamoDB)
        }
        let error = try #require(found, sourceLocation: sourceLocation)
        #expect(error.code == code, sourceLocation: sourceLocation)
        #expect(error.status.map { (400..<404).contains($0) } == true, sourceLocation: sourceLocation)
        #expect(error.message.count > 10 && !error.mayHaveTakenEffect, sourceLocation: sourceLocation)
        // The stand-in gives none here, where AWS does; the tests of DynamoDB have an error with one.
        #expect(error.requestID?.isEmpty != true, sourceLocation: sourceLocation)
        // None of them may get better by itself.
        #expect(live.calls.all.last?.attempts ?? 1 == 1, sourceLocation: sourceLocation)
    }
}
