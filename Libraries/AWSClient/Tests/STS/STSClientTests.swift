import AWSClient
import Testing

@Suite("STS client")
struct STSClientTests {
    static let identity = """
        <?xml version="1.0"?>
        <GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
          <GetCallerIdentityResult><Arn>arn:aws:iam::1:user/ann &amp; bob</Arn><UserId>AIDA</UserId>
          <Account>123456789012</Account></GetCallerIdentityResult>
        </GetCallerIdentityResponse>
        """
    static let keys = AWSCredentials(accessKeyID: "AKIA", secretAccessKey: "SECRET", sessionToken: "SECRET-T")

    private func client(_ server: LocalHTTPServer, _ transport: any HTTPTransport) throws -> STSClient {
        let environment: AWSEnvironment = ["AWS_REGION": "eu-west-1", "AWS_ENDPOINT_URL_STS": server.url]
        return try STSClient(
            configuration: AWSConfiguration(environment: environment), transport: transport,
            now: { 1_795_341_600 })
    }

    @Test("GetCallerIdentity is signed for the region, and its answer read")
    func callerIdentity() async throws {
        try await LocalHTTPServer.with({ _ in .text(Self.identity) }) { server, transport in
            let identity = try await client(server, transport).callerIdentity(of: Self.keys)
            #expect(identity.account == "123456789012" && identity.userID == "AIDA")
            #expect(identity.arn == "arn:aws:iam::1:user/ann & bob")
            let request = try #require(server.requests.first)
            #expect(request.method == "POST" && request.target == "/")
            #expect(request.text == "Action=GetCallerIdentity&Version=2011-06-15")
            let signature = try #require(request.header("Authorization"))
            #expect(signature.hasPrefix("AWS4-HMAC-SHA256 Credential=AKIA/20261122/eu-west-1/sts/aws4_request,"))
            #expect(request.header("X-Amz-Security-Token") == "SECRET-T")
            #expect(request.header("X-Amz-Date") == "20261122T100000Z")
        }
    }

    @Test("Parameters arrive as they were, whatever is in them")
    func parameters() async throws {
        try await LocalHTTPServer.with(FakeAWS.answer) { server, transport in
            let session = RoleSession(
                roleARN: "arn:aws:iam::1:role/a+b", name: "x=y@z", externalID: "a b&c=d%+ü\n", duration: 900)
            let found = try await client(server, transport).assumeRole(session, signedWith: Self.keys)
            #expect(found.accessKeyID == "ROLE-a+b" && found.expiration == 4_102_444_800)
            let form = FakeAWS.form(try #require(server.requests.first))
            #expect(
                form == [
                    "Action": "AssumeRole", "Version": "2011-06-15", "RoleArn": "arn:aws:iam::1:role/a+b",
                    "RoleSessionName": "x=y@z", "ExternalId": "a b&c=d%+ü\n", "DurationSeconds": "900",
                ])
        }
    }

    @Test("A refusal keeps AWS's code, sentence, status and request, and is not repeated")
    func refused() async throws {
        let answer = FakeAWS.refusal("ExpiredToken", "The token &quot;SECRET-T&quot; has expired")
        try await LocalHTTPServer.with({ _ in answer }) { server, transport in
            let error = try await failure("ExpiredToken") {
                try await client(server, transport).callerIdentity(of: Self.keys)
            }
            #expect(error.message == "The token \"…\" has expired" || error.message.contains("has expired"))
            #expect(error.status == 403 && error.requestID == "request-2" && server.requests.count == 1)
        }
    }

    @Test(
        "What may pass is tried three times",
        arguments: [
            (503, "ServiceUnavailable"), (400, "Throttling"), (400, "IDPCommunicationError"), (500, "InternalFailure"),
        ])
    func repeated(status: Int, code: String) async throws {
        let count = Tally()
        let answer: LocalHTTPServer.Answer = { _ in
            count.next() == 3 ? .text(Self.identity) : FakeAWS.refusal(code, "later", status: status)
        }
        try await LocalHTTPServer.with(answer) { server, transport in
            let identity = try await client(server, transport).callerIdentity(of: Self.keys)
            #expect(identity.userID == "AIDA" && server.requests.count == 3)
        }
        try await LocalHTTPServer.with({ _ in FakeAWS.refusal(code, "later", status: status) }) { server, transport in
            _ = try await failure(AWSError.Code(rawValue: code)) {
                try await client(server, transport).callerIdentity(of: Self.keys)
            }
            #expect(server.requests.count == 3)
        }
    }

    @Test(
        "An answer that AWS would not give is told as such, without anything of it",
        arguments: [
            (200, ""), (200, "SECRET"), (200, "<html><body>SECRET</body></html>"), (200, "{\"SECRET\": 1}"),
            (200, "<GetCallerIdentityResponse/>"), (403, "<html>SECRET"), (302, "SECRET"),
            (
                200,
                "<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>SECRET</Arn></GetCallerIdentityResult>"
                    + "</GetCallerIdentityResponse>"
            ),
            (200, String(repeating: "<a>", count: 100_000)), (200, String(repeating: "<a>", count: 1000)),
            (200, "<!DOCTYPE x [<!ENTITY a \"SECRET\">]>" + identity),
            (400, "<ErrorResponse><Error><Code>SECRET \n code</Code></Error></ErrorResponse>"),
            (400, "<ErrorResponse><Error><Code></Code><Message>SECRET</Message></Error></ErrorResponse>"),
            (200, String(repeating: " ", count: 300_000) + identity),
        ])
    func hostile(status: Int, body: String) async throws {
        try await LocalHTTPServer.with({ _ in .text(body, status: status) }) { server, transport in
            let error = try await failure(.invalidAnswer) {
                try await client(server, transport).callerIdentity(of: Self.keys)
            }
            #expect(error.hint?.contains("AWS_ENDPOINT_URL_STS") == true)
        }
    }

    @Test(
        "Credentials in an answer are looked at as those of every source",
        arguments: [
            ("2100-01-01T00:00:00Z", "2001-01-01T00:00:00Z", AWSError.Code.brokenCredentials),
            ("2100-01-01T00:00:00Z", "-1", .invalidAnswer),
            ("<Expiration>2100-01-01T00:00:00Z</Expiration>", "", .invalidAnswer),
            ("SECRET-TOKEN-r", "SECRET&#10;X: y", .brokenCredentials), ("SECRET-TOKEN-r", "", .invalidAnswer),
            ("ROLE-r", "a b", .brokenCredentials),
        ])
    func credentials(text: String, other: String, code: AWSError.Code) async throws {
        let body = FakeAWS.roleAnswer("AssumeRole", "r").replacing(text, with: other)
        try await LocalHTTPServer.with({ _ in .text(body) }) { server, transport in
            _ = try await failure(code) {
                try await client(server, transport).assumeRole(
                    RoleSession(roleARN: "r", name: "n"), signedWith: Self.keys)
            }
        }
    }

    @Test("A server that is not there is told with its address")
    func unreachable() async throws {
        let configuration = try AWSConfiguration(
            environment: ["AWS_REGION": "eu-west-1", "AWS_ENDPOINT_URL_STS": "http://127.0.0.1:1"])
        let client = try STSClient(configuration: configuration, transport: NoTransport())
        let error = try await failure(.noAnswer) { try await client.callerIdentity(of: Self.keys) }
        #expect(error.message.contains("127.0.0.1:1"))
    }
}
