/// The credentials of the role of an Amazon EC2 instance, from its metadata service, version 2.
///
/// Every call asks the source again: put `CachedCredentials` around it. Source: Amazon EC2 User Guide, “Use the Instance Metadata
/// Service” and “Retrieve security credentials from instance metadata”.
public struct InstanceMetadataCredentials: CredentialsProvider {
    private static let roles = "latest/meta-data/iam/security-credentials/"

    private let environment: AWSEnvironment
    private let transport: any HTTPTransport
    private let now: @Sendable () -> Double

    /// Asks where these variables say, or else at the address that every instance has.
    public init(
        environment: AWSEnvironment, transport: any HTTPTransport,
        now: @escaping @Sendable () -> Double = { UTCTime.now }
    ) {
        self.environment = environment
        self.transport = transport
        self.now = now
    }

    /// Asks for a token, the name of the role, and its credentials.
    ///
    /// - Returns: What the service answered.
    /// - Throws: `AWSError` with code `noCredentials` if there is no such service, or the instance has no role,
    ///   `brokenCredentials` if an answer is no good; or `CancellationError`.
    public func credentials() async throws -> AWSCredentials {
        if environment.isTrue("AWS_EC2_METADATA_DISABLED") {
            throw AWSError.none("AWS_EC2_METADATA_DISABLED is true")
        }
        let endpoint = try endpoint()
        let source = "The instance metadata at \(endpoint.authority)"
        let token = try await token(endpoint, source)
        let role = try await role(endpoint, source, token)
        let response = try await get(endpoint, Self.roles + role, token, source)
        guard response.status == 200 else { throw Self.status(response.status, source) }
        let document = try CredentialsDocument(parsing: response.body, from: source)
        if let code = document.code, code != "Success" {
            throw AWSError.broken(
                "\(source) has no credentials for the role \(Quoted(role)): \(Quoted(code)).",
                hint: "May Amazon EC2 assume that role?")
        }
        return try document.credentials(from: source, isTemporary: true, now: now())
    }

    private func endpoint() throws(AWSError) -> AWSEndpoint {
        let variable = "AWS_EC2_METADATA_SERVICE_ENDPOINT"
        if let text = environment[variable] { return try AWSEndpoint(text, setting: variable) }
        let isSix = environment[variable + "_MODE"]?.lowercased() == "ipv6"
        return try AWSEndpoint(isSix ? "http://[fd00:ec2::254]" : "http://169.254.169.254", setting: variable)
    }

    private func token(_ endpoint: AWSEndpoint, _ source: String) async throws -> String {
        let request = HTTPRequest(
            method: "PUT", url: Self.url(endpoint, "latest/api/token"),
            headers: [HTTPHeader("X-aws-ec2-metadata-token-ttl-seconds", "21600")])
        let response: HTTPResponse
        do {
            response = try await answers.send(request)
        } catch is TransportError {
            throw AWSError.none("nothing answers at \(endpoint.authority)")
        }
        // Somebody switched the service off, or something else is there.
        if [403, 404, 405].contains(response.status) {
            throw AWSError.none("\(endpoint.authority) answered with status \(response.status)")
        }
        let token = String(decoding: response.body.prefix(4096), as: UTF8.self)
        guard response.status == 200 else { throw Self.status(response.status, source) }
        guard token.isHeaderWord, response.body.count < 4096 else {
            throw AWSError.broken("\(source) did not answer with a token.", hint: "Does something answer in its place?")
        }
        return token
    }

    private func role(_ endpoint: AWSEndpoint, _ source: String, _ token: String) async throws -> String {
        let response = try await get(endpoint, Self.roles, token, source)
        if response.status == 404 { throw AWSError.none("the instance has no role") }
        guard response.status == 200 else { throw Self.status(response.status, source) }
        let line = response.body.prefix { $0 != 0x0A && $0 != 0x0D }
        // Source: IAM API Reference, CreateRole.
        let isName =
            (1...64).contains(line.count) && line.allSatisfy { "+=,.@_-".utf8.contains($0) || $0.isLetterOrDigit }
        let role = String(decoding: line, as: UTF8.self)
        guard isName, role != ".", role != ".." else {
            throw AWSError.broken("\(source) did not answer with the name of a role.")
        }
        return role
    }

    private func get(
        _ endpoint: AWSEndpoint, _ path: String, _ token: String, _ source: String
    ) async throws -> HTTPResponse {
        let request = HTTPRequest(
            method: "GET", url: Self.url(endpoint, path), headers: [HTTPHeader("X-aws-ec2-metadata-token", token)])
        do {
            return try await answers.send(request)
        } catch let error as TransportError {
            throw AWSError.broken("\(source) did not answer: \(error).", cause: error)
        }
    }

    private var answers: LocalAnswers { LocalAnswers(transport: transport, timeout: timeout) }

    /// How long one try may take: a second, or what AWS_METADATA_SERVICE_TIMEOUT says, up to a minute.
    private var timeout: Duration {
        let seconds = environment["AWS_METADATA_SERVICE_TIMEOUT"].flatMap { Double($0) } ?? 1
        return .milliseconds(Int(min(max(seconds.isNaN ? 1 : seconds, 0.1), 60) * 1000))
    }

    private static func url(_ endpoint: AWSEndpoint, _ path: String) -> String {
        endpoint.url + (endpoint.path.hasSuffix("/") ? "" : "/") + path
    }

    private static func status(_ status: Int, _ source: String) -> AWSError {
        .broken("\(source) answered with status \(status).", status: status)
    }
}

extension InstanceMetadataCredentials: CustomReflectable {
    /// Nothing: a transport holds the requests that are under way.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
