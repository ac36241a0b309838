import NIOCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The addresses to which webhooks may be sent.
///
/// A webhook must not reach servers that only this machine or its network can reach: metadata services, databases,
/// admin pages. So the address of a host is checked, and the connection is made to exactly that address, even if the
/// name gets another one in between.
struct AddressPolicy: Sendable {
    /// Whether plain HTTP, and loopback, private and link-local addresses are allowed.
    var allowsPrivate: Bool

    func allows(_ address: SocketAddress) -> Bool {
        if allowsPrivate { return true }
        guard let text = address.ipAddress else { return false }
        switch address {
        case .v4: return Self.isPublic(v4: Self.bytes(of: text, AF_INET, count: 4))
        case .v6: return Self.isPublic(v6: Self.bytes(of: text, AF_INET6, count: 16))
        case .unixDomainSocket: return false
        }
    }

    private static func bytes(of text: String, _ family: Int32, count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        // Without the zone of a link-local address.
        return inet_pton(family, String(text.prefix { $0 != "%" }), &bytes) == 1 ? bytes : []
    }

    /// Source: <https://www.iana.org/assignments/iana-ipv4-special-registry>.
    static func isPublic(v4 bytes: [UInt8]) -> Bool {
        guard bytes.count == 4 else { return false }
        switch (bytes[0], bytes[1]) {
        case (0, _), (10, _), (127, _), (169, 254), (192, 168), (224..., _): return false
        case (100, 64...127), (172, 16...31), (198, 18...19): return false
        case (192, 0): return bytes[2] != 0 && bytes[2] != 2
        // 6to4 relays, deprecated by RFC 7526.
        case (192, 88): return bytes[2] != 99
        case (198, 51): return bytes[2] != 100
        case (203, 0): return bytes[2] != 113
        default: return true
        }
    }

    /// Source: <https://www.iana.org/assignments/iana-ipv6-special-registry>.
    static func isPublic(v6 bytes: [UInt8]) -> Bool {
        guard bytes.count == 16 else { return false }
        let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
        let isTranslated = bytes[..<12] == [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]
        if isMapped || isTranslated { return isPublic(v4: Array(bytes[12...])) }
        if bytes[0] == 0x20, bytes[1] == 0x02 { return isPublic(v4: Array(bytes[2..<6])) }
        switch (bytes[0], bytes[1], bytes[2], bytes[3]) {
        // Protocols, Teredo among them, and documentation.
        case (0x20, 0x01, 0x00...0x01, _), (0x20, 0x01, 0x0D, 0xB8), (0x3F, 0xFF, 0x00...0x0F, _): return false
        // All global unicast addresses begin with the bits 001.
        default: return bytes[0] & 0xE0 == 0x20
        }
    }
}
