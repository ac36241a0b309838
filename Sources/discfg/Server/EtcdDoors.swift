import DiscfgCore
import DiscfgEtcd
import DiscfgHTTP
import Logging
import NIOCore
import ServiceLifecycle

#if EtcdGRPC
import DiscfgEtcdGRPC
#endif

/// The doors for etcd's clients, on a store of this process or of another server.
struct EtcdDoors: Sendable {
    private let api: EtcdAPI
    private let logger: Logger
    /// What the doors that speak HTTP need.
    let http: EtcdOptions

    /// A server that passes each call on has no state for etcd's rules.
    static let needStore = DiscfgError(
        .unsupported, "With --view-memory 0, a server on another server's store has no etcd API.",
        hint: "Leave out --view-memory 0, or give --etcd-listen to the other server.")

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

extension EtcdDoors {
    /// What answers gRPC at an address; `listening` is told the port.
    func gRPC(
        at address: ListenAddress, _ options: Server.Options, _ requests: RequestLimits,
        listening: @escaping @Sendable (Int) -> Void
    ) throws(DiscfgError) -> any Service {
        #if EtcdGRPC
        let server = EtcdGRPCServer(
            api: api, host: address.host, port: address.port, limits: Self.limits(options, requests),
            logger: logger
        ) { [logger] channel in
            try channel.pipeline.syncOperations.addHandler(AcceptPause(logger: logger), position: .first)
        }
        return Listening(address: address, service: AnnouncedServer(server: server, listening: listening))
        #else
        throw DiscfgError(
            .unsupported, "This discfg was built without gRPC, so that it cannot listen on \(address).",
            hint: "Build it with the package trait EtcdGRPC, or leave out --etcd-listen.")
        #endif
    }
}

#if EtcdGRPC
extension EtcdDoors {
    /// How much clients may ask of gRPC: as many connections as of each address, and memory that all requests share.
    static func limits(_ options: Server.Options, _ requests: RequestLimits) -> EtcdGRPCLimits {
        var limits = EtcdGRPCLimits()
        limits.connections = options.connections
        limits.requests = requests
        return limits
    }
}

/// A gRPC server that says at which port it listens, as soon as it does.
private struct AnnouncedServer: Service {
    let server: EtcdGRPCServer
    let listening: @Sendable (Int) -> Void

    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { if let port = await server.address?.port { listening(port) } }
            try await server.run()
            try await group.waitForAll()
        }
    }
}
#endif
