import DiscfgCore
import DiscfgEtcd
import DiscfgHTTP
import GRPCServing
import Logging

#if EtcdGRPC
import DiscfgEtcdGRPC
#endif

/// The listeners of etcd's APIs, on a store of this process.
struct EtcdListeners: Sendable {
    private let api: EtcdAPI
    private let logger: Logger
    /// The settings of the APIs that use HTTP.
    let http: EtcdOptions

    /// The rules of etcd are carried out where the store is: another server has APIs of its own.
    static let needStore = DiscfgError(
        .unsupported, "etcd's APIs are not available on a server whose store is another server.",
        hint: "Give --etcd-listen to the server that has the store.")

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
