/// The credentials of a profile of the shared files, whatever way it names to get them.
///
/// These are tried in botocore's order: a role to take on with other credentials, a role to take on with a token, keys
/// in the file with keys, a program, keys in the file with settings. Every call reads the files and asks again: put
/// `CachedCredentials` around it. IAM Identity Center (SSO) and `login_session` are refused by name.
public struct ProfileCredentials: CredentialsProvider {
    private let environment: AWSEnvironment
    private let profile: String?
    private let transport: any HTTPTransport
    private let region: String?
    private let now: @Sendable () -> Double
    private let usesEnvironment: Bool

    /// Takes a profile.
    ///
    /// - Parameters:
    ///   - environment: Where the files are, and what `AWS_PROFILE` says.
    ///   - profile: The profile's name, whatever the environment says.
    ///   - transport: Reaches AWS STS, and where credentials come from that a profile names as its source.
    ///   - region: Where AWS STS is asked, whatever the environment and the profile say.
    ///   - now: Seconds since 1970.
    public init(
        environment: AWSEnvironment, profile: String? = nil, transport: any HTTPTransport, region: String? = nil,
        now: @escaping @Sendable () -> Double = { UTCTime.now }
    ) {
        self.init(environment, profile, transport, region, now, usesEnvironment: false)
    }

    /// The same, where the variables of a web identity count, too, in their place in the order.
    init(
        _ environment: AWSEnvironment, _ profile: String?, _ transport: any HTTPTransport, _ region: String?,
        _ now: @escaping @Sendable () -> Double, usesEnvironment: Bool
    ) {
        self.environment = environment
        self.profile = profile
        self.transport = transport
        self.region = region
        self.now = now
        self.usesEnvironment = usesEnvironment
    }

    /// Reads the files, and gets the profile's credentials.
    ///
    /// - Returns: The credentials.
    /// - Throws: `AWSError` with code `noCredentials` if the profile has none, `invalidConfiguration` if a
    ///   profile is named that is not there, or what is wrong with the way it names; or `CancellationError`.
    public func credentials() async throws -> AWSCredentials {
        let configuration = try AWSConfiguration(environment: environment, profile: profile, region: region)
        let search = ProfileSearch(configuration: configuration, transport: transport, now: now)
        let name = configuration.profileName
        if let found = try await search.roleCredentials(of: name, visited: [name]) { return found }
        if let found = try await search.ownCredentials(of: name, variables: usesEnvironment ? environment : nil) {
            return found
        }
        let reason = configuration.profile == nil ? "is not in \(configuration.files.phrase)" : "names none"
        throw AWSError.none(
            "the profile \(Quoted(name)) \(reason)" + (usesEnvironment ? ", \(WebIdentity.variable) is not set" : ""))
    }
}

extension ProfileCredentials: CustomReflectable {
    /// Nothing: a transport holds the requests that are under way.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
