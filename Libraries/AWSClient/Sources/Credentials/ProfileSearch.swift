/// One search for the credentials of a profile, through files that were read for it.
///
/// Source: botocore's `credentials.py`, `create_credential_resolver` and `ProfileProviderBuilder`.
struct ProfileSearch: Sendable {
    let configuration: AWSConfiguration
    let transport: any HTTPTransport
    let now: @Sendable () -> Double

    var files: SharedFiles { configuration.files }

    /// What a profile has besides a role that is taken on with other credentials.
    ///
    /// - Parameters:
    ///   - name: The profile's name.
    ///   - variables: Where a web identity may be named, too.
    /// - Returns: `nil` if it has nothing.
    /// - Throws: What is wrong with what it has, or `CancellationError`.
    func ownCredentials(of name: String, variables: AWSEnvironment?) async throws -> AWSCredentials? {
        let profile = files.profile(name)
        if let identity = try WebIdentity(environment: variables, profile: profile) {
            return try await identity.credentials(configuration, transport, now)
        }
        if profile?["sso_role_name"] != nil || profile?["sso_account_id"] != nil {
            throw Self.unsupported("IAM Identity Center (SSO)", login: "aws sso login", name)
        }
        if let keys = try keys(files.keys[name], of: files.credentialsPath) { return keys }
        if profile?["login_session"] != nil { throw Self.unsupported("“aws login”", login: "aws login", name) }
        if let command = profile?["credential_process"] {
            let source = "The credential_process of the profile \(Quoted(name))"
            return try await ProcessCredentials(command, configuration.environment, source: source, now: now)
                .credentials()
        }
        return try keys(files.config.profiles[name], of: files.configPath)
    }

    /// The keys that stand in one of the files.
    private func keys(_ profile: Profile?, of path: String?) throws(AWSError) -> AWSCredentials? {
        guard let profile else { return nil }
        let names = ("aws_access_key_id", "aws_secret_access_key")
        let (id, secret) = (profile[names.0], profile[names.1])
        guard id != nil || secret != nil else { return nil }
        let place = "the profile \(Quoted(profile.name)) of \(Quoted(path ?? ""))"
        guard let id, let secret else {
            let (missing, there) = id == nil ? names : (names.1, names.0)
            throw .broken("\(there) is in \(place), and \(missing) is not.", hint: "Write both there, or none.")
        }
        return try AWSCredentials(id, secret, token: profile["aws_security_token"] ?? profile["aws_session_token"])
            .checked(from: place.capitalisedFirst, now: now())
    }

    private static func unsupported(_ what: String, login: String, _ name: String) -> AWSError {
        let shown = Quoted.shown(name)
        return .broken(
            "The profile \(Quoted(name)) signs in with \(what), which is not supported here.",
            hint: "Sign in with “\(login) --profile \(shown)”, and use another profile that has “credential_process = "
                + "aws configure export-credentials --profile \(shown)”.")
    }
}

extension String {
    /// With a capital first letter, as the beginning of a sentence.
    fileprivate var capitalisedFirst: String { prefix(1).uppercased() + dropFirst() }
}
