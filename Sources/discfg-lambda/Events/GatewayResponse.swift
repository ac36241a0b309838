import DiscfgCore
import HTTPTypes

/// An answer on its way back through a gateway.
struct GatewayResponse: Sendable {
    var status: HTTPResponse.Status
    var headers: HTTPFields
    var body: [UInt8]

    init(status: HTTPResponse.Status, headers: HTTPFields = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The answer to an event that is not a request; in the form that every other error has.
    init(refusing error: DiscfgError) {
        let isTooLarge = error.code == .tooLarge
        // The time matters to items alone.
        var body = JSONWriter.bytes { error.write(to: &$0, WireStyle(now: Timestamp(milliseconds: 0))) }
        body.append(0x0A)
        self.init(
            status: isTooLarge ? .contentTooLarge : .badRequest, headers: [.contentType: "application/json"], body: body
        )
    }

    /// The answer as JSON, in the form that the event had.
    ///
    /// One that is too large for the gateway becomes an error with status 413 and code `tooLarge`.
    func json(for shape: GatewayShape) -> [UInt8] {
        let bytes = written(for: shape)
        guard bytes.count > shape.maximumAnswer else { return bytes }
        var refusal = GatewayResponse(
            refusing: DiscfgError(
                .tooLarge,
                "The answer has \(bytes.count) bytes as JSON; through this gateway at most \(shape.maximumAnswer) can be sent. "
                    + "The request was carried out with status \(status.code).",
                hint: "Do not send a write again. Read less at once, with limit=, or by the command line or a server."))
        // The name by which the log has the request.
        if let name = HTTPField.Name("x-request-id"), let id = headers[name], id.utf8.count <= 128 {
            refusal.headers[name] = id
        }
        return refusal.written(for: shape)
    }

    private func written(for shape: GatewayShape) -> [UInt8] {
        let fields = grouped
        return JSONWriter.bytes(capacity: body.count + 1024) { writer in
            writer.object { writer in
                writer.member("statusCode", status.code)
                switch shape {
                case .httpV2:
                    Self.write(fields.filter { $0.name != "set-cookie" }, asLists: false, to: &writer)
                    if let cookies = fields.first(where: { $0.name == "set-cookie" }) {
                        writer.name("cookies")
                        writer.array { for value in cookies.values { $0.string(value) } }
                    }
                case .restV1: Self.write(fields, asLists: true, to: &writer)
                case .loadBalancer(let multiValue):
                    let phrase = status.reasonPhrase
                    writer.member("statusDescription", phrase.isEmpty ? "\(status.code)" : "\(status.code) \(phrase)")
                    Self.write(fields, asLists: multiValue, to: &writer)
                }
                writeBody(to: &writer)
            }
        }
    }

    /// Text stays text, whatever its type; anything else, and what is compressed, becomes base64.
    ///
    /// A control character would take six bytes as JSON, so that text has none but tabs and line breaks.
    private func writeBody(to writer: inout JSONWriter) {
        let hasBody = status.code >= 200 && status != .noContent && status != .notModified
        let bytes = hasBody ? body : []
        let isPlain = bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
        if isPlain, headers[.contentEncoding] == nil, let text = String(validating: bytes, as: UTF8.self) {
            writer.member("body", text)
            writer.name("isBase64Encoded")
            writer.value(false)
        } else {
            writer.member("body", EventBase64.encode(bytes))
            writer.name("isBase64Encoded")
            writer.value(true)
        }
    }

    /// The fields by name, in order, without those by which the gateway delimits the message itself.
    private var grouped: [(name: String, values: [String])] {
        var groups: [(name: String, values: [String])] = []
        var places: [String: Int] = [:]
        for field in headers {
            let name = field.name.canonicalName
            if ["content-length", "transfer-encoding", "connection", "keep-alive"].contains(name) { continue }
            if let place = places[name] {
                groups[place].values.append(field.value)
            } else {
                places[name] = groups.count
                groups.append((name, [field.value]))
            }
        }
        return groups
    }

    /// Writes the fields; where only one value can be, joined, except for a cookie, of which the last is left.
    private static func write(
        _ fields: [(name: String, values: [String])], asLists: Bool, to writer: inout JSONWriter
    ) {
        writer.name(asLists ? "multiValueHeaders" : "headers")
        writer.object { writer in
            for (name, values) in fields {
                writer.name(name)
                if asLists {
                    writer.array { for value in values { $0.string(value) } }
                } else {
                    writer.string(name == "set-cookie" ? values.last ?? "" : values.joined(separator: ", "))
                }
            }
        }
    }
}
