import DiscfgCore
import HTTPTypes

/// A request from a gateway, whatever the shape of its event.
struct GatewayRequest: Sendable {
    var method: HTTPRequest.Method
    /// Path and query as a client sends them: percent-encoded, without the gateway's stage, starting with `/`.
    var target: String
    /// The host that the client requested.
    var authority: String?
    /// The header fields, without `Host`, and with the `Content-Length` of the body.
    var headers: HTTPFields
    var body: [UInt8]
    /// The caller, from the gateway's authoriser; `nil` if there is none.
    var caller: Caller?
    /// The shape of the event, which the answer must have as well.
    let shape: GatewayShape

    /// Reads an event.
    ///
    /// - Throws: `DiscfgError` with code `invalidRequest` if it is not such an event, or has something that HTTP does
    ///   not allow; the message names the member, and never contains its value.
    init(event: JSONValue) throws(DiscfgError) {
        let object = try EventObject(event)
        let shape = GatewayShape(of: event)
        let context = try object.object("requestContext")
        let fields = try GatewayFields(object)
        let body = try Self.body(of: object)
        self.shape = shape
        self.method = try Self.method(of: object, context, shape)
        self.target = try GatewayTarget.target(of: object, shape)
        let domain = try context.text("domainName")
        self.authority = fields.host ?? domain
        self.headers = fields.headers(bodyCount: body.count)
        self.body = body
        self.caller = GatewayCaller.caller(in: event, shape)
    }

    private static func method(
        of event: EventObject, _ context: EventObject, _ shape: GatewayShape
    ) throws(DiscfgError) -> HTTPRequest.Method {
        let (text, place) =
            shape == .httpV2
            ? (try context.object("http").text("method"), "requestContext.http.method")
            : (try event.text("httpMethod"), "httpMethod")
        guard let text else {
            throw .invalid(
                "The event has no \(place), so it is not a request.",
                hint: "Invoke this handler through API Gateway, a Function URL or a load balancer.")
        }
        guard let method = HTTPRequest.Method(text) else { throw .invalid("In the event, \(place) is not a method.") }
        return method
    }

    private static func body(of event: EventObject) throws(DiscfgError) -> [UInt8] {
        let isEncoded = try event.flag("isBase64Encoded")
        guard let text = try event.text("body") else { return [] }
        guard isEncoded else { return Array(text.utf8) }
        guard let bytes = EventBase64.decode(text) else { throw .invalid("In the event, body is not base64.") }
        return bytes
    }
}
