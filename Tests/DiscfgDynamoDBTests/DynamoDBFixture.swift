import AWSClient
import AWSTestSupport
import DiscfgCore
import DiscfgDynamoDB
import Logging
import Synchronization
import Testing

/// A table of its own for a test, and clients of it.
struct DynamoDBFixture: Sendable {
    /// Shown where the stand-in for AWS is not installed.
    static let isAvailable = ConditionTrait.enabled(
        if: Ministack.skipReason == nil, Comment(rawValue: Ministack.skipReason ?? ""))

    let table = "discfg-\(UInt64.random(in: .min ... .max))"
    let endpoint: String
    let meter = Meter()
    private let client: AWSClient

    /// A new table on the stand-in that all tests share, reached at `endpoint` where something stands before it.
    ///
    /// - Parameter retry: For the calls at `endpoint`.
    init(endpoint: String? = nil, retry: RetryPolicy = Clients.retry) async throws {
        let ministack = try await Ministack.shared()
        self.endpoint = endpoint ?? ministack.url
        client = try Clients.client(for: self.endpoint, retry: retry)
        let direct = DynamoDBEngine(table: table, client: try Clients.client(for: ministack.url))
        try await direct.manager.make()
    }

    /// An engine as a process of its own has it.
    func engine(_ options: DynamoDBEngine.Options = .init()) -> DynamoDBEngine {
        var options = options
        options.meter = { [meter] in meter.count($0) }
        return DynamoDBEngine(table: table, client: client, options: options)
    }

    /// A service as a process of its own has it.
    func service(
        _ options: DynamoDBEngine.Options = .init(), compactionDelay: Duration = .seconds(60),
        time: TimeSource = .system, viewMemory: Int = 0
    ) -> ConfigService {
        let engine = engine(options)
        var settings = ConfigService.Options(
            pollInterval: .milliseconds(5) ... .milliseconds(20), administration: engine, time: time,
            viewMemory: viewMemory)
        settings.compactionDelay = compactionDelay
        return ConfigService(
            engine: engine, options: settings,
            logger: Logger(label: "discfg.test") { _ in SwiftLogNoOpLogHandler() })
    }
}

/// The clients that tests share, by endpoint: connections last as long as the process.
enum Clients {
    private struct Key: Hashable {
        let endpoint: String
        let maximumAttempts: Int
    }

    private static let clients = Mutex<[Key: AWSClient]>([:])

    /// As discfg has it, but for the pauses after throttling.
    static var retry: RetryPolicy { RetryPolicy(throttledBase: .milliseconds(20)) }

    /// For calls that have to succeed behind random faults.
    ///
    /// A plan of faults lets the second repetition of a request through. Processes that send the same read at the same time have one
    /// such count together: a call of one of them can fail again and again, while the answers go to another.
    static var patient: RetryPolicy {
        RetryPolicy(
            maximumAttempts: 32, throttledBase: .milliseconds(20), maximumPause: .milliseconds(200),
            quotaCapacity: 50_000)
    }

    static func client(for endpoint: String, retry: RetryPolicy = retry) throws -> AWSClient {
        let key = Key(endpoint: endpoint, maximumAttempts: retry.maximumAttempts)
        return try clients.withLock { clients in
            if let client = clients[key] { return client }
            var options = AWSClient.Options()
            // A loaded machine is slow, and a stand-in slower.
            options.timeouts.request = .seconds(20)
            options.timeouts.transaction = .seconds(20)
            options.retry = retry
            let client = try AWSClient(
                region: Ministack.region, endpoint: endpoint,
                credentials: StaticCredentials(
                    accessKeyID: Ministack.rootKey.id, secretAccessKey: Ministack.rootKey.secret),
                options: options, logger: Logger(label: "discfg.test") { _ in SwiftLogNoOpLogHandler() })
            clients[key] = client
            return client
        }
    }
}

/// Adds up what requests cost.
final class Meter: Sendable {
    struct Sum: Equatable {
        var requests = 0
        var units = 0.0
    }

    private let sum = Mutex(Sum())

    func count(_ capacity: ConsumedCapacity) {
        sum.withLock { sum in
            sum.requests += 1
            sum.units += capacity.capacityUnits ?? 0
        }
    }

    /// What was counted since the last call.
    func take() -> Sum {
        sum.withLock { sum in
            defer { sum = Sum() }
            return sum
        }
    }
}
