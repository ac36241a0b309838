#if EtcdGRPC
import DiscfgCore
import DiscfgEtcd
import GRPCCore

/// What the calls of all of etcd's services have in common: which config they are about, and how they end.
struct EtcdCalls: Sendable {
    /// The metadata of a request that is about another config than the server's.
    static let configKey = "discfg-cfg"

    /// The service of the server's config.
    let standard: EtcdService

    /// The service of the config that a call is about.
    func service(_ metadata: Metadata) throws(EtcdError) -> EtcdService {
        guard let name = metadata[stringValues: Self.configKey].first(where: { _ in true }) else { return standard }
        do {
            return standard.of(try ConfigName(name))
        } catch {
            throw EtcdError(answering: error)
        }
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
