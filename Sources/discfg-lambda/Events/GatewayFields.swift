import DiscfgCore
import HTTPTypes

/// The header fields of an event, in the form that a client sends.
struct GatewayFields: Sendable {
    /// The value of `Host`.
    private(set) var host: String?
    private var fields: HTTPFields = [:]
    private var hasLength = false

    /// Maximum number of fields of an event.
    ///
    /// No gateway sends as many. `HTTPFields` ends the process for more than 65,535.
    static let maximumCount = 10_000

    /// - Throws: `DiscfgError` with code `invalidRequest` for a name or a value that HTTP does not allow, and for too
    ///   many fields. Such fields cannot have been sent over HTTP, and changing or dropping one could change the
    ///   request.
    init(_ event: EventObject) throws(DiscfgError) {
        var cookies: [String] = []
        let pairs = try event.pairs("headers", "multiValueHeaders")
        guard pairs.count <= Self.maximumCount else {
            throw .invalid(
                "The event has \(pairs.count) header fields; the maximum is \(Self.maximumCount).",
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
            case "content-length": hasLength = true
            // The body in the event is complete.
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
        // Not by its name, which would split the value again.
        if !cookie.isEmpty { fields.append(HTTPField(name: .cookie, value: cookie)) }
    }

    /// The fields for a body of that many bytes, which is not the `Content-Length` of the client if the gateway has
    /// encoded it.
    func headers(bodyCount: Int) -> HTTPFields {
        var headers = fields
        if hasLength || bodyCount > 0 { headers[.contentLength] = String(bodyCount) }
        return headers
    }

    /// The value without spaces and tabs at its ends, which are not part of it.
    private static func trimmed(_ text: String) -> String {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        let bytes = text.utf8
        guard let first = bytes.first, let last = bytes.last, isSpace(first) || isSpace(last) else { return text }
        let start = bytes.drop(while: isSpace)
        return String(Substring(start.prefix(start.count - start.reversed().prefix(while: isSpace).count)))
    }
}
