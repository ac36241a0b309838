import AWSClient
import Testing

/// What the layouts do not tell: which words an error has, and what a signature is made with.
@Suite("Profile credentials")
struct ProfileCredentialsTests {
    private func find(
        _ config: String, profile: String? = nil, variables: [String: String] = [:],
        answer: @escaping LocalHTTPServer.Answer = FakeAWS.answer
    ) async throws -> AWSCredentials {
        try await CredentialsFolder.with { folder in
            try await LocalHTTPServer.with(answer) { server, transport in
                try folder.write("config", config)
                let provider = ProfileCredentials(
                    environment: folder.environment(variables, server: server.url), profile: profile,
                    transport: transport)
                #expect(!Secrecy.isLeaking(provider))
                return try await provider.credentials()
            }
        }
    }

    static let role = "role_arn = arn:aws:iam::1:role/r\n"

    @Test(
        "A mistake is told with the profile's name and what to do",
        arguments: [
            (
                "[default]\nsso_account_id = 1\n",
                ["“default”", "SSO", "aws sso login --profile default", "export-credentials"]
            ),
            ("[default]\nlogin_session = x\n", ["“default”", "aws login --profile default", "export-credentials"]),
            (
                "[default]\n\(role)source_profile = b\nmfa_serial = arn:aws:iam::1:mfa/ann\n[profile b]\nregion = x\n",
                ["“default”", "mfa_serial", "“arn:aws:iam::1:mfa/ann”", "export-credentials"]
            ),
            (
                "[default]\n\(role)source_profile = b\n[profile b]\n\(role)source_profile = c\n[profile c]\n\(role)"
                    + "source_profile = b\n", ["“c”", "“default” → “b” → “c” → “b”"]
            ),
            ("[default]\n\(role)source_profile = b\n", ["“default”", "source_profile “b”", "config"]),
            ("[default]\n\(role)", ["“default”", "neither source_profile nor credential_source"]),
            (
                "[default]\n\(role)credential_source = Environment\n",
                ["“default”", "Environment", "AWS_ACCESS_KEY_ID is not set"]
            ),
            ("[default]\n\(role)credential_source = Moon\n", ["“default”", "“Moon”", "Ec2InstanceMetadata"]),
            ("[default]\ncredential_process = false\n", ["“default”", "credential_process", "status 1"]),
            ("[default]\naws_access_key_id = A\n", ["“default”", "aws_secret_access_key is not", "config"]),
            ("[default]\naws_secret_access_key = SECRET\n", ["“default”", "aws_access_key_id is not"]),
            ("[default]\naws_access_key_id = A\naws_secret_access_key = SECRET SECRET\n", ["“default”", "secret key"]),
            (
                "[default]\n\(role)credential_source = Environment\nduration_seconds = -5\n",
                ["“default”", "duration_seconds", "“-5”"]
            ),
        ])
    func mistakes(config: String, phrases: [String]) async throws {
        let error = try await failure(.brokenCredentials) { try await find(config) }
        for phrase in phrases { #expect(error.description.contains(phrase), "\(error)") }
    }

    @Test("A profile that is named and not there is an error, one that nobody named is none")
    func missing() async throws {
        let named = try await failure(.invalidConfiguration) { try await find("[profile a]\n", profile: "b") }
        #expect(named.message.contains("“b”") && named.hint?.contains("“a”") == true)
        let unnamed = try await failure(.noCredentials) { try await find("[profile a]\n") }
        #expect(unnamed.message.contains("“default”"))
    }

    @Test("Ten roles may follow each other, and no more")
    func chain() async throws {
        func chain(_ count: Int) -> String {
            (1...count).map { "[profile p\($0)]\n\(Self.role)source_profile = p\($0 + 1)\n" }.joined()
                + "[profile p\(count + 1)]\naws_access_key_id = A\naws_secret_access_key = SECRET\n"
        }
        #expect(try await find(chain(10), profile: "p1").accessKeyID == "ROLE-r")
        let error = try await failure(.brokenCredentials) { try await find(chain(11), profile: "p1") }
        #expect(error.message.contains("More than 10"))
    }

    @Test("What AWS says to a role is told with the role and the profile, under AWS's own code")
    func refused() async throws {
        let keys = "aws_access_key_id = A\naws_secret_access_key = SECRET\n"
        let answer = FakeAWS.refusal("AccessDenied", "User: arn:aws:iam::1:user/ann is not authorized")
        let error = try await failure("AccessDenied") {
            try await find("[default]\n\(Self.role)source_profile = default\n\(keys)", answer: { _ in answer })
        }
        for phrase in ["“arn:aws:iam::1:role/r”", "“default”", "not authorized"] {
            #expect(error.message.contains(phrase))
        }
        #expect(error.requestID == "request-2")
    }

    @Test("The region of the profile is where a role is asked for, unless a variable says otherwise")
    func region() async throws {
        let config = "[default]\nregion = ap-south-1\n\(Self.role)credential_source = Environment\n"
        let keys = ["AWS_ACCESS_KEY_ID": "A", "AWS_SECRET_ACCESS_KEY": "SECRET", "AWS_REGION": ""]
        for (more, scope) in [([:], "/ap-south-1/sts/"), (["AWS_REGION": "eu-north-1"], "/eu-north-1/sts/")] {
            _ = try await find(config, variables: keys.merging(more) { $1 }) { request in
                #expect(request.header("Authorization")?.contains(scope) == true)
                return FakeAWS.answer(request)
            }
        }
    }
}
