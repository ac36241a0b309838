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
    /// The store, where it is in this process.
    var local: ConfigService?
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
        let opening = StoreOpening(settings: settings, metrics: metrics, logger: logger)
        switch try settings.store.location.open(opening) {
        case .remote(let remote, let close):
            (store, notifications, shutdown) = (remote, remote, close)
        case .engine(let opened):
            let service = Self.service(opened, use, metrics, logger)
            let sender = TargetSender(allowsPrivateWebhooks: settings.allowsPrivateWebhooks) { region in
                try opened.clients.client(region: region)
            }
            let notifier = Notifier(service: service, sender: sender, logger: logger)
            (store, local, notifications) = (service, service, notifier)
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
        _ opened: OpenedEngine, _ use: StoreUse, _ metrics: any MetricsFactory, _ logger: Logger
    ) -> ConfigService {
        // Never slower than the engine itself would be in the end.
        let pace = use.pollInterval.map { $0...max($0, opened.engine.traits.pollInterval.upperBound) }
        return ConfigService(
            engine: opened.engine,
            options: .init(
                pollInterval: pace, administration: opened.administration, time: opened.time, metricsFactory: metrics,
                viewMemory: use.viewMemory),
            logger: logger)
    }
}
