import AWSClient
import DiscfgCore
import Logging

/// What a server is shown that does not let everybody in: a token, or AWS's signature.
///
/// `DISCFG_TOKEN` is a token as it stands. At AWS's own addresses of API Gateway and Lambda, requests are signed with the
/// credentials that every AWS tool would take; `DISCFG_SIGN=SERVICE:REGION` asks for it at other addresses.
struct ServerAuthorization: Sendable {
    private enum Kind: Sendable {
        case token(String)
        case signature(service: String, region: String, CachedCredentials, AsyncHTTPClientTransport)
    }

    private let kind: Kind

    /// `nil` if the server at that address is shown nothing.
    ///
    /// - Throws: `DiscfgError` with code `invalidRequest` that names the variable that is wrong.
    init?(of url: String, environment: [String: String], logger: Logger) throws(DiscfgError) {
        if let token = environment["DISCFG_TOKEN"].nonEmpty {
            guard token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw .invalid(
                    "DISCFG_TOKEN has spaces, line breaks or characters beyond ASCII.",
                    hint: "Set it to the token alone.")
            }
            kind = .token(token)
            return
        }
        guard let scope = try Self.scope(of: url, environment: environment) else { return nil }
        let transport = AsyncHTTPClientTransport()
        let credentials = CredentialsChain.standard(
            environment: AWSEnvironment(environment), transport: transport, region: scope.region, logger: logger)
        kind = .signature(service: scope.service, region: scope.region, credentials, transport)
    }

    /// The fields to send with a request.
    func fields(
        _ method: String, _ url: String, _ fields: [(name: String, value: String)], _ body: [UInt8]
    ) async throws -> [(name: String, value: String)] {
        switch kind {
        case .token(let token): return [("Authorization", "Bearer \(token)")]
        case .signature(let service, let region, let credentials, _):
            do {
                let signature = SignatureV4(
                    credentials: try await credentials.credentials(), region: region, service: service,
                    date: Double(TimeSource.system.now().milliseconds) / 1000)
                let type = fields.filter { $0.name.lowercased() == "content-type" }.map {
                    HTTPHeader($0.name, $0.value)
                }
                let signed = try signature.signed(HTTPRequest(method: method, url: url, headers: type, body: body))
                return signed.headers.map { ($0.name, $0.value) }
            } catch let error as AWSError {
                throw DiscfgError(.invalidRequest, error.message, hint: error.hint, cause: error)
            }
        }
    }

    func shutdown() async throws {
        if case .signature(_, _, _, let transport) = kind { try await transport.shutdown() }
    }

    /// For which service and region requests are signed; `nil` if they are not.
    static func scope(
        of url: String, environment: [String: String]
    ) throws(DiscfgError) -> (service: String, region: String)? {
        guard let text = environment["DISCFG_SIGN"].nonEmpty else { return scope(ofHostIn: url) }
        return try scope(text)
    }

    private static func scope(_ text: String) throws(DiscfgError) -> (service: String, region: String) {
        let parts = text.split(separator: ":").map(String.init)
        guard parts.count == 2 else {
            throw .invalid("DISCFG_SIGN is “\(text)”.", hint: "Write it as execute-api:eu-west-1 or lambda:eu-west-1.")
        }
        return (parts[0], parts[1])
    }

    /// `ID.execute-api.REGION.amazonaws.com` and `ID.lambda-url.REGION.on.aws`.
    private static func scope(ofHostIn url: String) -> (service: String, region: String)? {
        let host = url.drop { $0 != "/" }.dropFirst(2).prefix { $0 != "/" && $0 != ":" }.split(separator: ".")
        guard host.count >= 5 else { return nil }
        switch (host[1], host[3...].joined(separator: ".")) {
        case ("execute-api", "amazonaws.com"), ("execute-api", "amazonaws.com.cn"):
            return ("execute-api", String(host[2]))
        case ("lambda-url", "on.aws"): return ("lambda", String(host[2]))
        default: return nil
        }
    }
}
