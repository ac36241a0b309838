#if EtcdGRPC
import DiscfgEtcd
import GRPCCore

extension ServerContext {
    /// Runs the body of a call that waits or streams, until it ends or the call does.
    ///
    /// A call ends when its client goes away or gives up, and when the server stops. grpc-swift tells so through
    /// `cancellation` and does not cancel the task; here the body's task is cancelled, and the call ends with
    /// etcd's "server stopped", which is read only if the client is still there.
    func whileOpen<Output: Sendable>(
        _ body: @escaping @Sendable () async throws -> Output
    ) async throws -> Output {
        try await withThrowingTaskGroup(of: Output.self) { tasks in
            tasks.addTask {
                try await cancellation.cancelled
                throw EtcdError.stopped
            }
            tasks.addTask { try await body() }
            defer { tasks.cancelAll() }
            guard let output = try await tasks.next() else { throw EtcdError.stopped }
            return output
        }
    }
}
#endif
