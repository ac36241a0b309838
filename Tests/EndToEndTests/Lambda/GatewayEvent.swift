import DiscfgCore

/// An event as an HTTP API sends it to the function, in its format 2.0.
struct GatewayEvent {
    var method: String
    var path: String
    var query = ""
    var headers: [(String, String)] = []
    var body: String?
    /// The claims of the token by which the gateway knows the caller.
    var claims: [(String, String)] = []

    init(_ method: String, _ target: String, _ body: String? = nil, headers: [(String, String)] = []) {
        self.method = method
        let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
        path = parts[0]
        if parts.count > 1 { query = parts[1] }
        self.body = body
        self.headers = headers
    }

    var bytes: [UInt8] {
        var context: [(String, JSONValue)] = [
            ("stage", "$default"), ("requestId", "r"),
            (
                "http",
                ["method": .string(method), "path": .string(path), "protocol": "HTTP/1.1", "sourceIp": "192.0.2.1"]
            ),
        ]
        if !claims.isEmpty {
            let members = JSONObject(claims.map { ($0.0, JSONValue.string($0.1)) })
            context.append(("authorizer", ["jwt": ["claims": .object(members), "scopes": .null]]))
        }
        var members: [(String, JSONValue)] = [
            ("version", "2.0"), ("routeKey", "$default"), ("rawPath", .string(path)),
            ("rawQueryString", .string(query)),
            ("headers", .object(JSONObject(headers.map { ($0.0, .string($0.1)) }))),
            ("requestContext", .object(JSONObject(context))), ("isBase64Encoded", false),
        ]
        if let body { members.append(("body", .string(body))) }
        return JSONValue.object(JSONObject(members)).bytes
    }
}

/// What the function answers to the gateway.
struct GatewayAnswer {
    let status: Int64
    let headers: JSONValue
    let body: String

    /// `nil` where it is no such answer.
    init?(_ bytes: [UInt8]) {
        guard let json = try? JSONValue(parsing: bytes), let status = json["statusCode"]?.integer else { return nil }
        self.status = status
        headers = json["headers"] ?? [:]
        body = json["body"]?.string ?? ""
    }

    var json: JSONValue { (try? JSONValue(parsing: Array(body.utf8))) ?? .null }
}
