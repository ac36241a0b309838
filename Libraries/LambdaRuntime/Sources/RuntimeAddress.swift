/// The address of the runtime API: a host and a port, without TLS.
public struct RuntimeAddress: Sendable, Hashable, CustomStringConvertible {
    /// A name or an IP address; an IPv6 address is without brackets.
    public let host: String
    /// The port, 1 to 65535.
    public let port: Int

    /// Reads `HOST:PORT`, the format of `AWS_LAMBDA_RUNTIME_API`; an IPv6 address is in brackets.
    ///
    /// - Parameter text: Such as `127.0.0.1:9001` or `[::1]:9001`.
    /// - Throws: `invalidEnvironment` if the text is not an address.
    public init(_ text: String) throws(LambdaRuntimeError) {
        let colon = text.lastIndex(of: ":") ?? text.endIndex
        var host = text[..<colon]
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        if isBracketed { host = host.dropFirst().dropLast() }
        let port = text[colon...].dropFirst()
        guard
            let number = UInt16(port), number > 0, port.utf8.allSatisfy({ $0 != UInt8(ascii: "+") }),
            !host.isEmpty, isBracketed == host.contains(":"), host.utf8.allSatisfy(Self.isOfHost)
        else {
            throw LambdaRuntimeError(
                .invalidEnvironment, "“\(text)” is not the address of a Lambda runtime API.",
                hint: "The format is HOST:PORT, for example 127.0.0.1:9001.")
        }
        self.host = String(host)
        self.port = Int(number)
    }

    /// The text that was read; also the value of the header field `Host`.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    private static func isOfHost(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
            UInt8(ascii: ":"):
            true
        default: false
        }
    }
}
