import AWSClient
import AWSTestSupport
import DiscfgCore
import DiscfgDynamoDB
import Logging
import Synchronization

/// A service on a table, as a process of its own has it.
struct Writer: Sendable {
    let engine: DynamoDBEngine
    let service: ConfigService
    let ledger: Ledger

    init(endpoint: String, table: String, ledger: Ledger = Ledger()) throws {
        let logger = Logger(label: "benchmark") { _ in SwiftLogNoOpLogHandler() }
        var options = AWSClient.Options(onCall: { ledger.count(requests: $0.attempts) })
        // The stand-in takes one request at a time: what is measured is waiting for it.
        options.timeouts.request = .seconds(30)
        options.timeouts.transaction = .seconds(30)
        let client = try AWSClient(
            region: Ministack.region, endpoint: endpoint,
            credentials: StaticCredentials(
                accessKeyID: Ministack.rootKey.id, secretAccessKey: Ministack.rootKey.secret),
            transport: Self.transport, options: options, logger: logger)
        self.ledger = ledger
        engine = DynamoDBEngine(
            table: table, client: client, options: .init(meter: { ledger.count(units: $0.capacityUnits ?? 0) }))
        service = ConfigService(engine: engine, logger: logger)
    }

    /// Connections are shared: what a network costs is not measured here.
    private static let transport = AsyncHTTPClientTransport(connectTimeout: .seconds(5))

    /// Makes the table and its config.
    func prepare() async throws {
        try await engine.manager.make()
        _ = try await service.revision(of: .default)
    }

    /// Commits one after the other; one that was refused is tried again, as a client would.
    func commits(_ count: Int, by name: String) async throws {
        let key = try Key(path: "/\(name)")
        for number in 0..<count {
            while true {
                do {
                    _ = try await service.commit(Transaction(then: [.set(key, Value("value \(number)"))]), to: .default)
                    break
                } catch let error as DiscfgError where error.code == .storeUnavailable {
                    continue
                }
            }
        }
    }
}

/// Adds up requests and units.
final class Ledger: Sendable {
    private let sum = Mutex((requests: 0, units: 0.0))

    func count(requests: Int) { sum.withLock { $0.requests += requests } }
    func count(units: Double) { sum.withLock { $0.units += units } }

    func take() -> (requests: Int, units: Double) {
        sum.withLock { sum in
            defer { sum = (0, 0) }
            return sum
        }
    }
}
