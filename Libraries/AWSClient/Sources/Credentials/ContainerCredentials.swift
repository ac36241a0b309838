/// The credentials of a container: of a task in Amazon ECS, of a pod in Amazon EKS, or of a service with the same protocol.
///
/// Every call asks the source again: put `CachedCredentials` around it. Source: AWS SDKs and Tools Reference Guide, “Container
/// credential provider”.
public struct ContainerCredentials: CredentialsProvider {
    private static let host = "http://169.254.170.2"
    private static let relative = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"
    private static let full = "AWS_CONTAINER_CREDENTIALS_FULL_URI"
    private static let token = "AWS_CONTAINER_AUTHORIZATION_TOKEN"
    private static let tokenFile = "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"
    private static let tokenLimit = 16_384

    private let environment: AWSEnvironment
    private let transport: any HTTPTransport
    private let now: @Sendable () -> Double

    /// Asks where these variables say.
    public init(
        environment: AWSEnvironment, transport: any HTTPTransport,
        now: @escaping @Sendable () -> Double = { UTCTime.now }
    ) {
        self.environment = environment
        self.transport = transport
        self.now = now
    }

    /// Asks the container's endpoint.
    ///
    /// - Returns: What it answered.
    /// - Throws: `AWSError` with code `noCredentials` if no variable names an endpoint, `brokenCredentials` if it
    ///   must not be asked, or its answer is no good; or `CancellationError`.
    public func credentials() async throws -> AWSCredentials {
        let endpoint = try endpoint()
        let source = "The container's credentials endpoint at \(endpoint.authority)"
        var request = HTTPRequest(
            method: "GET", url: endpoint.url, headers: [HTTPHeader("Accept", "application/json")])
        if let token = try authorization() { request.headers.append(HTTPHeader("Authorization", token)) }
        let response: HTTPResponse
        do {
            response = try await LocalAnswers(transport: transport, timeout: .seconds(2)).send(request)
        } catch let error as TransportError {
            throw AWSError.broken("\(source) did not answer: \(error).", cause: error)
        }
        guard response.status == 200 else {
            throw AWSError.broken(
                "\(source) answered with status \(response.status).",
                hint: "Does the task or the pod have a role, and is \(Self.token) right?", status: response.status)
        }
        return try CredentialsDocument(parsing: response.body, from: source)
            .credentials(from: source, isTemporary: false, now: now())
    }

    private func endpoint() throws(AWSError) -> AWSEndpoint {
        if let path = environment[Self.relative] {
            // Without the slash, what follows could continue the host's name.
            guard path.hasPrefix("/"), let endpoint = Self.address(Self.host + path) else {
                throw .broken("\(Self.relative) is not a path that begins with a slash.")
            }
            return endpoint
        }
        guard let url = environment[Self.full] else { throw .none("\(Self.relative) and \(Self.full) are not set") }
        guard let endpoint = Self.address(url) else {
            throw .broken("\(Self.full) is not an address.", hint: "Write it as http://127.0.0.1:PORT/PATH.")
        }
        guard endpoint.scheme == "https" || Self.isNear(endpoint.host) else {
            throw .broken(
                "\(Self.full) names the host \(Quoted(endpoint.host)), which must not be asked without TLS.",
                hint: "Use https, a loopback address, 169.254.170.2, 169.254.170.23 or [fd00:ec2::23].")
        }
        return endpoint
    }

    private static func address(_ text: String) -> AWSEndpoint? {
        try? AWSEndpoint(text, setting: full, allowsQuery: true)
    }

    private static func isNear(_ host: String) -> Bool {
        if HostName.isLoopback(host) || ["169.254.170.2", "169.254.170.23"].contains(host) { return true }
        return HostName.bytes(host) == HostName.bytes("fd00:ec2::23")
    }

    /// What to send as `Authorization`; the file is read again for every request, as its content changes.
    private func authorization() throws(AWSError) -> String? {
        let (setting, text): (String, String)
        if let path = environment[Self.tokenFile] {
            do throws(BoundedFile.Failure) {
                let bytes = try BoundedFile.read(environment.expanded(path), limit: Self.tokenLimit)
                (setting, text) = ("The file of \(Self.tokenFile)", String(decoding: bytes, as: UTF8.self))
            } catch {
                throw .broken("The file \(Quoted(path)) of \(Self.tokenFile) \(error.phrase).")
            }
        } else if let value = environment[Self.token] {
            (setting, text) = (Self.token, value)
        } else {
            return nil
        }
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw .broken("\(setting) holds a newline, or something else that cannot be sent in a header.")
        }
        return text
    }
}

extension ContainerCredentials: CustomReflectable {
    /// Nothing: a transport holds the requests that are under way.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
