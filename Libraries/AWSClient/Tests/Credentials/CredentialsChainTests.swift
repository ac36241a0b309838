import AWSClient
import Testing

@Suite("Credentials chain")
struct CredentialsChainTests {
    @Test("Where nothing has credentials, the error lists what was tried and says what to set")
    func nothing() async throws {
        try await CredentialsFolder.with { folder in
            let chain = CredentialsChain.standard(environment: folder.environment(), transport: NoTransport())
            let error = try await failure(.noCredentials) { try await chain.credentials() }
            for phrase in [
                "AWS_ACCESS_KEY_ID is not set", "the profile “default” is not in \(folder.path)/config",
                "AWS_WEB_IDENTITY_TOKEN_FILE is not set", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
                "AWS_EC2_METADATA_DISABLED is true", "aws configure",
            ] { #expect(error.description.contains(phrase), "\(error)") }
        }
    }

    @Test("A source that is broken ends the search, and so does a file that cannot be understood")
    func broken() async throws {
        try await CredentialsFolder.with { folder in
            try await LocalHTTPServer.with(FakeAWS.answer) { server, transport in
                try folder.write("config", "SECRET")
                let container = ["AWS_CONTAINER_CREDENTIALS_FULL_URI": "\(server.url)/container"]
                let chain = CredentialsChain.standard(
                    environment: folder.environment(container), transport: transport)
                _ = try await failure(.invalidConfiguration) { try await chain.credentials() }
                // What comes before the file does not need it.
                let keys = ["AWS_ACCESS_KEY_ID": "A", "AWS_SECRET_ACCESS_KEY": "SECRET"]
                let first = CredentialsChain.standard(environment: folder.environment(keys), transport: transport)
                #expect(try await first.credentials().accessKeyID == "A")
                #expect(server.requests.isEmpty)
            }
        }
    }

    @Test("The standard chain keeps what it found, and finds what was written since once that is thrown away")
    func kept() async throws {
        try await CredentialsFolder.with { folder in
            let keys = "[default]\naws_secret_access_key = SECRET\naws_access_key_id = "
            try folder.write("credentials", keys + "one")
            let chain = CredentialsChain.standard(environment: folder.environment(), transport: NoTransport())
            #expect(try await chain.credentials().accessKeyID == "one")
            try folder.write("credentials", keys + "two")
            #expect(try await chain.credentials().accessKeyID == "one")
            await chain.invalidate(try await chain.credentials())
            #expect(try await chain.credentials().accessKeyID == "two")
        }
    }

    @Test("The environment of this process can be taken")
    func process() { #expect(AWSEnvironment.process()["PATH"] != nil) }
}
