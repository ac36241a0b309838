import AWSClient
import AWSTestSupport
import DynamoDBPatterns
import Logging
import Synchronization

/// The stand-in for AWS, as the tests of all patterns reach it.
enum StandIn {
    /// Its connections last as long as the process.
    private static let shared = Mutex<AWSClient?>(nil)

    /// The client of all tests.
    static func client() async throws -> AWSClient {
        let url = try await Ministack.shared().url
        return try shared.withLock { shared in
            if let shared { return shared }
            var options = AWSClient.Options()
            // A loaded machine is slow, and a stand-in slower.
            options.timeouts.connect = .seconds(20)
            options.timeouts.request = .seconds(20)
            options.timeouts.transaction = .seconds(20)
            let client = try AWSClient(
                region: Ministack.region, endpoint: url,
                credentials: StaticCredentials(
                    accessKeyID: Ministack.rootKey.id, secretAccessKey: Ministack.rootKey.secret),
                options: options, logger: Logger(label: "patterns.test") { _ in SwiftLogNoOpLogHandler() })
            shared = client
            return client
        }
    }

    /// Switches off the removal of expired items.
    ///
    /// The stand-in judges expiry by the machine's clock; a test with a clock of its own may be years behind it.
    static func keepExpiredItems(in table: String) async throws {
        _ = try await DynamoDB(client()).updateTimeToLive(
            UpdateTimeToLiveRequest(
                tableName: table, timeToLiveSpecification: TimeToLiveSpecification(attributeName: "ttl", enabled: false)
            ))
    }

    /// A new table of the patterns.
    static func table() async throws -> PatternTable {
        let dynamoDB = DynamoDB(try await client())
        let name = "patterns-\(UInt64.random(in: 0 ... .max))"
        try await PatternTable.create(name, in: dynamoDB)
        return PatternTable(name, in: dynamoDB)
    }
}
