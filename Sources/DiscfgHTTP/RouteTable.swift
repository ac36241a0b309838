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
        return router.buildResponder()
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

    /// Who makes the request: whom a gateway knows them for, or else who they say they are.
    var author: String {
        get throws {
            if let caller = context.caller { return caller }
            return try request.headers[.author].map { field throws in try PercentEncoding.decode(field) } ?? ""
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
    /// - Throws: `DiscfgError` with code `tooLarge`; any other error when the body stopped halfway.
    func body(atMost limit: Int) async throws -> [UInt8] {
        if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > limit {
            throw Self.tooLarge(limit)
        }
        do {
            let buffer = try await request.body.collect(upTo: limit)
            return Array(buffer.readableBytesView)
        } catch is NIOTooManyBytesError {
            throw Self.tooLarge(limit)
        } catch let error where !(error is CancellationError) {
            throw DiscfgError(
                .invalidRequest, "The request's body stopped halfway.", hint: "Send it again; nothing was written.",
                cause: error)
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

    /// Whether the caller asks for a bare value, and not for the envelope as well.
    ///
    /// Clients that send `application/json, text/plain, */*` whatever they fetch want JSON.
    var wantsBareValue: Bool {
        (accepts("text/plain") || accepts("application/octet-stream")) && !accepts("application/json")
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
