import DiscfgCore
import HTTPTypes
import Hummingbird

/// Who may call a server that asks for no credentials: local programs, and web pages that were named.
///
/// A browser would carry requests of any page to a server on loopback. Such a page shows itself by its `Origin`, and one whose
/// DNS name was rebound to this machine by its `Host`; both are refused unless they were allowed.
public struct AccessPolicy: Sendable {
    private let checksHost: Bool
    /// Whether any address is ours, as when the server listens on all interfaces.
    private let acceptsAnyAddress: Bool
    private let hosts: Set<String>
    private let origins: Set<String>

    /// For callers that are known by other means, and for tests.
    public static let unchecked = AccessPolicy(checksHost: false, acceptsAnyAddress: true, hosts: [], origins: [])

    private init(checksHost: Bool, acceptsAnyAddress: Bool, hosts: Set<String>, origins: Set<String>) {
        self.checksHost = checksHost
        self.acceptsAnyAddress = acceptsAnyAddress
        self.hosts = hosts
        self.origins = origins
    }

    /// - Parameters:
    ///   - address: The address that the server listens on, without its port.
    ///   - allowedHosts: Other names by which it is reached.
    ///   - corsOrigins: Origins of web pages that may call, such as `https://admin.example.com`.
    public init(listeningOn address: String, allowedHosts: [String] = [], corsOrigins: [String] = []) {
        let isWildcard = ["0.0.0.0", "::", ""].contains(address)
        var hosts = Set(allowedHosts.map { $0.lowercased() })
        hosts.insert(address.lowercased())
        if isWildcard || Self.isLoopback(address) { hosts.formUnion(["localhost", "127.0.0.1", "::1"]) }
        self.init(
            checksHost: true, acceptsAnyAddress: isWildcard, hosts: hosts,
            origins: Set(corsOrigins.map { $0.lowercased() }))
    }

    /// Whether an address is reached from this machine only.
    public static func isLoopback(_ address: String) -> Bool {
        address == "localhost" || address == "::1" || (address.hasPrefix("127.") && isAddress(address))
    }

    /// Whether the text is an address, not a name.
    static func isAddress(_ host: String) -> Bool {
        host.contains(":")
            || (host.split(separator: ".").count == 4 && host.split(separator: ".").allSatisfy { UInt8($0) != nil })
    }

    /// Refuses requests of callers without access, and answers the preflight requests of browsers.
    ///
    /// - Throws: `DiscfgError` with code `forbidden`.
    func check(_ request: Request) throws(DiscfgError) -> Response? {
        guard checksHost else { return nil }
        let authority = request.head.authority?.lowercased() ?? ""
        guard let host = Self.host(of: authority) else {
            throw .invalid("The field Host has no host and port.", hint: "Send it as HOST or HOST:PORT.")
        }
        guard hosts.contains(host) || (acceptsAnyAddress && Self.isAddress(host)) else {
            throw DiscfgError(
                .forbidden, "The request is for the host “\(host)”, which this server does not go by.",
                hint: "Start it with --allowed-host \(host.isEmpty ? "NAME" : host) if it should.")
        }
        guard let origin = request.headers[.origin]?.lowercased() else { return nil }
        guard origins.contains(origin) || origin == "http://\(authority)" else {
            throw DiscfgError(
                .forbidden, "The request comes from a web page of “\(origin)”.",
                hint: "Start the server with --cors-origin \(origin) if that page may call.")
        }
        guard request.method == .options, request.headers[.accessControlRequestMethod] != nil else { return nil }
        return Response(
            status: .noContent,
            headers: [
                .accessControlAllowMethods: "GET, HEAD, PUT, PATCH, POST, DELETE, OPTIONS",
                .accessControlAllowHeaders:
                    "content-type, if-match, if-none-match, last-event-id, x-discfg-author, x-request-id",
                .accessControlMaxAge: "600",
            ])
    }

    /// Adds what lets a named page read the answer.
    func decorate(_ response: inout Response, for request: Request) {
        guard !origins.isEmpty else { return }
        response.headers[.vary] = response.headers[.vary].map { "\($0), Origin" } ?? "Origin"
        guard let origin = request.headers[.origin], origins.contains(origin.lowercased()) else { return }
        response.headers[.accessControlAllowOrigin] = origin
        response.headers[.accessControlExposeHeaders] =
            "ETag, X-Request-Id, X-Discfg-Version, X-Discfg-Revision, X-Discfg-Left-Out"
    }

    /// The host without its port; an IPv6 address without its brackets; `nil` if there is anything else.
    static func host(of authority: String) -> String? {
        let isBracketed = authority.hasPrefix("[")
        let end = authority.firstIndex(of: isBracketed ? "]" : ":") ?? authority.endIndex
        let host = isBracketed ? authority[..<end].dropFirst() : authority[..<end]
        var rest = authority[end...]
        if isBracketed, rest.popFirst() == nil { return nil }
        guard rest.isEmpty || rest.first == ":" && rest.dropFirst().utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else {
            return nil
        }
        return host.contains("@") ? nil : String(host)
    }
}
