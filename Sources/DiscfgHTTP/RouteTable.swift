import DiscfgCore
import HTTPTypes
import Hummingbird

/// The routes as they are gathered: a path with the methods it knows; every other method is refused by name.
final class RouteTable {
    typealias Handler = @Sendable (Call) async throws -> Response

    private var handlers: [String: [HTTPRequest.Method: Handler]] = [:]
    private static let methods: [HTTPRequest.Method] = [.get, .head, .put, .patch, .post, .delete, .options, .trace, .connect]

    /// Adds a route; a path answers HEAD as GET without its body.
    func on(_ method: HTTPRequest.Method, _ path: String, _ handler: @escaping Handler) {
        handlers[path, default: [:]][method] = handler
        if method == .get { handlers[path, default: [:]][.head] = handler }
    }

    /// What answers by these routes.
    func responder() -> RouterResponder<BasicRequestContext> {
        let router = Router(context: BasicRequestContext.self)
        for (path, known) in handlers {
            let allowed = known.keys.map(\.rawValue).sorted().joined(separator: ", ")
            for method in Self.methods {
                let handler: Handler = known[method] ?? { _ in throw MethodNotAllowed(method: method.rawValue, allowed: allowed) }
                router.on(RouterPath(path), method: method) { request, context in
                    try await handler(Call(request: request, context: context))
                }
            }
        }
        return router.buildResponder()
    }
}

/// One request, on its route.
struct Call: Sendable {
    let request: Request
    let context: BasicRequestContext

    /// The config that the path names.
    var config: ConfigName {
        get throws { try ConfigName(try PercentEncoding.decode(context.parameters.get("cfg") ?? "")) }
    }

    /// Who makes the request, as they say themselves.
    var author: String { request.headers[.author].flatMap { try? PercentEncoding.decode($0) } ?? "" }

    /// The path behind the route, such as `/db/host` in `/v1/default/keys/db/host`; begins with `/` or is empty.
    ///
    /// - Parameter fixed: How many segments the route has before it.
    /// - Throws: `DiscfgError` with code `invalidName` when it is not UTF-8.
    func path(after fixed: Int) throws -> String {
        let raw = request.head.path?.prefix { $0 != "?" && $0 != "#" } ?? ""
        var rest = Substring(raw).utf8
        for _ in 0...fixed {
            guard let slash = rest.firstIndex(of: UInt8(ascii: "/")) else { return "" }
            rest = rest[rest.index(after: slash)...]
        }
        return try PercentEncoding.decode("/" + Substring(rest))
    }

    /// The whole body.
    ///
    /// - Throws: `DiscfgError` with code `tooLarge`; any other error when the body stopped halfway.
    func body(atMost limit: Int) async throws -> [UInt8] {
        if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > limit { throw Self.tooLarge(limit) }
        do {
            let buffer = try await request.body.collect(upTo: limit)
            return Array(buffer.readableBytesView)
        } catch let error as HTTPError where error.status == .contentTooLarge {
            throw Self.tooLarge(limit)
        }
    }

    private static func tooLarge(_ limit: Int) -> DiscfgError {
        DiscfgError(.tooLarge, "The request's body has more than \(limit) bytes.", hint: "Send less at once.")
    }

    /// The body as JSON.
    func json(atMost limit: Int) async throws -> JSONValue {
        let bytes = try await body(atMost: limit)
        do {
            return try JSONValue(parsing: bytes)
        } catch {
            throw DiscfgError.invalid("The body is not valid JSON: \(error).", hint: "Send one whole JSON value.")
        }
    }

    /// Whether the caller asks for this media type by name.
    func accepts(_ type: String) -> Bool {
        guard let accept = request.headers[.accept] else { return false }
        return accept.split(separator: ",").contains { $0.prefix { $0 != ";" }.trimmed == type }
    }
}

extension Substring {
    /// Without the spaces around it.
    var trimmed: Substring {
        var text = self
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return text
    }
}
