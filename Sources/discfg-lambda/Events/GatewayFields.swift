import DiscfgCore
import HTTPTypes

/// The header fields of an event, in the form in which a client sends them.
struct GatewayFields: Sendable {
    /// What `Host` says.
    private(set) var host: String?
    private var fields: HTTPFields = [:]
    private var saysLength = false

    /// The most fields of an event.
    ///
    /// No gateway passes on so many; `HTTPFields` ends the process for more than 65,535.
    static let maximumCount = 10_000

    /// - Throws: `DiscfgError` with code `invalidRequest` for a name or a value that HTTP does not allow, and for too many fields.
    ///   They could not have come by HTTP, and to change or drop a field could change what the request means.
    init(_ event: EventObject) throws(DiscfgError) {
        var cookies: [String] = []
        let pairs = try event.pairs("headers", "multiValueHeaders")
        guard pairs.count <= Self.maximumCount else {
            throw .invalid(
                "The event has \(pairs.count) header fields; the most is \(Self.maximumCount).",
                hint: "Send fewer header fields.")
        }
        for (name, text) in pairs {
            guard let name = HTTPField.Name(name) else {
                throw .invalid("The event has a header field whose name HTTP does not allow.")
            }
            let value = Self.trimmed(text)
            guard HTTPField.isValidValue(value) else {
                throw .invalid("The event's header field \(name.canonicalName) has a value that HTTP does not allow.")
            }
            switch name.canonicalName {
            case "host": host = host ?? value
            case "cookie": cookies.append(value)
            case "content-length": saysLength = true
            // The body is whole already.
            case "transfer-encoding": break
            default: fields.append(HTTPField(name: name, value: value))
            }
        }
        // A Function URL sends them in both places.
        let listed = try event.texts("cookies")
        let cookie = (listed.isEmpty ? cookies : listed).joined(separator: "; ")
        guard HTTPField.isValidValue(cookie) else {
            throw .invalid("In the event, cookies has a value that HTTP does not allow.")
        }
        // By its name it would be split again.
        if !cookie.isEmpty { fields.append(HTTPField(name: .cookie, value: cookie)) }
    }

    /// The fields for a body of that many bytes: what the client said counted the bytes that the gateway may have encoded.
    func headers(bodyCount: Int) -> HTTPFields {
        var headers = fields
        if saysLength || bodyCount > 0 { headers[.contentLength] = String(bodyCount) }
        return headers
    }

    /// Without the spaces and tabs around it, which do not belong to a value.
    private static func trimmed(_ text: String) -> String {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        let bytes = text.utf8
        guard let first = bytes.first, let last = bytes.last, isSpace(first) || isSpace(last) else { return text }
        let start = bytes.drop(while: isSpace)
        return String(Substring(start.prefix(start.count - start.reversed().prefix(while: isSpace).count)))
    }
}
