/// AWS Security Token Service: temporary credentials, and the identity of the caller.
///
/// Source: AWS Security Token Service API Reference, version 2011-06-15.
public struct STSClient: Sendable {
    private static let timeout = Duration.seconds(5)
    private static let tries = 3
    private static let pause = Duration.milliseconds(200)

    private let endpoint: AWSEndpoint
    private let region: AWSRegion
    private let transport: any HTTPTransport
    private let now: @Sendable () -> Double

    /// A client of the service in a region.
    ///
    /// - Parameters:
    ///   - configuration: Says which region, and where the service is asked.
    ///   - transport: Sends the requests.
    ///   - now: Seconds since 1970, for signatures.
    /// - Throws: `AWSError` with code `invalidConfiguration` if no region is set, or the endpoint is none.
    public init(
        configuration: AWSConfiguration, transport: any HTTPTransport,
        now: @escaping @Sendable () -> Double = { UTCTime.now }
    ) throws(AWSError) {
        endpoint = try configuration.endpoint(for: .sts)
        region = try configuration.region()
        self.transport = transport
        self.now = now
    }

    /// Takes on a role, as the owner of other credentials.
    ///
    /// - Parameters:
    ///   - session: Which role, and how.
    ///   - credentials: What the request is signed with.
    /// - Returns: Credentials that expire.
    /// - Throws: `AWSError`, with AWS's own code if it refused; or `CancellationError`.
    public func assumeRole(
        _ session: RoleSession, signedWith credentials: AWSCredentials
    ) async throws -> AWSCredentials {
        let answer = try await call("AssumeRole", session.parameters, signedWith: credentials)
        return try Self.credentials(answer, now: now())
    }

    /// Takes on a role, as whom a token names; the request is not signed.
    ///
    /// - Parameters:
    ///   - session: Which role, and how; an `externalID` is not sent, as the call has none.
    ///   - token: A token of an identity provider that the role trusts.
    /// - Returns: Credentials that expire.
    /// - Throws: `AWSError`, with AWS's own code if it refused; or `CancellationError`.
    public func assumeRole(_ session: RoleSession, webIdentityToken token: String) async throws -> AWSCredentials {
        var session = session
        session.externalID = nil
        let parameters = session.parameters + [("WebIdentityToken", token)]
        let answer = try await call("AssumeRoleWithWebIdentity", parameters, secret: token)
        return try Self.credentials(answer, now: now())
    }

    /// Asks whom AWS takes the owner of credentials for.
    ///
    /// - Parameter credentials: What the request is signed with.
    /// - Returns: The account, the name and the identifier.
    /// - Throws: `AWSError`, with AWS's own code if it refused; or `CancellationError`.
    public func callerIdentity(of credentials: AWSCredentials) async throws -> CallerIdentity {
        let answer = try await call("GetCallerIdentity", [], signedWith: credentials)
        guard let account = answer.text(at: "Account"), let arn = answer.text(at: "Arn"),
            let userID = answer.text(at: "UserId")
        else { throw Self.unreadable("GetCallerIdentity") }
        return CallerIdentity(account: account, arn: arn, userID: userID)
    }

    /// Sends a request, again if that may help; none of the calls changes anything.
    private func call(
        _ action: String, _ parameters: [(String, String)], signedWith credentials: AWSCredentials? = nil,
        secret: String? = nil
    ) async throws -> XMLElement {
        let body = FormText.bytes(action: action, version: "2011-06-15", parameters)
        // What a broken server sends back of the request must not get into an error.
        let secrets = [secret, credentials?.sessionToken, credentials?.secretAccessKey].compactMap { $0 }
        for turn in 1... {
            do {
                return try await once(action, body, credentials, secrets)
            } catch let error as AWSError {
                guard turn < Self.tries, STSAnswer.isWorthAnotherTry(error) else { throw error }
            }
            try await Task.sleep(for: Self.pause * turn)
        }
        throw Self.unreadable(action)
    }

    private func once(
        _ action: String, _ body: [UInt8], _ credentials: AWSCredentials?, _ secrets: [String]
    ) async throws -> XMLElement {
        var request = HTTPRequest(method: "POST", url: endpoint.url, headers: [FormText.header], body: body)
        if let credentials {
            let signature = SignatureV4(
                credentials: credentials, region: region.name, service: AWSService.sts.signingName, date: now())
            request = try signature.signed(request)
        }
        let response: HTTPResponse
        do {
            response = try await transport.send(request, timeout: Self.timeout)
        } catch let error as TransportError {
            throw AWSError(
                .noAnswer, "AWS STS at \(endpoint.authority) did not answer \(action): \(error).",
                hint: "Can this machine reach it? AWS_ENDPOINT_URL_STS names another address.", cause: error)
        }
        return try STSAnswer(response, action: action, secrets: secrets).result()
    }

    private static func credentials(_ answer: XMLElement, now: Double) throws(AWSError) -> AWSCredentials {
        guard let element = answer.child("Credentials"), let id = element.text(at: "AccessKeyId"),
            let secret = element.text(at: "SecretAccessKey"), let token = element.text(at: "SessionToken"),
            let expiration = element.text(at: "Expiration").flatMap(ISOTime.seconds)
        else { throw unreadable("the request for credentials") }
        return try AWSCredentials(id, secret, token: token, expiration: expiration)
            .checked(from: "AWS STS", now: now)
    }

    private static func unreadable(_ action: String) -> AWSError {
        AWSError(
            .invalidAnswer, "AWS STS answered \(action), and not as AWS does.",
            hint: "Is AWS_ENDPOINT_URL_STS the address of an AWS STS?")
    }
}

extension STSClient: CustomReflectable {
    /// Where it asks: a transport holds the requests that are under way.
    public var customMirror: Mirror { Mirror(self, children: ["endpoint": endpoint.description]) }
}
