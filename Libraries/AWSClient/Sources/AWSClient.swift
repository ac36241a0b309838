public import Logging
import Synchronization

/// Calls AWS: signs requests, sends them, and repeats them if that is safe and may help.
///
/// One client is for one region and one identity, keeps its connections, and may be used from everywhere at once. The
/// typed calls are in the services' own types, such as `DynamoDB(client)`.
///
///     let configuration = try AWSConfiguration(environment: .process(), profile: profile, region: region)
///     let client = try AWSClient(configuration: configuration, logger: logger)
///     // …
///     try await client.shutdown()
public final class AWSClient: Sendable {
    /// When every call made within the task has to have ended; no try and no pause is begun that would pass it.
    ///
    /// Set it with `AWSClient.$deadline.withValue(instant) { … }`.
    @TaskLocal public static var deadline: ContinuousClock.Instant?

    /// Such as `eu-west-1`.
    public let region: String
    let endpoints: ServiceEndpoints
    let options: Options
    let quota: RetryQuota
    let transport: any HTTPTransport
    let credentials: any CredentialsProvider
    let logger: Logger
    /// Seconds by which AWS's clock is ahead of ours.
    let clockOffset = Mutex(0.0)
    private let ownTransport: AsyncHTTPClientTransport?

    /// A client with a configuration; nothing is sent yet.
    ///
    /// - Parameters:
    ///   - configuration: Names the region, and the endpoint of each service. The endpoints of DynamoDB and its
    ///     streams are checked now, those of other services when they are first called.
    ///   - credentials: Asked for every try, so what is slow belongs into `CachedCredentials`; `nil` for the standard
    ///     chain of sources.
    ///   - transport: Sends the requests, and is shut down by the caller; `nil` for connections of the
    ///     client's own, which `shutdown()` has to close.
    ///   - options: Retries, timeouts and clocks.
    ///   - logger: Logs each call at debug level, without any content.
    /// - Throws: `AWSError` with code `invalidConfiguration` if no region is set, or the region or an endpoint
    ///   cannot be one.
    public convenience init(
        configuration: AWSConfiguration, credentials: (any CredentialsProvider)? = nil,
        transport: (any HTTPTransport)? = nil, options: Options = Options(),
        logger: Logger = Logger(label: "aws") { _ in SwiftLogNoOpLogHandler() }
    ) throws(AWSError) {
        let region = try configuration.region()
        let endpoints = ServiceEndpoints(configuration.endpoint(for:))
        for service in [AWSService.dynamoDB, .dynamoDBStreams] { _ = try endpoints.url(of: service) }
        self.init(region, endpoints, transport, options, logger) { transport in
            credentials
                ?? CredentialsChain.standard(
                    configuration: configuration, transport: transport, logger: logger, now: options.time.now)
        }
    }

    /// A client with a region and credentials of its own; nothing is sent yet.
    ///
    /// - Parameters:
    ///   - region: Such as `eu-west-1`.
    ///   - endpoint: The address of a stand-in for all of AWS, such as `http://127.0.0.1:4566`; `nil` for AWS itself.
    ///   - credentials: Asked for every try, so what is slow belongs into `CachedCredentials`.
    ///   - transport: Sends the requests, and is shut down by the caller; `nil` for connections of the
    ///     client's own, which `shutdown()` has to close.
    ///   - options: Retries, timeouts and clocks.
    ///   - logger: Logs each call at debug level, without any content.
    /// - Throws: `AWSError` with code `invalidConfiguration` if the region or the endpoint cannot be one.
    public convenience init(
        region: String, endpoint: String? = nil, credentials: any CredentialsProvider,
        transport: (any HTTPTransport)? = nil, options: Options = Options(),
        logger: Logger = Logger(label: "aws") { _ in SwiftLogNoOpLogHandler() }
    ) throws(AWSError) {
        let region = try AWSRegion(region)
        let endpoints: ServiceEndpoints
        if let endpoint {
            let only = try AWSEndpoint(endpoint, setting: "The endpoint")
            endpoints = ServiceEndpoints { _ in only }
        } else {
            endpoints = ServiceEndpoints { AWSEndpoint($0, in: region) }
        }
        self.init(region, endpoints, transport, options, logger) { _ in credentials }
    }

    private init(
        _ region: AWSRegion, _ endpoints: ServiceEndpoints, _ transport: (any HTTPTransport)?, _ options: Options,
        _ logger: Logger, credentials: (any HTTPTransport) -> any CredentialsProvider
    ) {
        if let transport {
            self.transport = transport
            ownTransport = nil
        } else {
            let own = AsyncHTTPClientTransport(connectTimeout: options.timeouts.connect)
            self.transport = own
            ownTransport = own
        }
        self.region = region.name
        self.endpoints = endpoints
        self.credentials = credentials(self.transport)
        self.options = options
        self.logger = logger
        quota = RetryQuota(capacity: options.retry.quotaCapacity)
    }

    /// Closes the client's own connections; nothing can be called afterwards.
    public func shutdown() async throws { try await ownTransport?.shutdown() }
}
