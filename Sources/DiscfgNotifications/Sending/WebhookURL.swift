/// The URL of a webhook.
struct WebhookURL: Sendable {
    /// The server that a URL names.
    struct Origin: Sendable, Hashable {
        var isSecure: Bool
        var host: String
        var port: Int
    }

    let origin: Origin
    /// The URL in its plainest form.
    ///
    /// Every parser finds the same host in it. Otherwise the request could go to another host than the one that was
    /// checked.
    let text: String

    var host: String { origin.host }
    var port: Int { origin.port }

    /// - Returns: `nil` if the URL is not one of HTTP, or parsers could find different hosts in it.
    init?(_ url: String) {
        let isSecure = url.hasPrefix("https://")
        guard isSecure || url.hasPrefix("http://") else { return nil }
        let authority = url.dropFirst(isSecure ? 8 : 7).prefix { $0 != "/" && $0 != "?" }
        let isBracketed = authority.first == "["
        let end = isBracketed ? authority.firstIndex(of: "]") : authority.firstIndex(of: ":") ?? authority.endIndex
        guard let end else { return nil }
        let host = String(isBracketed ? authority[..<end].dropFirst() : authority[..<end]).lowercased()
        let rest = authority[end...].drop { $0 == "]" }
        guard !host.isEmpty, host.utf8.allSatisfy({ isBracketed ? $0.isAddressCharacter : $0.isHostCharacter }),
            rest.isEmpty || rest.first == ":",
            let port = rest.isEmpty ? (isSecure ? 443 : 80) : UInt16(rest.dropFirst()).map(Int.init)
        else { return nil }
        origin = Origin(isSecure: isSecure, host: host, port: port)
        let (scheme, name) = (isSecure ? "https" : "http", isBracketed ? "[\(host)]" : host)
        text = "\(scheme)://\(name):\(port)\(url[authority.endIndex...])"
    }
}

extension UInt8 {
    /// Whether it may be part of a host name, in lower case.
    fileprivate var isHostCharacter: Bool {
        switch self {
        case 0x30...0x39, 0x61...0x7A: true
        default: ".-_".utf8.contains(self)
        }
    }

    /// Whether it may be part of an IPv6 address.
    fileprivate var isAddressCharacter: Bool {
        switch self {
        case 0x30...0x3A, 0x61...0x66, 0x2E: true
        default: false
        }
    }
}
