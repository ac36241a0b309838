#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif
import DiscfgCore
import DiscfgHTTP
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle

/// The server: the HTTP door on a store, and what keeps the store tidy.
struct Server: Sendable {
    let address: ListenAddress
    let allowedHosts: [String]
    let corsOrigins: [String]
    let maximumConnections: Int
    let registry: PrometheusRegistry

    /// Serves until SIGINT or SIGTERM; requests under way are answered first.
    func run(_ session: Session) async throws {
        var logger = Logger(label: "discfg.server") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = session.settings.logLevel
        let access = AccessPolicy(listeningOn: address.host, allowedHosts: allowedHosts, corsOrigins: corsOrigins)
        let options = DiscfgResponder.Options(access: access, registry: registry)
        let application = Application(
            responder: DiscfgResponder(store: session.store, options: options, logger: logger),
            server: .http1(configuration: HTTP1Channel.Configuration(idleTimeout: .seconds(120))),
            configuration: ApplicationConfiguration(
                address: .hostname(address.host, port: address.port),
                availableConnectionsDelegate: MaximumAvailableConnections(maximumConnections)),
            services: session.local.map { [ConfigMaintenance($0)] } ?? [],
            onServerRunning: { channel in announce(channel, session) },
            logger: logger)
        do {
            try await application.runService()
        } catch let error as IOError {
            throw DiscfgError(
                .storeUnavailable,
                "The server cannot listen on \(address): \(String(cString: strerror(error.errnoCode))).",
                hint: "Another program may have the port: choose one with --listen, or --listen 127.0.0.1:0 for any.",
                cause: error)
        }
    }

    /// Says where the server is, and what to try first.
    private func announce(_ channel: any Channel, _ session: Session) {
        let port = channel.localAddress?.port ?? address.port
        let url = "http://\(ListenAddress.text(address.host == "0.0.0.0" ? "127.0.0.1" : address.host, port))"
        // Nobody need read it: the server runs all the same.
        try? session.output.human(
            """
            discfg is listening on \(url), with the store \(session.settings.store)

            Try, in another terminal:
              curl -X PUT -d hello \(url)/v1/default/keys/greeting
              curl \(url)/v1/default/keys/greeting
              curl -N -H 'Accept: text/event-stream' \(url)/v1/default/changes

            Stop it with Ctrl-C.

            """)
    }
}
