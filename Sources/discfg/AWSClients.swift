import AWSClient
import DiscfgCore
import DiscfgDynamoDB
import Logging
import Metrics

/// Makes clients for AWS, with the credentials and the endpoint of the store if that is a table.
struct AWSClients: Sendable {
    private let settings: Settings
    private let address: DynamoDBAddress?
    private let clock: ClockCheck?
    private let metrics: any MetricsFactory
    private let logger: Logger

    init(_ opening: StoreOpening, address: DynamoDBAddress? = nil, clock: ClockCheck? = nil) {
        settings = opening.settings
        metrics = opening.metrics
        logger = opening.logger
        self.address = address
        self.clock = clock
    }

    /// The hint of an error, which for a missing region also names the URL of a table.
    private func hint(of error: AWSError) -> String? {
        guard let address, let hint = error.hint, hint.contains("AWS_REGION") else { return error.hint }
        return "\(hint) Or name it in the URL of the store: dynamodb:\(address.table)?region=eu-west-1."
    }

    /// A client for a region, or for the region of the store.
    func client(region: String? = nil) throws -> AWSClient {
        do {
            let configuration = try AWSConfiguration(
                environment: AWSEnvironment(settings.environment), profile: address?.profile,
                region: region ?? address?.region, endpoint: address?.endpoint)
            let clock = clock ?? ClockCheck(metrics: metrics, logger: logger)
            let options = AWSClient.Options(onCall: { [metrics] call in
                if let bounds = call.clockOffset { clock.note(bounds) }
                Counter(
                    label: "discfg_aws_requests_total", dimensions: [("operation", call.operation)], factory: metrics
                ).increment(by: call.attempts)
            })
            return try AWSClient(configuration: configuration, options: options, logger: logger)
        } catch {
            throw DiscfgError(.invalidRequest, error.message, hint: hint(of: error), cause: error)
        }
    }
}
