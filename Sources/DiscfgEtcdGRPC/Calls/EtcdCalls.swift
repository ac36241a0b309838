#if EtcdGRPC
import DiscfgCore
import DiscfgEtcd
import GRPCCore

/// What the calls of all of etcd's services have in common: which config they are about, who the caller is, and how they
/// end.
struct EtcdCalls: Sendable {
    /// The metadata of a request that is about another config than the server's.
    static let configKey = "discfg-cfg"

    /// The metadata in which a client claims a name, percent-encoded; the same as the header field of REST.
    static let authorKey = "x-discfg-author"

    let api: EtcdAPI

    /// The service for the caller, of the config that a call is about.
    ///
    /// gRPC is served to clients directly, not behind a gateway, so a caller's name is never proven.
    func service(_ metadata: Metadata) throws(EtcdError) -> EtcdService {
        do throws(DiscfgError) {
            let config = try first(Self.configKey, in: metadata).map { name throws(DiscfgError) in
                try ConfigName(name)
            }
            let claim = try Caller.claim(in: Array(metadata[stringValues: Self.authorKey]))
            return api.acting(as: .claiming(claim ?? ""), in: config)
        } catch {
            throw EtcdError(answering: error)
        }
    }

    private func first(_ key: String, in metadata: Metadata) -> String? {
        metadata[stringValues: key].first { _ in true }
    }

    /// Answers a call that is short.
    func answer<Input, Output>(
        _ request: ServerRequest<Input>, _ call: (EtcdService, Input) async throws -> Output
    ) async throws -> ServerResponse<Output> {
        ServerResponse(message: try await call(try service(request.metadata), request.message))
    }

    /// Answers a call that may wait for long; it is given up when its client is gone, and when the server stops.
    func answerInTime<Input: Sendable, Output: Sendable>(
        _ request: ServerRequest<Input>, _ context: ServerContext,
        _ call: @escaping @Sendable (EtcdService, Input) async throws -> Output
    ) async throws -> ServerResponse<Output> {
        let service = try service(request.metadata)
        return ServerResponse(message: try await context.whileOpen { try await call(service, request.message) })
    }

    /// Refuses a call.
    func refuse<Input, Output>(
        _ request: ServerRequest<Input>, _ call: (EtcdService, Input) throws -> Never
    ) throws -> ServerResponse<Output> {
        try call(try service(request.metadata), request.message)
    }

    /// Answers with a stream, which ends when its client is gone, and when the server stops.
    func stream<Output: Sendable>(
        _ metadata: Metadata, _ context: ServerContext,
        _ call: @escaping @Sendable (EtcdService, RPCWriter<Output>) async throws -> Void
    ) throws -> StreamingServerResponse<Output> {
        let service = try service(metadata)
        return StreamingServerResponse { writer in
            try await context.whileOpen { try await call(service, writer) }
            return [:]
        }
    }
}
#endif
