import DiscfgCore
import HTTPTypes

/// An answer for a gateway.
struct GatewayResponse: Sendable {
    var status: HTTPResponse.Status
    var headers: HTTPFields
    var body: [UInt8]

    init(status: HTTPResponse.Status, headers: HTTPFields = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The answer to an event that is not a request, in the form of every other error.
    init(refusing error: DiscfgError) {
        let isTooLarge = error.code == .tooLarge
        // The time is only used for items.
        var body = JSONWriter.bytes { error.write(to: &$0, WireStyle(now: Timestamp(milliseconds: 0))) }
        body.append(0x0A)
        self.init(
            status: isTooLarge ? .contentTooLarge : .badRequest, headers: [.contentType: "application/json"], body: body
        )
    }

    /// The answer as JSON, in the shape of the event.
    ///
    /// An answer that is too large for the gateway is replaced by an error with status 413 and code `tooLarge`.
    func json(for shape: GatewayShape) -> [UInt8] {
        let bytes = written(for: shape)
        guard bytes.count > shape.maximumAnswer else { return bytes }
        var refusal = GatewayResponse(
            refusing: DiscfgError(
                .tooLarge,
                "The answer has \(bytes.count) bytes as JSON; the maximum of this gateway is \(shape.maximumAnswer). "
                    + "The request was carried out with status \(status.code).",
                hint: "Do not send a write again. Read less at once, with limit=, or use the command line or a server.")
        )
        // The id of the request in the log.
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

    /// Writes a body of plain text as text, whatever its type, and any other or compressed body as base64.
    ///
    /// Plain text has no control characters except tabs and line breaks: each would take six bytes as JSON.
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

    /// The fields by name, in order, without those for the framing of the message, which the gateway sets itself.
    private var grouped: [(name: String, values: [String])] {
        var groups: [(name: String, values: [String])] = []
        var indices: [String: Int] = [:]
        for field in headers {
            let name = field.name.canonicalName
            if ["content-length", "transfer-encoding", "connection", "keep-alive"].contains(name) { continue }
            if let index = indices[name] {
                groups[index].values.append(field.value)
            } else {
                indices[name] = groups.count
                groups.append((name, [field.value]))
            }
        }
        return groups
    }

    /// Writes the fields; if each can have one value only, the values are joined, or the last one is used for
    /// `set-cookie`.
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
