import DiscfgCore
import DiscfgEtcd
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// etcd's v2 API: below `/v2` for one config, and below `/{cfg}/v2` for any.
///
/// It answers as etcd 3.4 does with `--enable-v2`, to the byte where a client might look: so it has a router, errors and texts
/// of its own.
struct EtcdV2Routes: Sendable {
    let api: EtcdAPI
    let time: TimeSource
    let counters = EtcdV2Counters()
    private let logger: Logger
    private let cluster: EtcdV2Cluster

    init(_ options: EtcdOptions, time: TimeSource, logger: Logger) {
        api = options.api
        self.time = time
        self.logger = logger
        cluster = EtcdV2Cluster(options.api, since: time.now())
    }

    /// The value of `X-Etcd-Cluster-Id`.
    var clusterID: String { cluster.id }

    /// The answer to a request; `nil` if the path is not part of the v2 API.
    func answer(_ call: Call) async -> Response? {
        guard let place = EtcdV2Place(call.request.head.path ?? "") else { return nil }
        var response: Response
        do {
            response = try await answer(call, at: place)
        } catch let error as EtcdV2Error {
            response = error.response(cluster: clusterID)
        } catch {
            response = self.response(to: DiscfgError(answering: error, to: call.request.method))
        }
        response.headers.append(contentsOf: Self.cors)
        return response
    }

    /// The headers that etcd adds to every answer; access was checked before.
    private static let cors: HTTPFields = [
        .accessControlAllowMethods: "POST, GET, OPTIONS, PUT, DELETE", .accessControlAllowOrigin: "*",
        .accessControlAllowHeaders: "accept, content-type, authorization",
    ]

    private func response(to failure: DiscfgError) -> Response {
        if failure.code == .configNotFound {
            return .text(failure.description, status: .notFound)
        }
        let error = EtcdV2Error(failure)
        if error.code == 300 {
            logger.error(
                "request failed",
                metadata: [
                    "error.code": "\(failure.code.rawValue)", "error": "\(failure.message)",
                    "error.cause": "\(failure.cause.map { String(describing: $0) } ?? "")",
                ])
        }
        return error.response(cluster: clusterID)
    }

    private func answer(_ call: Call, at place: EtcdV2Place) async throws -> Response {
        if call.request.method == .options { return Response(status: .ok) }
        guard place.path != nil else { return .text("400 Bad Request", status: .badRequest) }
        if let path = place.redirection { return .redirection(to: path, for: call.request) }
        if let path = place.path(below: "/v2/keys") {
            call.name("/v2/keys/**")
            let caller: Caller
            do { caller = try call.caller } catch let error as DiscfgError {
                // Not of a form, which 210 is about.
                throw EtcdV2Error.invalidField(error.description)
            }
            return try await EtcdV2Keys(
                routes: self, store: api.store(as: caller), config: place.config ?? api.config
            ).answer(call, path)
        }
        return try await cluster.answer(call, at: place, routes: self)
    }
}

extension Call {
    /// Names the route, for the metrics.
    func name(_ route: String) { context.coreContext.endpointPath.value = route }

    /// Refuses other methods as Go does.
    func allow(_ methods: HTTPRequest.Method...) -> Response? {
        if methods.contains(request.method) { return nil }
        let allowed = methods.map(\.rawValue).joined(separator: ",")
        return .text("Method Not Allowed", status: .methodNotAllowed, headers: [.allow: allowed])
    }
}

extension Response {
    /// An answer of a line of text.
    static func text(_ text: String, status: HTTPResponse.Status, headers: HTTPFields = [:]) -> Response {
        var headers = headers
        headers[.contentType] = "text/plain; charset=utf-8"
        return Response(
            status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text + "\n")))
    }

    /// Sends the client to the clean path, as Go's router does.
    fileprivate static func redirection(to path: [UInt8], for request: Request) -> Response {
        let query = request.uri.query.map { "?" + $0 } ?? ""
        let location = PercentEncoding.encode(path, keeping: "$&+,/:;=@") + query
        guard request.method == .get || request.method == .head else {
            return Response(status: .movedPermanently, headers: [.location: location])
        }
        let link = location.reduce(into: "") { $0 += Self.entities[$1] ?? String($1) }
        let body = ByteBuffer(string: "<a href=\"\(link)\">Moved Permanently</a>.\n\n")
        let headers: HTTPFields = [.contentType: "text/html; charset=utf-8", .location: location]
        return Response(status: .movedPermanently, headers: headers, body: ResponseBody(byteBuffer: body))
    }

    private static let entities: [Character: String] = [
        "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&#34;", "'": "&#39;",
    ]
}
