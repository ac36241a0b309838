import DiscfgCore
import DiscfgHTTP
import DiscfgNotifications
import DiscfgYAML
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle
import UnixSignals

/// The server: its doors on a store, and what keeps the store tidy.
struct Server: Sendable {
    /// Where the server listens, and who may call.
    struct Options: Sendable {
        /// Every door that speaks HTTP.
        var address: ListenAddress
        /// The same, for clients of etcd that insist on an address of its own; `nil` for none.
        var etcdHTTPAddress: ListenAddress?
        /// etcd's v3 API over gRPC; `nil` for none.
        var etcdGRPCAddress: ListenAddress?
        /// The config that etcd's clients see.
        var etcdConfig = ConfigName.default
        var allowedHosts: [String] = []
        var corsOrigins: [String] = []
        var maximumConnections: Int
    }

    let options: Options
    let registry: PrometheusRegistry

    /// Serves until SIGINT or SIGTERM; requests under way are answered first.
    func run(_ session: Session) async throws {
        var logger = Logger(label: "discfg.server") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = session.settings.logLevel
        let etcd = session.local.map {
            EtcdDoors(store: $0, options: options, settings: session.settings, logger: logger)
        }
        let greeting = Greeting(session: session, options: options)
        var services: [any Service] = [application(options.address, session, etcd, logger) { greeting.note(.http, $0) }]
        if let address = options.etcdHTTPAddress {
            services.append(application(address, session, etcd, logger) { greeting.note(.etcdHTTP, $0) })
        }
        if let address = options.etcdGRPCAddress {
            guard let etcd else { throw EtcdDoors.needStore }
            services.append(try etcd.gRPC(at: address) { greeting.note(.etcdGRPC, $0) })
        }
        if let local = session.local { services.append(ConfigMaintenance(local)) }
        if let notifier = session.notifier { services.append(NotificationService(notifier)) }
        var configuration = ServiceGroupConfiguration(
            services: services.map { .init(service: $0) }, gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger)
        // A client that goes on asking must not hold up the end for good.
        configuration.maximumGracefulShutdownDuration = .seconds(20)
        try await ServiceGroup(configuration: configuration).run()
    }

    /// What answers HTTP at an address; `listening` is told the port.
    private func application(
        _ address: ListenAddress, _ session: Session, _ etcd: EtcdDoors?, _ logger: Logger,
        listening: @escaping @Sendable (Int) -> Void
    ) -> any Service {
        let access = AccessPolicy(
            listeningOn: address.host, allowedHosts: options.allowedHosts, corsOrigins: options.corsOrigins)
        let responder = DiscfgResponder(
            store: session.store,
            options: DiscfgResponder.Options(
                access: access, registry: registry, etcd: etcd?.http, yaml: .yams,
                notifications: session.notifications), logger: logger)
        let application = Application(
            responder: responder,
            server: .http1(
                configuration: HTTP1Channel.Configuration(
                    additionalChannelHandlers: [ConnectionMonitor()], idleTimeout: .seconds(120))),
            configuration: ApplicationConfiguration(
                address: .hostname(address.host, port: address.port),
                availableConnectionsDelegate: MaximumAvailableConnections(options.maximumConnections)),
            onServerRunning: { channel in listening(channel.localAddress?.port ?? address.port) },
            logger: logger)
        return Listening(address: address, service: application)
    }
}
