/// Where a service is asked: an address with nothing in it that could lead elsewhere.
public struct AWSEndpoint: Sendable, Hashable, CustomStringConvertible {
    /// The longest address that is taken, in bytes.
    private static let limit = 2048

    /// `https` or `http`.
    public let scheme: String
    /// A name in small letters, as signatures have it, or an address: one with colons is without its brackets here.
    public let host: String
    /// `nil` if the address names none.
    public let port: Int?
    /// Begins with a slash.
    public let path: String
    /// Behind a question mark; only addresses of credentials may have one.
    let query: String?

    /// Takes an address that somebody set.
    ///
    /// - Parameters:
    ///   - text: Such as `http://localhost:8000`.
    ///   - setting: What it was set with, for errors, such as `AWS_ENDPOINT_URL`.
    /// - Throws: `AWSError` with code `invalidConfiguration` if it is not an address of HTTP, holds a user, a query
    ///   or a fragment, or a host's name that cannot be one.
    public init(_ text: String, setting: String) throws(AWSError) {
        try self.init(text, setting: setting, allowsQuery: false)
    }

    init(_ text: String, setting: String, allowsQuery: Bool) throws(AWSError) {
        guard let parts = Self.parts(text), allowsQuery || parts.query == nil else {
            // A user and a password may stand before an at sign, and a key in a query.
            let shown = text.contains { "@?".contains($0) } ? "What it says" : "\(Quoted(text))"
            throw AWSError(
                .invalidConfiguration, "\(setting) is not the address of a service. \(shown) cannot be taken.",
                hint: "Write it as https://HOST or http://HOST:PORT.")
        }
        self = parts
    }

    /// The address of a service of AWS in a region.
    init(_ service: AWSService, in region: AWSRegion) {
        scheme = "https"
        host = "\(service.endpointPrefix).\(region.name).\(region.domain)"
        port = nil
        path = "/"
        query = nil
    }

    /// The complete address, such as `https://dynamodb.eu-west-1.amazonaws.com/`.
    public var url: String { "\(scheme)://\(authority)\(path)" + (query.map { "?\($0)" } ?? "") }

    /// The host as it stands in an address and in the header `Host`, with the port where one is named.
    public var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port.map { "\(name):\($0)" } ?? name
    }

    /// The address without its query.
    public var description: String { "\(scheme)://\(authority)\(path)" }

    private init(scheme: String, host: String, port: Int?, path: String, query: String?) {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.path = path
        self.query = query
    }

    private static func parts(_ text: String) -> AWSEndpoint? {
        guard text.utf8.count <= limit, text.utf8.allSatisfy(isURLByte) else { return nil }
        guard let mark = text.firstRange(of: "://") else { return nil }
        let scheme = text[..<mark.lowerBound].lowercased()
        guard scheme == "http" || scheme == "https" else { return nil }
        let rest = text[mark.upperBound...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let target = rest[authority.endIndex...].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let (host, port) = hostAndPort(authority.lowercased()[...]) else { return nil }
        let path = target.first.map(String.init) ?? ""
        return AWSEndpoint(
            scheme: scheme, host: host, port: port, path: path.isEmpty ? "/" : path,
            query: target.count > 1 ? String(target[1]) : nil)
    }

    private static func hostAndPort(_ text: Substring) -> (String, Int?)? {
        let host: String
        let rest: Substring
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = String(text[text.index(after: text.startIndex)..<end])
            rest = text[text.index(after: end)...]
            guard HostName.bytes(host) != nil else { return nil }
        } else {
            host = String(text.prefix { $0 != ":" })
            rest = text.dropFirst(host.count)
            guard HostName.isName(host) else { return nil }
        }
        if rest.isEmpty { return (host, nil) }
        let digits = rest.dropFirst()
        guard rest.first == ":", digits.utf8.allSatisfy(\.isDigit),
            let port = UInt16(digits), port > 0
        else { return nil }
        return (host, Int(port))
    }

    /// What may stand in an address as it is; `#`, and what parsers disagree about, may not.
    private static func isURLByte(_ byte: UInt8) -> Bool {
        guard (0x21...0x7E).contains(byte) else { return false }
        return !"#\\<>\"^`{|}".utf8.contains(byte)
    }
}
