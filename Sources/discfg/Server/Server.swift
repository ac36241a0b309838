import DiscfgCore
import DiscfgHTTP
import DiscfgNotifications
import DiscfgYAML
import GRPCServing
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle
import UnixSignals

/// The server: its APIs on a store, and the maintenance of the store.
struct Server: Sendable {
    /// The addresses of the server, and the callers that it accepts.
    struct Options: Sendable {
        /// Every API.
        var address: ListenAddress
        /// The same, for clients of etcd's HTTP that insist on an address of its own; `nil` for none.
        var etcdHTTPAddress: ListenAddress?
        /// The same, for clients of etcd's gRPC; `nil` for none.
        var etcdGRPCAddress: ListenAddress?
        /// The config that etcd's clients see.
        var etcdConfig = ConfigName.default
        var allowedHosts: [String] = []
        var corsOrigins: [String] = []
        /// The most connections for each address that somebody asked for; `nil` if nobody did.
        var maximumConnections: Int?
        /// The bytes of request bodies under way, and as many of answers.
        var requestMemory = MemoryBudget.standard

        /// The most connections for each address, whether somebody asked for that number or not.
        var connections: Int { maximumConnections ?? Self.standardConnections }

        /// The most connections for each address if nobody asks for a number.
        static let standardConnections = 10_000

        /// How many addresses there are.
        fileprivate var listeners: Int { [etcdHTTPAddress, etcdGRPCAddress].count { $0 != nil } + 1 }
    }

    var options: Options
    let registry: PrometheusRegistry

    /// Serves until SIGINT or SIGTERM; requests under way are answered first.
    func run(_ session: Session) async throws {
        var logger = Logger(label: "discfg.server") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = session.settings.logLevel
        let descriptors = DescriptorLimit.raise()
        try Descriptor.checkFree(Descriptor.neededForServer, or: "The server cannot start")
        let connections = connections(with: descriptors)
        if connections < options.connections {
            logger.log(
                level: shortageLevel, "fewer connections than wanted, because the process may not open as many files",
                metadata: [
                    "connections": "\(connections)", "wanted": "\(options.connections)", "files": "\(descriptors)",
                ])
        }
        var server = self
        server.options.maximumConnections = connections
        try await server.serve(session, logger)
    }

    /// As many connections for each address as there are descriptors for.
    func connections(with descriptors: Int) -> Int {
        DescriptorLimit.connections(options.connections, listeners: options.listeners, limit: descriptors)
    }

    /// A number of connections that nobody asked for is not worth a warning.
    var shortageLevel: Logger.Level { options.maximumConnections == nil ? .info : .warning }

    private func serve(_ session: Session, _ logger: Logger) async throws {
        let limits = RequestLimits(bodies: MemoryBudget(options.requestMemory))
        let etcd = session.local.map {
            EtcdListeners(
                store: $0, administration: session.administration, time: session.time, options: options, logger: logger)
        }
        let gRPC = etcd?.gRPC(limits)
        if let address = options.etcdGRPCAddress, gRPC == nil {
            throw etcd == nil ? EtcdListeners.needStore : EtcdListeners.noGRPC(at: address)
        }
        let greeting = Greeting(session: session, options: options)
        let addresses: [(Greeting.Listener, ListenAddress?)] = [
            (.http, options.address), (.etcdHTTP, options.etcdHTTPAddress), (.etcdGRPC, options.etcdGRPCAddress),
        ]
        var services: [any Service] = addresses.compactMap { listener, address in
            address.map { application($0, session, etcd, gRPC, limits, logger) { greeting.note(listener, $0) } }
        }
        services.append(StoreCheck(session: session))
        if let maintained = session.maintained { services.append(ConfigMaintenance(maintained)) }
        if let notifier = session.notifier { services.append(NotificationService(notifier)) }
        var configuration = ServiceGroupConfiguration(
            services: services.map { .init(service: $0) }, gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger)
        // A client that goes on asking must not hold up the end for good.
        configuration.maximumGracefulShutdownDuration = .seconds(20)
        let end: Result<Void, any Error>
        do {
            end = .success(try await ServiceGroup(configuration: configuration).run())
        } catch {
            end = .failure(error)
        }
        // Calls whose connections were cut off still use the store, which is closed next.
        gRPC?.cutOff()
        await gRPC?.ended()
        try end.get()
    }

    /// What answers HTTP and gRPC at an address; `listening` is told the port.
    private func application(
        _ address: ListenAddress, _ session: Session, _ etcd: EtcdListeners?,
        _ gRPC: GRPCConnections?, _ limits: RequestLimits, _ logger: Logger,
        listening: @escaping @Sendable (Int) -> Void
    ) -> any Service {
        let access = AccessPolicy(
            listeningOn: address.host, allowedHosts: self.options.allowedHosts, corsOrigins: self.options.corsOrigins)
        var options = DiscfgResponder.Options(
            access: access, registry: registry, time: session.time, etcd: etcd?.http, yaml: .yams,
            notifications: session.opened.notifications, engine: session.local)
        options.limits = limits
        let responder = DiscfgResponder(store: session.opened.store, options: options, logger: logger)
        let application = Application(
            responder: responder,
            server: HTTPServerBuilder { responder in
                let configuration = HTTP1Channel.Configuration(
                    additionalChannelHandlers: [ConnectionMonitor(), StalledReader()], idleTimeout: .seconds(120))
                return OnePort(http1: HTTP1Channel(responder: responder, configuration: configuration), gRPC: gRPC)
            },
            configuration: ApplicationConfiguration(
                address: .hostname(address.host, port: address.port),
                availableConnectionsDelegate: MaximumAvailableConnections(self.options.connections)),
            onServerRunning: { channel in
                // It fails only where the channel is closed already.
                try? await channel.eventLoop.submit {
                    try channel.pipeline.syncOperations.addHandler(AcceptPause(logger: logger), position: .first)
                }.get()
                listening(channel.localAddress?.port ?? address.port)
            },
            logger: logger)
        return Listening(address: address, service: application)
    }
}
