import DiscfgCore
import DiscfgHTTP

/// Where a server listens, as `HOST:PORT`; an IPv6 address stands in brackets.
struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
    /// Where it listens when nothing is said.
    static let standard = "127.0.0.1:8899"

    let host: String
    /// 0 for any that is free.
    let port: Int

    /// - Throws: `DiscfgError` with code `invalidRequest`.
    init(_ text: String) throws(DiscfgError) {
        let colon = text.lastIndex(of: ":")
        let digits = colon.map { text[text.index(after: $0)...] } ?? text[...]
        guard let colon, colon > text.startIndex, let port = UInt16(digits) else {
            throw .invalid(
                "“\(text)” is not an address to listen on.",
                hint: "Write HOST:PORT, as in 127.0.0.1:\(UInt16(digits) ?? 8899).")
        }
        let host = text[..<colon]
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        guard isBracketed || !host.contains(":") else {
            throw .invalid("“\(text)” is not an address to listen on.", hint: "Write an IPv6 address as [::1]:8899.")
        }
        self.host = isBracketed ? String(host.dropFirst().dropLast()) : String(host)
        self.port = Int(port)
    }

    var isLoopback: Bool { AccessPolicy.isLoopback(host) }

    var description: String { Self.text(host, port) }

    /// The address as a URL has it.
    static func text(_ host: String, _ port: Int) -> String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
