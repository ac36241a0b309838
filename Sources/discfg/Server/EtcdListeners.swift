import DiscfgCore
import DiscfgEtcd
import DiscfgHTTP
import GRPCServing
import Logging

#if EtcdGRPC
import DiscfgEtcdGRPC
#endif

/// The listeners of etcd's APIs, on a store of this process or of another server.
struct EtcdListeners: Sendable {
    private let api: EtcdAPI
    private let logger: Logger
    /// The settings of the APIs that use HTTP.
    let http: EtcdOptions

    /// A server that passes each call on has no state for etcd's rules.
    static let needStore = DiscfgError(
        .unsupported, "With --view-memory 0, a server on another server's store has no etcd API.",
        hint: "Leave out --view-memory 0, or give --etcd-listen to the other server.")

    /// An address for etcd's gRPC makes sense only with gRPC.
    static func noGRPC(at address: ListenAddress) -> DiscfgError {
        DiscfgError(
            .unsupported, "This discfg was built without gRPC, so that it cannot listen on \(address).",
            hint: "Build it with the package trait EtcdGRPC, or leave out --etcd-listen.")
    }

    /// Servers of one store are one cluster to etcd's clients, and each is a member of its own.
    init(
        store: ConfigService, administration: (any StoreAdministration)?, time: TimeSource, options: Server.Options,
        logger: Logger
    ) {
        let address = options.etcdHTTPAddress ?? options.address
        let identity = EtcdIdentity(
            store: store.storeName, server: address.description, name: "discfg", clientURLs: ["http://\(address)"])
        var behaviour = EtcdService.Options(time: time)
        behaviour.storeSize = { administration?.size ?? 0 }
        api = EtcdAPI(
            store: store, config: options.etcdConfig, identity: identity, options: behaviour, logger: logger)
        http = EtcdOptions(api)
        self.logger = logger
    }
}

extension EtcdListeners {
    /// What serves gRPC on the connections of every address; `nil` if this discfg was built without it.
    func gRPC(_ requests: RequestLimits) -> GRPCConnections? {
        #if EtcdGRPC
        var limits = EtcdGRPCLimits()
        limits.requests = requests
        return GRPCConnections(etcd: api, limits: limits, logger: logger)
        #else
        return nil
        #endif
    }
}
