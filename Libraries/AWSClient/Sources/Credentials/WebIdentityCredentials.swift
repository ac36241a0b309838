/// The credentials of a role that is taken on with the token of an identity provider, as in Amazon EKS.
///
/// `AWS_WEB_IDENTITY_TOKEN_FILE`, `AWS_ROLE_ARN` and `AWS_ROLE_SESSION_NAME` say which. Every call reads the file and
/// asks the source again: put `CachedCredentials` around it.
public struct WebIdentityCredentials: CredentialsProvider {
    private let environment: AWSEnvironment
    private let transport: any HTTPTransport
    private let region: String?
    private let now: @Sendable () -> Double

    /// Takes the role that these variables name.
    ///
    /// - Parameters:
    ///   - environment: The variables.
    ///   - transport: Reaches AWS STS.
    ///   - region: Where AWS STS is asked, whatever the environment says.
    ///   - now: Seconds since 1970.
    public init(
        environment: AWSEnvironment, transport: any HTTPTransport, region: String? = nil,
        now: @escaping @Sendable () -> Double = { UTCTime.now }
    ) {
        self.environment = environment
        self.transport = transport
        self.region = region
        self.now = now
    }

    /// Reads the token, and takes on the role.
    ///
    /// - Returns: What AWS STS answered.
    /// - Throws: `AWSError` with code `noCredentials` if no variable names a file, or what is wrong with the file or
    ///   the role; or `CancellationError`.
    public func credentials() async throws -> AWSCredentials {
        guard let identity = try WebIdentity(environment: environment, profile: nil) else {
            throw AWSError.none("\(WebIdentity.variable) is not set")
        }
        let configuration = try AWSConfiguration(environment: environment, region: region)
        return try await identity.credentials(configuration, transport, now)
    }
}

extension WebIdentityCredentials: CustomReflectable {
    /// Nothing: a transport holds the requests that are under way.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A role, and the file with the token that it is taken on with.
struct WebIdentity {
    static let variable = "AWS_WEB_IDENTITY_TOKEN_FILE"
    private static let limit = 65_536

    private let path: String
    private let role: String
    private let session: String?

    /// What variables and settings say, where a variable holds against the setting with the same meaning; `nil` where
    /// neither names a file.
    ///
    /// - Parameters:
    ///   - environment: The variables; `nil` if they do not count.
    ///   - profile: The settings.
    /// - Throws: `brokenCredentials` if a file is named, and no role.
    init?(environment: AWSEnvironment?, profile: Profile?) throws(AWSError) {
        guard let path = environment?[Self.variable] ?? profile?["web_identity_token_file"] else { return nil }
        guard let role = environment?["AWS_ROLE_ARN"] ?? profile?["role_arn"] else {
            throw .broken(
                "A file with a web identity token is named, \(Quoted(path)), and no role.",
                hint: "Set AWS_ROLE_ARN, or role_arn of the profile.")
        }
        self.path = path
        self.role = role
        session = environment?["AWS_ROLE_SESSION_NAME"] ?? profile?["role_session_name"]
    }

    /// Reads the token, and takes on the role.
    func credentials(
        _ configuration: AWSConfiguration, _ transport: any HTTPTransport, _ now: @escaping @Sendable () -> Double
    ) async throws -> AWSCredentials {
        let token = try token(configuration.environment.expanded(path))
        let session = RoleSession(roleARN: role, name: session ?? RoleSession.name(at: now()))
        do {
            return try await STSClient(configuration: configuration, transport: transport, now: now)
                .assumeRole(session, webIdentityToken: token)
        } catch let error as AWSError {
            throw error.about("The role \(Quoted(role)) was not given for the token in \(Quoted(path))")
        }
    }

    private func token(_ path: String) throws(AWSError) -> String {
        let bytes: [UInt8]
        do {
            bytes = try BoundedFile.read(path, limit: Self.limit)
        } catch {
            throw .broken(
                "The file with the web identity token, \(Quoted(path)), \(error.phrase).",
                hint: "\(Self.variable) or web_identity_token_file names it.")
        }
        let token = String(Substring(String(decoding: bytes, as: UTF8.self)).unicodeScalars.trimmed)
        guard token.isHeaderWord else {
            throw .broken("The file \(Quoted(path)) does not hold a web identity token.")
        }
        return token
    }
}

extension AWSError {
    /// The same error, with what it is about before its message.
    func about(_ what: String) -> AWSError {
        var error = self
        error.message = "\(what): \(message)"
        error.cause = self
        return error
    }
}
