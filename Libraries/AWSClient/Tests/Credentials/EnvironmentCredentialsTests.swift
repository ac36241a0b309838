import AWSClient
import Testing

@Suite("Environment credentials")
struct EnvironmentCredentialsTests {
    private func find(_ variables: [String: String], now: Double = 1_800_000_000) async throws -> AWSCredentials {
        try await EnvironmentCredentials(environment: AWSEnvironment(variables), now: { now }).credentials()
    }

    @Test("The three variables are what is found, and an empty token is none")
    func found() async throws {
        let pair = ["AWS_ACCESS_KEY_ID": "AKIA", "AWS_SECRET_ACCESS_KEY": "SECRET"]
        #expect(try await find(pair) == AWSCredentials(accessKeyID: "AKIA", secretAccessKey: "SECRET"))
        #expect(try await find(pair.merging(["AWS_SESSION_TOKEN": ""]) { $1 }).sessionToken == nil)
        let temporary = try await find(
            pair.merging(["AWS_SESSION_TOKEN": "SECRET-T", "AWS_CREDENTIAL_EXPIRATION": "2030-01-01T00:00:00Z"]) { $1 })
        #expect(temporary.sessionToken == "SECRET-T" && temporary.expiration == 1_893_456_000)
    }

    @Test(
        "None are no credentials, and half a pair is an error that names the missing one",
        arguments: [
            ([:], AWSError.Code.noCredentials, "AWS_ACCESS_KEY_ID is not set"),
            (["AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""], .noCredentials, "AWS_ACCESS_KEY_ID is not set"),
            (["AWS_ACCESS_KEY_ID": "A"], .brokenCredentials, "AWS_SECRET_ACCESS_KEY is not"),
            (["AWS_SECRET_ACCESS_KEY": "SECRET"], .brokenCredentials, "AWS_ACCESS_KEY_ID is not"),
            (
                ["AWS_ACCESS_KEY_ID": "A", "AWS_SECRET_ACCESS_KEY": "SECRET\nX: Y"], .brokenCredentials, "secret key"
            ),
            (["AWS_ACCESS_KEY_ID": "A B", "AWS_SECRET_ACCESS_KEY": "SECRET"], .brokenCredentials, "access key"),
            (
                ["AWS_ACCESS_KEY_ID": "A", "AWS_SECRET_ACCESS_KEY": "SECRET", "AWS_SESSION_TOKEN": "SECRETé"],
                .brokenCredentials, "session token"
            ),
            (
                ["AWS_ACCESS_KEY_ID": "A", "AWS_SECRET_ACCESS_KEY": "SECRET", "AWS_CREDENTIAL_EXPIRATION": "soon"],
                .brokenCredentials, "“soon”"
            ),
            (
                [
                    "AWS_ACCESS_KEY_ID": "A", "AWS_SECRET_ACCESS_KEY": "SECRET",
                    "AWS_CREDENTIAL_EXPIRATION": "2020-01-01T00:00:00Z",
                ], .brokenCredentials, "expired"
            ),
        ])
    func refused(variables: [String: String], code: AWSError.Code, phrase: String) async throws {
        let error = try await failure(code) { try await find(variables) }
        #expect(error.message.contains(phrase))
    }

    @Test("Static credentials are given back")
    func fixed() async throws {
        let fixed = StaticCredentials(accessKeyID: "A", secretAccessKey: "SECRET", sessionToken: "SECRET-T")
        let credentials = try await fixed.credentials()
        #expect(credentials.accessKeyID == "A" && credentials.sessionToken == "SECRET-T")
        #expect(try await StaticCredentials(credentials).credentials() == credentials)
        #expect(!Secrecy.isLeaking(fixed) && !Secrecy.isLeaking(credentials))
        #expect(Secrecy.shown(credentials).contains("A"))
    }
}
