import DiscfgCore

/// The path and query that a client requested, restored from an event.
///
/// REST APIs, Function URLs and load balancers send the path unchanged. HTTP APIs decode it: `%20` becomes a space and
/// `%C3%A9` an “é”, which are encoded again here; only `%25` is documented to stay. So what looks like an escape is
/// one, and a `%` that starts no escape is a plain `%`. An HTTP API loses three things, which no function can restore:
/// `%2F`, which becomes a `/`; `%3F`, which ends the path; and bytes that are not UTF-8.
///
/// Payload format 2.0 and load balancers send the query unchanged; payload format 1.0 decodes it.
enum GatewayTarget {
    /// The path and the query of an event; starts with `/`.
    static func target(of event: EventObject, _ shape: GatewayShape) throws(DiscfgError) -> String {
        let path: String
        let query: String
        switch shape {
        case .httpV2:
            let other = try event.object("requestContext").object("http").text("path")
            path = try GatewayBase.removed(from: try event.text("rawPath") ?? other ?? "/", of: event, shape)
            if let sent = try event.text("rawQueryString") {
                query = sentQuery(sent)
            } else {
                query = try decodedQuery(of: event)
            }
        case .restV1:
            path = try GatewayBase.removed(from: try event.text("path") ?? "/", of: event, shape)
            query = try decodedQuery(of: event)
        case .loadBalancer:
            path = try event.text("path") ?? "/"
            query = sentQuery(
                try event.pairs("queryStringParameters", "multiValueQueryStringParameters")
                    .map { "\($0.name)=\($0.value)" }.joined(separator: "&"))
        }
        let encoded = encodedPath(path)
        return query.isEmpty ? encoded : "\(encoded)?\(query)"
    }

    /// The path with every byte encoded that a path cannot contain; escapes stay, and a `%` that starts none is
    /// encoded.
    static func encodedPath(_ path: String) -> String {
        let bytes = Array(path.utf8)
        // Bytes and not characters: a slash and a combining mark after it are one character.
        var result: [UInt8] = bytes.first == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]
        result.reserveCapacity(bytes.count + 1)
        for (index, byte) in bytes.enumerated() {
            let isEscape = byte == UInt8(ascii: "%") && bytes[(index + 1)...].prefix(2).filter(\.isHexDigit).count == 2
            append(byte, to: &result, raw: isEscape || byte == UInt8(ascii: "/") || byte.isAllowedInSegment)
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// A query as the client sent it, with only those bytes encoded that a URL cannot contain.
    ///
    /// A `%` that starts no escape stays, so that the answer is the same as that of a server.
    private static func sentQuery(_ query: String) -> String {
        var result: [UInt8] = []
        for byte in query.utf8 {
            append(byte, to: &result, raw: byte.isAllowedInSegment || "%/?".utf8.contains(byte))
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The query of parameters that the gateway has decoded.
    private static func decodedQuery(of event: EventObject) throws(DiscfgError) -> String {
        func encoded(_ text: String) -> String {
            var result: [UInt8] = []
            for byte in text.utf8 { append(byte, to: &result, raw: byte.isUnreserved) }
            return String(decoding: result, as: UTF8.self)
        }
        return try event.pairs("queryStringParameters", "multiValueQueryStringParameters")
            .map { "\(encoded($0.name))=\(encoded($0.value))" }.joined(separator: "&")
    }

    private static func append(_ byte: UInt8, to result: inout [UInt8], raw: Bool) {
        if raw { return result.append(byte) }
        let digits = Array("0123456789ABCDEF".utf8)
        result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
}

extension UInt8 {
    /// Whether it is a letter, a digit or one of `-._~`.
    ///
    /// Source: RFC 3986, section 2.3.
    fileprivate var isUnreserved: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
        default: false
        }
    }

    /// Whether a segment of a path may contain it without an escape.
    ///
    /// Source: RFC 3986, section 3.3.
    fileprivate var isAllowedInSegment: Bool { isUnreserved || "!$&'()*+,;=:@".utf8.contains(self) }

    fileprivate var isHexDigit: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
        default: false
        }
    }
}
