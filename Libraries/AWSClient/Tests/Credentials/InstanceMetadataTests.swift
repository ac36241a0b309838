import AWSClient
import Testing

@Suite("Instance metadata")
struct InstanceMetadataTests {
    static let path = "/latest/meta-data/iam/security-credentials/"

    private func find(
        _ server: LocalHTTPServer, _ transport: any HTTPTransport, path: String = "", more: [String: String] = [:]
    ) async throws -> AWSCredentials {
        let variables = [
            "AWS_EC2_METADATA_SERVICE_ENDPOINT": server.url + path,
            // A loaded machine is slow.
            "AWS_METADATA_SERVICE_TIMEOUT": "20",
        ].merging(more) { $1 }
        return try await InstanceMetadataCredentials(environment: AWSEnvironment(variables), transport: transport)
            .credentials()
    }

    /// A service that answers one of its paths otherwise than it should.
    private static func service(_ target: String, _ response: HTTPResponse?) -> LocalHTTPServer.Answer {
        { $0.target == target ? response : FakeAWS.answer($0) }
    }

    @Test("A token is asked for and sent with what follows")
    func found() async throws {
        try await LocalHTTPServer.with(FakeAWS.answer) { server, transport in
            let found = try await find(server, transport)
            #expect(
                found.accessKeyID == "INSTANCE" && found.sessionToken == "SECRET" && found.expiration == 4_102_444_800)
            let requests = server.requests
            #expect(requests.map(\.method) == ["PUT", "GET", "GET"])
            #expect(requests.map(\.target) == ["/latest/api/token", Self.path, Self.path + "reader"])
            #expect(requests[0].header("X-aws-ec2-metadata-token-ttl-seconds") == "21600")
            #expect(requests.dropFirst().allSatisfy { $0.header("X-aws-ec2-metadata-token") == "SECRET-IMDS-TOKEN" })
        }
    }

    @Test(
        "The address is the one that every instance has, or the one that is set",
        arguments: [
            ([:], "http://169.254.169.254/latest/api/token"),
            (["AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE": "IPv6"], "http://[fd00:ec2::254]/latest/api/token"),
            (["AWS_EC2_METADATA_SERVICE_ENDPOINT": "http://a:1/base/"], "http://a:1/base/latest/api/token"),
            (["AWS_EC2_METADATA_SERVICE_ENDPOINT": "http://a:1/base"], "http://a:1/base/latest/api/token"),
        ])
    func addresses(variables: [String: String], url: String) async throws {
        let transport = Detour(to: "127.0.0.1:1", NoTransport())
        let error = try await failure(.noCredentials) {
            try await InstanceMetadataCredentials(environment: AWSEnvironment(variables), transport: transport)
                .credentials()
        }
        #expect(transport.urls == [url, url, url] && error.message.contains("nothing answers"))
    }

    @Test("A service that is switched off is not asked")
    func disabled() async throws {
        try await LocalHTTPServer.with(FakeAWS.answer) { server, transport in
            let error = try await failure(.noCredentials) {
                try await find(server, transport, more: ["AWS_EC2_METADATA_DISABLED": "True"])
            }
            #expect(error.message.contains("AWS_EC2_METADATA_DISABLED") && server.requests.isEmpty)
        }
    }

    @Test("No service, and no role, are no credentials")
    func none() async throws {
        for (target, response) in [
            ("/latest/api/token", HTTPResponse.text("", status: 403)), ("/latest/api/token", .text("", status: 404)),
            (Self.path, .text("<html>SECRET</html>", status: 404)),
        ] {
            try await LocalHTTPServer.with(Self.service(target, response)) { server, transport in
                _ = try await failure(.noCredentials) { try await find(server, transport) }
            }
        }
    }

    @Test("A service that does not answer is given three tries of a second")
    func silent() async throws {
        try await LocalHTTPServer.with({ _ in nil }) { server, transport in
            let error = try await failure(.noCredentials) {
                try await find(server, transport, more: ["AWS_METADATA_SERVICE_TIMEOUT": "1"])
            }
            #expect(error.message.contains(server.authority))
            // On a busy machine the time of a try can be over before it is sent.
            #expect((1...3).contains(server.requests.count))
        }
    }

    @Test("A service that stops answering is broken")
    func stops() async throws {
        try await LocalHTTPServer.with(Self.service(Self.path, nil)) { server, transport in
            let error = try await failure(.brokenCredentials) {
                try await find(server, transport, more: ["AWS_METADATA_SERVICE_TIMEOUT": "1"])
            }
            #expect(error.message.contains("did not answer"))
        }
    }

    @Test(
        "A token or a role that is none leads to no request",
        arguments: [
            ("/latest/api/token", "<html> SECRET</html>"), ("/latest/api/token", ""),
            ("/latest/api/token", "SECRET\r\nX: y"),
            ("/latest/api/token", String(repeating: "SECRET", count: 100_000)), (path, "../../SECRET"), (path, ""),
            (path, "\nreader"), (path, ".."), (path, "a b"), (path, "a?b"), (path, String(repeating: "a", count: 65)),
        ])
    func steps(target: String, body: String) async throws {
        try await LocalHTTPServer.with(Self.service(target, .text(body))) { server, transport in
            _ = try await failure(.brokenCredentials) { try await find(server, transport) }
            #expect(server.requests.last?.target == target)
        }
    }

    @Test("The first of several roles is taken, and what follows it is not looked at")
    func roles() async throws {
        try await LocalHTTPServer.with(Self.service(Self.path, .text("reader\nother\n"))) { server, transport in
            let found = try await find(server, transport)
            #expect(found.accessKeyID == "INSTANCE")
        }
    }

    @Test("An answer that is none is an error without anything of it", arguments: HostileAnswers.documents)
    func hostile(body: String, phrase: String) async throws {
        try await LocalHTTPServer.with(Self.service(Self.path + "reader", .text(body))) { server, transport in
            let error = try await failure(.brokenCredentials) { try await find(server, transport) }
            #expect(error.message.contains(phrase), "\(error)")
        }
    }

    @Test(
        "A failure, and a document that lacks what temporary credentials have, are errors",
        arguments: [
            (#"{"Code": "Failed", "Message": "SECRET"}"#, "“Failed”"),
            (#"{"Code": "AssumeRoleUnauthorizedAccess", "AccessKeyId": "A"}"#, "“AssumeRoleUnauthorizedAccess”"),
            (#"{"AccessKeyId": "A", "SecretAccessKey": "SECRET", "Expiration": "2100-01-01T00:00:00Z"}"#, "Token"),
            (#"{"AccessKeyId": "A", "SecretAccessKey": "SECRET", "Token": "SECRET"}"#, "Expiration"),
        ])
    func failed(body: String, phrase: String) async throws {
        try await LocalHTTPServer.with(Self.service(Self.path + "reader", .text(body))) { server, transport in
            let error = try await failure(.brokenCredentials) { try await find(server, transport) }
            #expect(error.message.contains(phrase))
        }
    }
}
