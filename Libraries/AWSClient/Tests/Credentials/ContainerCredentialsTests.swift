import Testing

@testable import AWSClient

@Suite("Container credentials")
struct ContainerCredentialsTests {
    @Test("The full address is asked, with its query and the token, and the answer is what is found")
    func full() async throws {
        try await LocalHTTPServer.with({ _ in .text(FakeAWS.document("C")) }) { server, transport in
            let found = try await ContainerCredentials(
                environment: [
                    "AWS_CONTAINER_CREDENTIALS_FULL_URI": "\(server.url)/v1/creds?a=b%20c",
                    "AWS_CONTAINER_AUTHORIZATION_TOKEN": "Bearer SECRET",
                ], transport: transport
            ).credentials()
            #expect(found.accessKeyID == "C" && found.secretAccessKey == "SECRET-C" && found.sessionToken == "SECRET")
            #expect(found.expiration == 4_102_444_800)
            let request = try #require(server.requests.first)
            #expect(request.target == "/v1/creds?a=b%20c" && request.header("Authorization") == "Bearer SECRET")
            #expect(server.requests.count == 1)
        }
    }

    @Test("A relative path is asked for at the address of Amazon ECS, before a full address")
    func relative() async throws {
        try await LocalHTTPServer.with({ _ in .text(FakeAWS.document("C")) }) { server, transport in
            let detour = Detour(to: server.authority, transport)
            let found = try await ContainerCredentials(
                environment: [
                    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "/v2/credentials/1",
                    "AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://127.0.0.1:1/",
                ], transport: detour
            ).credentials()
            #expect(found.accessKeyID == "C")
            #expect(detour.urls == ["http://169.254.170.2/v2/credentials/1"])
        }
    }

    @Test("The file with the token is read for every request, and holds against the token")
    func tokenFile() async throws {
        try await CredentialsFolder.with { folder in
            try await LocalHTTPServer.with({ _ in .text(FakeAWS.document("C")) }) { server, transport in
                let path = try folder.write("token", "SECRET-1")
                let provider = ContainerCredentials(
                    environment: [
                        "AWS_CONTAINER_CREDENTIALS_FULL_URI": server.url,
                        "AWS_CONTAINER_AUTHORIZATION_TOKEN": "SECRET-0",
                        "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": path,
                    ], transport: transport)
                _ = try await provider.credentials()
                try folder.write("token", "SECRET-2")
                _ = try await provider.credentials()
                #expect(server.requests.map { $0.header("Authorization") } == ["SECRET-1", "SECRET-2"])
                #expect(!Secrecy.isLeaking(provider))
                try folder.write("token", "SECRET-3\n")
                let newline = try await failure(.brokenCredentials) { try await provider.credentials() }
                #expect(newline.message.contains("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"))
                try folder.write("token", String(repeating: "SECRET", count: 10_000))
                let long = try await failure(.brokenCredentials) { try await provider.credentials() }
                #expect(long.message.contains("too long"))
                #expect(server.requests.count == 2)
            }
        }
    }

    @Test(
        "An address that must not be asked is not asked",
        arguments: [
            "http://169.254.169.254/x", "http://evil.example/", "http://127.0.0.1.evil.example/", "http://10.0.0.1/",
            "http://localhost@evil.example/SECRET", "http://[::2]/", "ftp://127.0.0.1/", "127.0.0.1", "http://0x7f.1/",
            "http://169.254.170.2.evil.example/", "http://[fd00:ec2::24]/", "http://127.0.0.1\\@evil.example/",
        ])
    func forbidden(url: String) async throws {
        let transport = Detour(to: "127.0.0.1:1", NoTransport())
        let error = try await failure(.brokenCredentials) {
            try await ContainerCredentials(
                environment: ["AWS_CONTAINER_CREDENTIALS_FULL_URI": url], transport: transport
            ).credentials()
        }
        #expect(error.message.contains("AWS_CONTAINER_CREDENTIALS_FULL_URI") && transport.urls.isEmpty)
    }

    @Test(
        "TLS, loopback addresses and those of AWS may be asked",
        arguments: [
            "https://any.example/x", "http://127.9.9.9:1/", "http://localhost:1/", "http://[::1]:1/",
            "http://169.254.170.2/",
            "http://169.254.170.23/v1/credentials", "http://[fd00:ec2::23]/v1/credentials", "http://[fd00:ec2:0::23]/",
        ])
    func allowed(url: String) async throws {
        let transport = Detour(to: "127.0.0.1:1", NoTransport())
        _ = try await failure(.brokenCredentials) {
            try await ContainerCredentials(
                environment: ["AWS_CONTAINER_CREDENTIALS_FULL_URI": url], transport: transport
            ).credentials()
        }
        #expect(transport.urls == [url, url, url])
    }

    @Test(
        "A relative path cannot continue the host's name, nor a token the head of the request",
        arguments: [
            ["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "@evil.example/"],
            ["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": ".evil.example/"],
            ["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "/a\r\nHost: b"],
            ["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "/a", "AWS_CONTAINER_AUTHORIZATION_TOKEN": "SECRET\r\nX: y"],
            ["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "/a", "AWS_CONTAINER_AUTHORIZATION_TOKEN": "SECRETé"],
        ])
    func injection(variables: [String: String]) async throws {
        let transport = Detour(to: "127.0.0.1:1", NoTransport())
        _ = try await failure(.brokenCredentials) {
            try await ContainerCredentials(environment: AWSEnvironment(variables), transport: transport).credentials()
        }
        #expect(transport.urls.isEmpty)
    }

    @Test(
        "An error of the server is asked past, one of ours is not", arguments: [(500, 3), (429, 3), (403, 1), (302, 1)])
    func statuses(status: Int, count: Int) async throws {
        let answer = HTTPResponse(
            status: status, headers: [HTTPHeader("Location", "/SECRET")], body: Array("SECRET".utf8))
        try await LocalHTTPServer.with({ _ in answer }) { server, transport in
            let error = try await failure(.brokenCredentials) { try await find(server, transport) }
            #expect(error.message.contains("\(status)") && error.status == status && server.requests.count == count)
        }
    }

    @Test("A server that comes to itself is believed")
    func recovers() async throws {
        let count = Tally()
        let answer: LocalHTTPServer.Answer = { _ in
            count.next() < 3 ? .text("", status: 503) : .text(FakeAWS.document("C"))
        }
        try await LocalHTTPServer.with(answer) { server, transport in
            let found = try await find(server, transport)
            #expect(found.accessKeyID == "C")
        }
    }

    @Test("An answer that is none is an error without anything of it", arguments: HostileAnswers.documents)
    func hostile(body: String, phrase: String) async throws {
        try await LocalHTTPServer.with({ _ in .text(body) }) { server, transport in
            let error = try await failure(.brokenCredentials) { try await find(server, transport) }
            #expect(error.message.contains(phrase), "\(error)")
        }
    }

    @Test("A document without a token and an expiration is taken, as some endpoints have none")
    func bare() async throws {
        try await LocalHTTPServer.with({ _ in
            .text(#"{"AccessKeyId": "A", "SecretAccessKey": "SECRET", "Token": null}"#)
        }) {
            server, transport in
            let found = try await find(server, transport)
            #expect(found == AWSCredentials(accessKeyID: "A", secretAccessKey: "SECRET"))
        }
    }

    private func find(_ server: LocalHTTPServer, _ transport: any HTTPTransport) async throws -> AWSCredentials {
        try await ContainerCredentials(
            environment: ["AWS_CONTAINER_CREDENTIALS_FULL_URI": server.url], transport: transport
        ).credentials()
    }
}
