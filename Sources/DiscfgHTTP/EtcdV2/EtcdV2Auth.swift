import DiscfgCore
import HTTPTypes
import Hummingbird

/// etcd's v2 authentication, as it answers while it is disabled; it cannot be enabled here.
struct EtcdV2Auth: Sendable {
    let clusterID: String

    private static let root = #"{"role":"root","permissions":{"kv":{"read":["/*"],"write":["/*"]}}}"#

    func answer(_ call: Call, _ path: String) -> Response {
        let names = path.split(separator: "/", maxSplits: 1).map(String.init)
        var response: Response
        switch (names.first, names.count > 1 ? names[1] : "") {
        case ("enable", ""): response = enable(call)
        case ("users", ""): response = call.allow(.get) ?? .plain("{\"users\":null}\n")
        case ("roles", ""): response = call.allow(.get) ?? .plain("{\"roles\":[\(Self.root)]}\n")
        case ("users", let name): response = user(call, name)
        case ("roles", let name): response = role(call, name)
        default: return .text("404 page not found", status: .notFound)
        }
        response.headers[.etcdClusterID] = clusterID
        return response
    }

    private func enable(_ call: Call) -> Response {
        if let refusal = call.allow(.get, .put, .delete) { return refusal }
        switch call.request.method {
        case .get: return .plain("{\"enabled\":false}\n")
        case .delete: return .message("auth: already disabled", status: .conflict)
        default: return unsupported
        }
    }

    private func user(_ call: Call, _ name: String) -> Response {
        if let refusal = call.allow(.get, .put, .delete) { return refusal }
        switch call.request.method {
        case .get: return .message("auth: User \(name) does not exist.", status: .notFound)
        case .delete: return .message("auth: User \(name) does not exist", status: .notFound)
        default: return unsupported
        }
    }

    private func role(_ call: Call, _ name: String) -> Response {
        if let refusal = call.allow(.get, .put, .delete) { return refusal }
        switch call.request.method {
        case .get where name == "root": return .plain(Self.root + "\n")
        case .get: return .message("auth: Role \(name) does not exist.", status: .notFound)
        case .delete where name != "root": return .message("auth: Role \(name) does not exist.", status: .notFound)
        default: return unsupported
        }
    }

    private var unsupported: Response {
        .message(
            "auth: discfg does not have the v2 API's users and roles; nothing was changed", status: .notImplemented)
    }
}
