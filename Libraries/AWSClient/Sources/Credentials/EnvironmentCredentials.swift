/// Credentials in variables, as in AWS Lambda.
///
/// `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, and for temporary ones `AWS_SESSION_TOKEN` and, where somebody wrote
/// it, `AWS_CREDENTIAL_EXPIRATION`.
public struct EnvironmentCredentials: CredentialsProvider {
    private static let names = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")

    private let environment: AWSEnvironment
    private let now: @Sendable () -> Double

    /// Looks at these variables, and at no others.
    public init(environment: AWSEnvironment, now: @escaping @Sendable () -> Double = { UTCTime.now }) {
        self.environment = environment
        self.now = now
    }

    /// The credentials of the variables.
    ///
    /// - Returns: What they say.
    /// - Throws: `AWSError` with code `noCredentials` if none is set, `brokenCredentials` if one is missing.
    public func credentials() async throws -> AWSCredentials {
        let (id, secret) = (environment[Self.names.0], environment[Self.names.1])
        guard id != nil || secret != nil else { throw AWSError.none("\(Self.names.0) is not set") }
        guard let id, let secret else {
            let (missing, set) = id == nil ? Self.names : (Self.names.1, Self.names.0)
            throw AWSError.broken("\(set) is set, and \(missing) is not.", hint: "Set both, or none.")
        }
        let expiration = try environment["AWS_CREDENTIAL_EXPIRATION"].map { text in
            guard let seconds = ISOTime.seconds(text) else {
                throw AWSError.broken(
                    "AWS_CREDENTIAL_EXPIRATION is \(Quoted(text)), which is not a time.",
                    hint: "Write it as 2026-11-22T10:00:00Z, or unset it.")
            }
            return seconds
        }
        let credentials = AWSCredentials(
            id, secret, token: environment["AWS_SESSION_TOKEN"], expiration: expiration)
        return try credentials.checked(from: "The environment", now: now())
    }
}
