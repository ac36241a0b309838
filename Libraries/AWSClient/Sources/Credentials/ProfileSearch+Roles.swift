extension ProfileSearch {
    /// How many roles may be taken on one after the other.
    private static let chainLimit = 10

    /// The credentials of the role that a profile takes on with other credentials.
    ///
    /// - Parameters:
    ///   - name: The profile's name.
    ///   - visited: The profiles on the way, this one last.
    /// - Returns: `nil` if it names no such role.
    /// - Throws: What is wrong with the role or with its source, or `CancellationError`.
    func roleCredentials(of name: String, visited: [String]) async throws -> AWSCredentials? {
        guard let profile = files.profile(name), Self.takesRole(profile), let role = profile["role_arn"] else {
            return nil
        }
        guard visited.count <= Self.chainLimit else {
            throw AWSError.broken(
                "More than \(Self.chainLimit) profiles take on roles with each other: \(way(visited)).")
        }
        if let serial = profile["mfa_serial"] {
            throw AWSError.broken(
                "The profile \(Quoted(name)) wants a code of the device \(Quoted(serial)) (mfa_serial), and nobody can be "
                    + "asked for one here.",
                hint: "Use another profile, with "
                    + "“credential_process = aws configure export-credentials --profile \(Quoted.shown(name))”.")
        }
        let duration = try duration(profile)
        let source = try await sourceCredentials(of: profile, visited)
        let session = RoleSession(
            roleARN: role, name: profile["role_session_name"] ?? RoleSession.name(at: now()),
            externalID: profile["external_id"], duration: duration)
        do {
            return try await STSClient(configuration: configuration, transport: transport, now: now)
                .assumeRole(session, signedWith: source)
        } catch let error as AWSError {
            throw error.about("The role \(Quoted(role)) of the profile \(Quoted(name)) was not given")
        }
    }

    private static func takesRole(_ profile: Profile) -> Bool {
        profile["role_arn"] != nil && profile["web_identity_token_file"] == nil
    }

    private static func hasKeys(_ profile: Profile) -> Bool {
        profile["aws_access_key_id"] != nil || profile["aws_secret_access_key"] != nil
    }

    private func duration(_ profile: Profile) throws(AWSError) -> Int? {
        guard let text = profile["duration_seconds"] else { return nil }
        guard let seconds = Int(text), seconds > 0 else {
            throw .broken(
                "duration_seconds of the profile \(Quoted(profile.name)) is \(Quoted(text)), which is no number of "
                    + "seconds.")
        }
        return seconds
    }

    /// What the profile's role is asked for with.
    private func sourceCredentials(of profile: Profile, _ visited: [String]) async throws -> AWSCredentials {
        let name = Quoted(profile.name)
        switch (profile["source_profile"], profile["credential_source"]) {
        case (let source?, nil):
            return try await profileCredentials(source, of: profile, visited)
        case (nil, let source?):
            return try await namedCredentials(source, of: profile)
        case (nil, nil):
            throw AWSError.broken(
                "The profile \(name) has a role_arn, and neither source_profile nor credential_source.",
                hint: "Say with which credentials the role is taken on.")
        default:
            throw AWSError.broken(
                "The profile \(name) has both source_profile and credential_source.", hint: "Remove one of them.")
        }
    }

    private func profileCredentials(
        _ source: String, of profile: Profile, _ visited: [String]
    ) async throws -> AWSCredentials {
        guard let found = files.profile(source) else {
            throw AWSError.broken(
                "The profile \(Quoted(profile.name)) has the source_profile \(Quoted(source)), which is not in "
                    + "\(files.phrase).")
        }
        // A profile may take on its role with its own keys.
        if visited.contains(source), source != profile.name || !Self.hasKeys(found) {
            throw AWSError.broken(
                "The source_profile of \(Quoted(profile.name)) leads back to \(Quoted(source)): "
                    + "\(way(visited + [source])).",
                hint: "One of them has to have credentials of its own.")
        }
        let credentials =
            if Self.takesRole(found), !Self.hasKeys(found) {
                try await roleCredentials(of: source, visited: visited + [source])
            } else {
                try await ownCredentials(of: source, variables: nil)
            }
        if let credentials { return credentials }
        throw AWSError.broken(
            "The profile \(Quoted(source)) is the source_profile of \(Quoted(profile.name)), and has no credentials.")
    }

    private func namedCredentials(_ source: String, of profile: Profile) async throws -> AWSCredentials {
        let environment = configuration.environment
        let provider: any CredentialsProvider
        switch source {
        case "Environment":
            provider = EnvironmentCredentials(environment: environment, now: now)
        case "EcsContainer":
            provider = ContainerCredentials(environment: environment, transport: transport, now: now)
        case "Ec2InstanceMetadata":
            provider = InstanceMetadataCredentials(environment: environment, transport: transport, now: now)
        default:
            throw AWSError.broken(
                "The profile \(Quoted(profile.name)) has the credential_source \(Quoted(source)), which is not known.",
                hint: "Use Environment, EcsContainer or Ec2InstanceMetadata.")
        }
        do {
            return try await provider.credentials()
        } catch let error as AWSError where error.code == .noCredentials {
            throw AWSError.broken(
                "The profile \(Quoted(profile.name)) has the credential_source \(source), which has no credentials: "
                    + "\(error.message).")
        }
    }

    private func way(_ names: [String]) -> String { names.map { "\(Quoted($0))" }.joined(separator: " → ") }
}
