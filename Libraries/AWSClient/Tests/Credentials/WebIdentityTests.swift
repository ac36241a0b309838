import AWSClient
import Testing

@Suite("Web identity")
struct WebIdentityTests {
    private static func with(
        _ answer: @escaping LocalHTTPServer.Answer = FakeAWS.answer,
        _ body: (WebIdentityCredentials, CredentialsFolder, LocalHTTPServer) async throws -> Void
    ) async throws {
        try await CredentialsFolder.with { folder in
            try await LocalHTTPServer.with(answer) { server, transport in
                let environment = folder.environment(
                    [
                        "AWS_WEB_IDENTITY_TOKEN_FILE": "\(folder.path)/token",
                        "AWS_ROLE_ARN": "arn:aws:iam::1:role/web",
                        "AWS_ROLE_SESSION_NAME": "pod",
                    ], server: server.url)
                try await body(WebIdentityCredentials(environment: environment, transport: transport), folder, server)
            }
        }
    }

    @Test("The token is read for every request, sent without a signature, and without the newline behind it")
    func found() async throws {
        try await Self.with { provider, folder, server in
            try folder.write("token", "SECRET.JWT-1\n")
            #expect(try await provider.credentials().accessKeyID == "ROLE-web")
            try folder.write("token", "SECRET.JWT-2")
            #expect(try await provider.credentials().sessionToken == "SECRET-TOKEN-web")
            #expect(server.requests.map { FakeAWS.form($0)["WebIdentityToken"] } == ["SECRET.JWT-1", "SECRET.JWT-2"])
            #expect(server.requests.allSatisfy { $0.header("Authorization") == nil && $0.header("X-Amz-Date") == nil })
            #expect(server.requests.map { FakeAWS.form($0)["RoleSessionName"] } == ["pod", "pod"])
            #expect(
                server.requests.map { $0.header("Content-Type") }.first
                    == "application/x-www-form-urlencoded; charset=utf-8")
        }
    }

    @Test(
        "A file that is missing, too long, empty or no token is named, and not shown",
        arguments: [
            (nil, "is not there"), (String(repeating: "SECRET", count: 20_000), "too long"), ("", "does not hold"),
            ("SECRET SECRET", "does not hold"), ("SECRET\nSECRET", "does not hold"),
        ])
    func files(content: String?, phrase: String) async throws {
        try await Self.with { provider, folder, server in
            if let content { try folder.write("token", content) }
            let error = try await failure(.brokenCredentials) { try await provider.credentials() }
            #expect(error.message.contains(phrase) && error.message.contains("\(folder.path)/token"))
            #expect(server.requests.isEmpty)
        }
    }

    @Test("What AWS refuses keeps its code and request, and a token that it sends back is not shown")
    func refused() async throws {
        let answer = FakeAWS.refusal("InvalidIdentityToken", "No provider for SECRET.JWT &amp; others", status: 400)
        try await Self.with({ _ in answer }) { provider, folder, _ in
            try folder.write("token", "SECRET.JWT")
            let error = try await failure("InvalidIdentityToken") { try await provider.credentials() }
            #expect(error.message.contains("arn:aws:iam::1:role/web") && error.message.contains("& others"))
            #expect(error.requestID == "request-2" && error.status == 400)
        }
    }

    @Test("Without the variable there are no credentials, and without a role the variable is a mistake")
    func missing() async throws {
        let none = try await failure(.noCredentials) {
            try await WebIdentityCredentials(environment: [:], transport: NoTransport()).credentials()
        }
        #expect(none.message.contains("AWS_WEB_IDENTITY_TOKEN_FILE"))
        let role = try await failure(.brokenCredentials) {
            try await WebIdentityCredentials(
                environment: ["AWS_WEB_IDENTITY_TOKEN_FILE": "/x"], transport: NoTransport()
            ).credentials()
        }
        #expect(role.hint?.contains("AWS_ROLE_ARN") == true)
    }

    @Test("Without a region, the error says what to set")
    func region() async throws {
        try await CredentialsFolder.with { folder in
            let path = try folder.write("token", "SECRET")
            let error = try await failure(.invalidConfiguration) {
                try await WebIdentityCredentials(
                    environment: ["AWS_WEB_IDENTITY_TOKEN_FILE": path, "AWS_ROLE_ARN": "arn:aws:iam::1:role/x"],
                    transport: NoTransport()
                ).credentials()
            }
            #expect(error.hint?.contains("AWS_REGION") == true)
        }
    }
}
