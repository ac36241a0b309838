import AWSClient
import DiscfgClient
import DiscfgCore
import DiscfgDynamoDB
import DiscfgNotifications
import DiscfgSQLite
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
///
/// This is the one place that chooses an engine.
struct OpenStore: Sendable {
    let store: any ConfigStore
    /// The store, where it is in this process.
    var local: ConfigService?
    /// The time by which what is in the store ends.
    private(set) var time = TimeSource.system
    /// The table, where there is one.
    var table: TableManager?
    /// The notifications of its configs.
    let notifications: any NotificationStore
    /// What sends them, where the store is in this process.
    var notifier: Notifier?
    private var shutdown: @Sendable () async throws -> Void = {}

    /// Opens the store that the settings name.
    init(_ settings: Settings, metrics: any MetricsFactory, use: StoreUse, logger: Logger) throws {
        let service: ConfigService
        var tableClock: ClockCheck?
        var closeStore: @Sendable () async throws -> Void = {}
        switch settings.store {
        case .server(let url):
            try Descriptor.checkFree(Descriptor.neededForNetwork, or: "The store cannot be reached")
            let authorization = try ServerAuthorization(of: url, environment: settings.environment, logger: logger)
            let remote = try RemoteConfigStore(
                url: url, author: settings.author, authorize: authorization?.fields, logger: logger)
            (store, notifications) = (remote, remote)
            shutdown = {
                try await remote.shutdown()
                try await authorization?.shutdown()
            }
            return
        case .sqlite(let path):
            try Descriptor.checkFree(Descriptor.neededForFile, or: "The store cannot be opened")
            service = Self.service(try SQLiteEngine(path: path, logger: logger), metrics, use, logger)
        case .dynamodb(let address):
            try Descriptor.checkFree(Descriptor.neededForNetwork, or: "The store cannot be reached")
            let clock = ClockCheck(metrics: metrics, logger: logger)
            (tableClock, time) = (clock, clock.time)
            let client = try Self.client(settings, address, clock: clock, metrics: metrics, logger: logger)
            let units = Counter(label: "discfg_dynamodb_units_total", dimensions: [], factory: metrics)
            let engine = DynamoDBEngine(
                table: address.table, client: client,
                options: .init(
                    meter: { units.increment(by: Int64((($0.capacityUnits ?? 0) * 2).rounded())) },
                    progress: { if Descriptor.error.isTerminal { Output.note($0) } },
                    time: time))
            table = engine.manager
            closeStore = { try await client.shutdown() }
            service = Self.service(engine, metrics, use, time: time, logger)
        case .memory:
            service = Self.service(MemoryEngine(), metrics, use, logger)
        }
        (store, local) = (service, service)
        let sender = TargetSender(allowsPrivateWebhooks: settings.allowsPrivateWebhooks) { [tableClock] region in
            try Self.client(
                settings, settings.store.address, region: region, clock: tableClock, metrics: metrics, logger: logger)
        }
        let notifier = Notifier(service: service, sender: sender, logger: logger)
        (self.notifier, notifications) = (notifier, notifier)
        shutdown = { [closeStore] in
            try await sender.shutdown()
            try await closeStore()
        }
    }

    /// Closes the store; nothing can be done with it afterwards.
    func close() async throws { try await shutdown() }

    private static func service(
        _ engine: any StorageEngine, _ metrics: any MetricsFactory, _ use: StoreUse,
        time: TimeSource = .system, _ logger: Logger
    ) -> ConfigService {
        // Never slower than the engine itself would be in the end.
        let pace = use.pollInterval.map { $0...max($0, engine.traits.pollInterval.upperBound) }
        return ConfigService(
            engine: engine,
            options: .init(pollInterval: pace, time: time, metricsFactory: metrics, viewMemory: use.viewMemory),
            logger: logger)
    }

    /// A client for AWS; for another region than the store's where one is named.
    private static func client(
        _ settings: Settings, _ address: DynamoDBAddress?, region: String? = nil, clock: ClockCheck? = nil,
        metrics: any MetricsFactory, logger: Logger
    ) throws -> AWSClient {
        do {
            let configuration = try AWSConfiguration(
                environment: AWSEnvironment(settings.environment), profile: address?.profile,
                region: region ?? address?.region, endpoint: address?.endpoint)
            let clock = clock ?? ClockCheck(metrics: metrics, logger: logger)
            let options = AWSClient.Options(onCall: { call in
                if let bounds = call.clockOffset { clock.note(bounds) }
                Counter(
                    label: "discfg_aws_requests_total", dimensions: [("operation", call.operation)], factory: metrics
                ).increment(by: call.attempts)
            })
            return try AWSClient(configuration: configuration, options: options, logger: logger)
        } catch {
            throw DiscfgError(.invalidRequest, error.message, hint: error.hint, cause: error)
        }
    }
}

extension StoreURL {
    /// The table, where there is one.
    fileprivate var address: DynamoDBAddress? {
        if case .dynamodb(let address) = self { address } else { nil }
    }
}
