#if EtcdGRPC
import DiscfgCore
package import DiscfgEtcd
package import Logging
package import NIOCore

extension EtcdGRPCServer {
    /// A server that answers for the config of the API, and for any other that a call's metadata names.
    ///
    /// - Parameters:
    ///   - api: What the calls are answered by.
    ///   - host: The address to listen on.
    ///   - port: The port; 0 for one that the system chooses, which `address` tells.
    ///   - limits: How much a client may ask.
    ///   - logger: Where calls that fail inside the server are noted.
    ///   - onListening: Is given the channel that accepts connections, before it does.
    package convenience init(
        api: EtcdAPI, host: String, port: Int, limits: EtcdGRPCLimits = EtcdGRPCLimits(), logger: Logger,
        onListening: (@Sendable (any Channel) throws -> Void)? = nil
    ) {
        let errors = ErrorAnswers(logger: logger)
        let calls = EtcdCalls(api: api)
        let kv = KVCalls(calls: calls)
        self.init(
            host: host, port: port, limits: limits,
            services: [
                kv, WatchCalls(calls: calls, answers: limits.requests.answers), LeaseCalls(calls: calls),
                ClusterCalls(calls: calls), MaintenanceCalls(calls: calls), AuthCalls(calls: calls),
                LockCalls(calls: calls), ElectionCalls(calls: calls),
            ],
            shortcuts: kv.shortcuts(errors, limit: limits.requestBytes), errors: errors, onListening: onListening)
    }
}
#endif
