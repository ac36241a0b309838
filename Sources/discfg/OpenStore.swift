import AWSClient
import DiscfgClient
import DiscfgCore
import DiscfgDynamoDB
import DiscfgSQLite
import Logging
import Metrics

/// A store that is open: what can be done with it, and how it is closed.
///
/// This is the one place that chooses an engine.
struct OpenStore: Sendable {
    let store: any ConfigStore
    /// The store, where it is in this process.
    var local: ConfigService?
    /// The table, where there is one.
    var table: TableManager?
    private var shutdown: @Sendable () async throws -> Void = {}

    /// Opens the store that the settings name.
    init(_ settings: Settings, metrics: any MetricsFactory, pollInterval: Duration?, logger: Logger) throws {
        let service: ConfigService
        switch settings.store {
        case .server(let url):
            let remote = try RemoteConfigStore(url: url, author: settings.author, logger: logger)
            store = remote
            shutdown = { try await remote.shutdown() }
            return
        case .sqlite(let path):
            service = Self.service(try SQLiteEngine(path: path), metrics, pollInterval, logger)
        case .dynamodb(let address):
            let client = try Self.client(address, environment: settings.environment, metrics: metrics, logger: logger)
            let units = Counter(label: "discfg_dynamodb_units_total", dimensions: [], factory: metrics)
            let engine = DynamoDBEngine(
                table: address.table, client: client,
                options: .init(
                    meter: { units.increment(by: Int64((($0.capacityUnits ?? 0) * 2).rounded())) },
                    progress: { if Descriptor.error.isTerminal { Output.note($0) } }))
            table = engine.manager
            shutdown = { try await client.shutdown() }
            service = Self.service(engine, metrics, pollInterval, logger)
        case .memory:
            service = Self.service(MemoryEngine(), metrics, pollInterval, logger)
        }
        (store, local) = (service, service)
    }

    /// Closes the store; nothing can be done with it afterwards.
    func close() async throws { try await shutdown() }

    private static func service(
        _ engine: any StorageEngine, _ metrics: any MetricsFactory, _ pollInterval: Duration?, _ logger: Logger
    ) -> ConfigService {
        // Never slower than the engine itself would be in the end.
        let pace = pollInterval.map { $0...max($0, engine.traits.pollInterval.upperBound) }
        return ConfigService(
            engine: engine, options: .init(pollInterval: pace, metricsFactory: metrics), logger: logger)
    }

    private static func client(
        _ address: DynamoDBAddress, environment: [String: String], metrics: any MetricsFactory, logger: Logger
    ) throws -> AWSClient {
        do {
            let configuration = try AWSConfiguration(
                environment: AWSEnvironment(environment), profile: address.profile, region: address.region,
                endpoint: address.endpoint)
            let options = AWSClient.Options(onCall: { call in
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
