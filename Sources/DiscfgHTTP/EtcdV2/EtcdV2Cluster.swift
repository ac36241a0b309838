import DiscfgCore
import DiscfgEtcd
import HTTPTypes
import Hummingbird
import NIOCore

/// What clients ask about an etcd cluster: discfg is one member, which is its own leader.
struct EtcdV2Cluster: Sendable {
    /// The cluster, in hexadecimal digits as etcd's v2 API has it: the same that v3 tells in decimal ones.
    let id: String
    private let member: String
    private let version: String
    /// When this process began.
    private let start: Timestamp

    init(_ api: EtcdAPI, since start: Timestamp) {
        id = String(api.identity.clusterID, radix: 16)
        member = String(api.identity.memberID, radix: 16)
        version = api.options.version
        self.start = start
    }

    /// The answer to what is not about keys.
    func answer(_ call: Call, at place: EtcdV2Place, routes: EtcdV2Routes) async throws -> Response {
        if let rest = place.path(below: "/v2/members") {
            call.name("/v2/members/**")
            return members(call, String(decoding: rest.drop { $0 == UInt8(ascii: "/") }, as: UTF8.self))
        }
        if let rest = place.path(below: "/v2/auth") {
            call.name("/v2/auth/**")
            return EtcdV2Auth(clusterID: id).answer(call, String(decoding: rest, as: UTF8.self))
        }
        let path = String(decoding: place.path ?? [], as: UTF8.self)
        call.name(["/v2/machines", "/version"].contains(path) ? path : "/v2/**")
        switch path {
        case "/v2/machines":
            return call.allow(.get, .head) ?? .plain(url(of: call), type: "text/plain; charset=utf-8")
        case "/version":
            return call.allow(.get) ?? .plain(#"{"etcdserver":"\#(version)","etcdcluster":"3.4.0"}"#)
        case "/v2/stats/store":
            if let refusal = call.allow(.get) { return refusal }
            return .plain(routes.counters.json(expirations: routes.api.store(as: .process).expirations))
        case "/v2/stats/self": return call.allow(.get) ?? .plain(statistics(at: routes.time.now()))
        case "/v2/stats/leader":
            return call.allow(.get) ?? .plain(#"{"leader":"\#(member)","followers":{}}"#)
        default:
            call.name("/v2/**")
            return .text("404 page not found", status: .notFound)
        }
    }

    /// How the client reaches this server, as far as its own request tells.
    private func url(of call: Call) -> String { "http://" + (call.request.head.authority ?? "localhost") }

    private func members(_ call: Call, _ rest: String) -> Response {
        if let refusal = call.allow(.get, .post, .delete, .put) { return refusal }
        guard call.request.method == .get else {
            return .message("discfg has no cluster whose members could be changed", status: .notImplemented)
        }
        let url = Self.quoted(url(of: call))
        let member = #"{"id":"\#(member)","name":"discfg","peerURLs":[],"clientURLs":[\#(url)]}"#
        var response: Response
        switch rest {
        case "": response = .plain("{\"members\":[\(member)]}\n")
        case "leader": response = .plain(member + "\n")
        default: response = .message("Not found", status: .notFound)
        }
        response.headers[.etcdClusterID] = id
        return response
    }

    private func statistics(at now: Timestamp) -> String {
        let leader = """
            {"leader":"\(member)","uptime":"\(Self.duration(now - start))","startTime":"\(start)"}
            """
        return """
            {"name":"discfg","id":"\(member)","state":"StateLeader","startTime":"\(start)",\
            "leaderInfo":\(leader),"recvAppendRequestCnt":0,"sendAppendRequestCnt":0}
            """
    }

    /// A duration as Go writes it, such as `1h0m2.5s`.
    private static func duration(_ duration: Duration) -> String {
        let milliseconds = max(0, duration.milliseconds)
        let (hours, minutes) = (milliseconds / 3_600_000, milliseconds / 60_000 % 60)
        let fraction = String(String(milliseconds % 1000 + 1000).dropFirst())
        return (hours > 0 ? "\(hours)h" : "") + (hours > 0 || minutes > 0 ? "\(minutes)m" : "")
            + "\(milliseconds / 1000 % 60).\(fraction)s"
    }

    private static func quoted(_ text: String) -> String {
        var buffer = ByteBuffer()
        buffer.writeJSON(Array(text.utf8))
        return String(buffer: buffer)
    }
}

extension Response {
    /// A body as it stands.
    static func plain(_ text: String, type: String = "application/json") -> Response {
        plain(ByteBuffer(string: text), type: type)
    }

    static func plain(_ body: ByteBuffer, type: String = "application/json") -> Response {
        Response(status: .ok, headers: [.contentType: type], body: ResponseBody(byteBuffer: body))
    }

    /// What etcd says where it is not about keys.
    static func message(_ text: String, status: HTTPResponse.Status) -> Response {
        var body = ByteBuffer(string: "{\"message\":")
        body.writeJSON(Array(text.utf8))
        body.writeStaticString("}\n")
        return Response(
            status: status, headers: [.contentType: "application/json"], body: ResponseBody(byteBuffer: body))
    }
}
