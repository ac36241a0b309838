import DiscfgCore
import DiscfgNotifications
import Logging
import Metrics

/// How a process uses its store; the defaults are those of a command.
struct StoreUse: Sendable {
    /// The time between two looks at a watched log; `nil` for the engine's.
    var pollInterval: Duration?
    /// The bytes that loaded configs may take in memory; with 0 every read asks the store.
    var viewMemory = 0
}

/// A store that is open: what can be done with it, and how it is closed.
struct OpenStore: Sendable {
    let store: any ConfigStore
    /// The store, unless each call is passed on to a server.
    var local: ConfigService?
    /// The store, if this process removes what is overdue or too old from it; a server does that for its own.
    var maintained: ConfigService?
    /// The time by which what is in the store ends.
    private(set) var time = TimeSource.system
    /// What an operator does with the store; `nil` for a store without that.
    private(set) var administration: (any StoreAdministration)?
    /// The notifications of its configs.
    let notifications: any NotificationStore
    /// What sends them, where the store is in this process.
    var notifier: Notifier?
    private let shutdown: @Sendable () async throws -> Void

    /// Opens the store that the settings name.
    init(_ settings: Settings, metrics: any MetricsFactory, use: StoreUse, logger: Logger) throws {
        let opening = StoreOpening(
            settings: settings, metrics: metrics, hasViews: use.viewMemory > 0, logger: logger)
        switch try settings.store.location.open(opening) {
        case .remote(let server):
            // The server sends notifications and maintains its store, also for an agent.
            local = server.engine.map {
                Self.service($0, administration: $0, use: use, metrics: metrics, logger: logger)
            }
            (store, notifications, shutdown) = (local ?? server.store, server.store, server.close)
        case .engine(let opened):
            let service = Self.service(
                opened.engine, administration: opened.administration, time: opened.time, use: use, metrics: metrics,
                logger: logger)
            let sender = TargetSender(allowsPrivateWebhooks: settings.allowsPrivateWebhooks) { region in
                try opened.clients.client(region: region)
            }
            let notifier = Notifier(service: service, sender: sender, logger: logger)
            (store, local, maintained, notifications) = (service, service, service, notifier)
            (self.notifier, administration, time) = (notifier, opened.administration, opened.time)
            shutdown = {
                try await sender.shutdown()
                try await opened.close()
            }
        }
    }

    /// Closes the store; nothing can be done with it afterwards.
    func close() async throws { try await shutdown() }

    private static func service(
        _ engine: any StorageEngine, administration: (any StoreAdministration)?, time: TimeSource = .system,
        use: StoreUse, metrics: any MetricsFactory, logger: Logger
    ) -> ConfigService {
        // Never slower than the engine itself would be in the end.
        let pace = use.pollInterval.map { $0...max($0, engine.traits.pollInterval.upperBound) }
        return ConfigService(
            engine: engine,
            options: .init(
                pollInterval: pace, administration: administration, time: time, metricsFactory: metrics,
                viewMemory: use.viewMemory),
            logger: logger)
    }
}
