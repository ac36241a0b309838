import DiscfgCore
import HTTPTypes
import Hummingbird
import NIOCore

/// The routes as they are gathered: a path with the methods it knows; every other method is refused by name.
final class RouteTable {
    typealias Handler = @Sendable (Call) async throws -> Response

    private var handlers: [String: [HTTPRequest.Method: Handler]] = [:]
    /// Every method that a route can be for.
    static let methods: [HTTPRequest.Method] =
        [.get, .head, .put, .patch, .post, .delete, .options, .trace, .connect]
        + [HTTPRequest.Method("QUERY")].compactMap { $0 }

    /// Adds a route; a path answers HEAD as GET without its body.
    func on(_ method: HTTPRequest.Method, _ path: String, _ handler: @escaping Handler) {
        handlers[path, default: [:]][method] = handler
        if method == .get { handlers[path, default: [:]][.head] = handler }
    }

    /// What answers by these routes.
    func responder() -> RouterResponder<DiscfgRequestContext> {
        let router = Router(context: DiscfgRequestContext.self)
        for (path, known) in handlers {
            let allowed = known.keys.map(\.rawValue).sorted().joined(separator: ", ")
            for method in Self.methods {
                let handler: Handler =
                    known[method] ?? { _ in throw MethodNotAllowed(method: method.rawValue, allowed: allowed) }
                router.on(RouterPath(path), method: method) { request, context in
                    try await handler(Call(request: request, context: context))
                }
            }
        }
        // The router applies a middleware to the routes that are added after it, and to requests without a route.
        router.add(middleware: NoRoute())
        return router.buildResponder()
    }
}

/// Answers the requests that no route matches.
///
/// The router's own answer has no body, and only an undocumented label shows where it comes from.
private struct NoRoute: RouterMiddleware {
    typealias Context = DiscfgRequestContext

    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        context.coreContext.endpointPath.value = RouteNotFound.label
        throw RouteNotFound()
    }
}

/// One request, on its route.
struct Call: Sendable {
    let request: Request
    let context: DiscfgRequestContext

    /// The config that the path names.
    var config: ConfigName {
        get throws { try ConfigName(try PercentEncoding.decode(context.parameters.get("cfg") ?? "")) }
    }

    /// The caller: the one that a gateway knows, or the one that `X-Discfg-Author` claims.
    var caller: Caller {
        get throws {
            try .of(proven: context.caller, orClaiming: try Caller.claim(in: request.headers[values: .author]))
        }
    }

    /// Refuses to hold an answer open where that cannot be.
    func refuseStream(_ hint: String) throws(DiscfgError) {
        guard context.mayWait else {
            throw DiscfgError(.unsupported, "A stream cannot be held open behind this gateway.", hint: hint)
        }
    }

    /// Refuses conditions where there is no key that they could be about: they must not be ignored.
    func refuseConditions() throws(DiscfgError) {
        for name in [HTTPField.Name.ifMatch, .ifNoneMatch] where request.headers[name] != nil {
            throw .invalid("\(name) says nothing about this request.", hint: "Put conditions into a transaction.")
        }
    }

    /// The path behind the route, such as `/db/host` in `/v1/default/keys/db/host`; begins with `/` or is empty.
    ///
    /// `fixed` is how many segments the route has before it.
    /// - Throws: `DiscfgError` with code `invalidName` when it is not UTF-8.
    func path(after fixed: Int) throws -> String {
        var rest = Substring(request.uri.path).utf8
        for _ in 0..<fixed {
            // As the router counts them: it does not see an empty segment.
            rest = rest.drop { $0 == UInt8(ascii: "/") }.drop { $0 != UInt8(ascii: "/") }
        }
        return try PercentEncoding.decode(Substring(rest))
    }

    /// The whole body.
    ///
    /// What it holds counts as long as the request is under way. One that comes too slowly ends with its connection.
    /// - Throws: `DiscfgError` with code `tooLarge` or `overloaded`; any other error when the body stopped halfway.
    func body(atMost limit: Int) async throws -> [UInt8] {
        let length = request.headers[.contentLength].flatMap { Int($0) }
        if let length, length > limit { throw Self.tooLarge(limit) }
        let timer = context.connection.timer(context.pace)
        defer { timer?.stop() }
        var bytes: [UInt8] = []
        do {
            for try await chunk in request.body {
                guard bytes.count + chunk.readableBytes <= limit else { throw Self.tooLarge(limit) }
                try context.hold?.require(chunk.readableBytes)
                bytes += chunk.readableBytesView
                // Most bodies come at once, and need no timer.
                if bytes.count < length ?? .max { timer?.note(chunk.readableBytes) }
            }
        } catch let error where !(error is CancellationError || error is DiscfgError) {
            throw DiscfgError(
                .invalidRequest, "The request's body stopped halfway.", hint: "Send it again; nothing was written.",
                cause: error)
        }
        return bytes
    }

    private static func tooLarge(_ limit: Int) -> DiscfgError {
        DiscfgError(.tooLarge, "The request's body has more than \(limit) bytes.", hint: "Send less at once.")
    }

    /// The body as JSON.
    func json(atMost limit: Int) async throws -> JSONValue {
        let bytes = try await body(atMost: limit)
        return try await LongWork.run(onBytes: bytes.count) { [limits = jsonLimits] _ throws(DiscfgError) in
            do throws(JSONSyntaxError) {
                return try JSONValue(parsing: bytes, limits: limits)
            } catch {
                throw DiscfgError(reading: error)
            }
        }
    }

    /// How much the request's JSON may turn into.
    var jsonLimits: JSONLimits {
        JSONLimits(maximumValues: RequestLimits.jsonValues) { [hold = context.hold] in hold?.take($0) ?? true }
    }

    /// Whether the caller asks for this media type by name.
    func accepts(_ type: String) -> Bool {
        guard let accept = request.headers[.accept] else { return false }
        return accept.split(separator: ",").contains { $0.prefix { $0 != ";" }.trimmed == type }
    }

    /// Whether the caller asks for a bare value, and not for the envelope as well.
    ///
    /// Clients that send `application/json, text/plain, */*` whatever they fetch want JSON.
    var wantsBareValue: Bool {
        (accepts("text/plain") || accepts("application/octet-stream")) && !accepts("application/json")
    }
}

extension Request {
    /// Whether no segment is empty among those that routes name, such as the first in `//v1/cfgs`.
    ///
    /// The router passes over empty segments, and a proxy that lets some paths through may not.
    var hasPlainPath: Bool {
        let segments = uri.path.split(separator: "/", maxSplits: 4, omittingEmptySubsequences: false)
        // Before the first slash, and after the last, there is nothing.
        return !segments.dropFirst().dropLast().prefix(3).contains("")
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
