import DiscfgCore
import DiscfgEtcd
import HTTPTypes
import Hummingbird

/// etcd's v3 API in JSON: `/v3/…`, as etcd's own gateway 3.4 answers.
///
/// `/v3/…` is about the config of the service, `/CONFIG/v3/…` about any other. Source: the mapping in etcd's
/// `etcdserver/etcdserverpb/rpc.proto`.
struct EtcdV3Routes: Sendable {
    let api: EtcdAPI

    /// The most bytes of a body: a request of 1.5 MiB as base64, with room for the names around it.
    static let maximumBody = 4 << 20
    private static let prefixes = ["/v3", "/v3beta", "/:cfg/v3", "/:cfg/v3beta"]

    func add(to table: RouteTable) {
        addKeys(to: table)
        addLeases(to: table)
        addCoordination(to: table)
        addMaintenance(to: table)
        addCluster(to: table)
        addAuth(to: table)
        for prefix in Self.prefixes {
            for method in RouteTable.methods { table.on(method, prefix + "/**") { _ in .etcdText(.notFound) } }
        }
    }

    /// Adds a call that has one answer.
    func unary<Request: EtcdDecodable, Answer: EtcdEncodable>(
        _ path: String, to table: RouteTable, _ request: Request.Type = Request.self,
        _ handler: @escaping @Sendable (EtcdService, Request) async throws(EtcdError) -> Answer
    ) {
        on(path, to: table) { service, call throws(EtcdError) in
            let request = try Request(body: try await body(of: call))
            return .etcd(try await handler(service, request).json)
        }
    }

    /// Adds a call that answers by itself.
    func on(
        _ path: String, to table: RouteTable,
        _ handler: @escaping @Sendable (EtcdService, Call) async throws(EtcdError) -> Response
    ) {
        for prefix in Self.prefixes {
            for method in RouteTable.methods where method != .post {
                table.on(method, "\(prefix)/\(path)") { _ in .etcdText(.methodNotAllowed) }
            }
            table.on(.post, "\(prefix)/\(path)") { call in
                do throws(EtcdError) {
                    return try await handler(try service(for: call), call)
                } catch {
                    return failure(error)
                }
            }
        }
    }

    /// The service for the caller, of the config that the path names.
    private func service(for call: Call) throws(EtcdError) -> EtcdService {
        do {
            let config = try call.context.parameters.get("cfg") == nil ? nil : call.config
            return api.acting(as: try call.caller, in: config)
        } catch {
            throw EtcdError(answering: error)
        }
    }

    func body(of call: Call) async throws(EtcdError) -> [UInt8] {
        do {
            return try await call.body(atMost: Self.maximumBody)
        } catch let error as DiscfgError where error.code == .tooLarge {
            throw .requestTooLarge
        } catch {
            throw EtcdError(answering: error)
        }
    }

    private func failure(_ error: EtcdError) -> Response {
        // A caller that is gone reads nothing; the others are told that the server goes.
        let isShutdown = error.code == .canceled && !Task.isCancelled
        return .etcd(isShutdown ? EtcdError.stopped : error)
    }
}
