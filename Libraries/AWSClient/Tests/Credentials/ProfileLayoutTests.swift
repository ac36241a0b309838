import AWSClient
import Testing

/// The standard chain, against what botocore does with the same files and variables.
@Suite("Profile layouts")
struct ProfileLayoutTests {
    typealias Outcome = ProfileVectors.Layout.Outcome

    @Test(
        "The chain finds what botocore finds, and asks AWS for it as botocore does",
        arguments: ProfileVectors.all.layouts)
    func layouts(layout: ProfileVectors.Layout) async throws {
        try await CredentialsFolder.with { folder in
            try await LocalHTTPServer.with(FakeAWS.answer) { server, transport in
                let outcome = try await outcome(layout, folder, server, transport)
                #expect(outcome == layout.ours ?? layout.expected)
            }
        }
    }

    @Test("There are layouts to compare with")
    func isThere() { #expect(ProfileVectors.all.layouts.count > 60) }

    private func outcome(
        _ layout: ProfileVectors.Layout, _ folder: CredentialsFolder, _ server: LocalHTTPServer,
        _ transport: any HTTPTransport
    ) async throws -> Outcome {
        func filled(_ text: String) -> String {
            text.replacing("{folder}", with: folder.path).replacing("{server}", with: server.url)
        }
        try folder.write("config", filled(layout.config ?? ""))
        try folder.write("credentials", filled(layout.credentials ?? ""))
        for (name, text) in layout.files ?? [:] { try folder.write(name, text) }
        let environment = folder.environment((layout.env ?? [:]).mapValues(filled), server: server.url)
        let chain = CredentialsChain.standard(
            environment: environment, profile: layout.profile, transport: transport)
        do {
            let found = try await chain.credentials()
            #expect(!Secrecy.isLeaking(found) && !Secrecy.isLeaking(chain) && !Secrecy.isLeaking(environment))
            return Outcome(key: found.accessKeyID, token: found.sessionToken, calls: server.requests.compactMap(call))
        } catch let error as AWSError {
            #expect(!Secrecy.isLeaking(error))
            return error.code == .noCredentials ? Outcome(none: true) : Outcome(error: true)
        }
    }

    /// What AWS STS was asked.
    private func call(_ request: LocalHTTPServer.Request) -> ProfileVectors.Layout.Call? {
        guard request.method == "POST" else { return nil }
        let form = FakeAWS.form(request)
        #expect(form["Version"] == "2011-06-15")
        let session = form["RoleSessionName"].flatMap { $0.hasPrefix("discfg-") ? nil : $0 }
        let key = request.header("Authorization")?.split(separator: "Credential=").last?.prefix { $0 != "/" }
        return .init(
            action: form["Action"], role: form["RoleArn"], token: form["WebIdentityToken"], session: session,
            external: form["ExternalId"], duration: form["DurationSeconds"].flatMap { Int($0) },
            signer: key.map { String($0) })
    }
}
