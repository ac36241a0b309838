public import Logging

/// Several sources of credentials, of which the first that has any is taken.
///
/// Every call asks the source again: put `CachedCredentials` around it, as `standard` does.
public struct CredentialsChain: CredentialsProvider {
    private let providers: [any CredentialsProvider]

    /// Asks these sources, in this order.
    public init(_ providers: [any CredentialsProvider]) { self.providers = providers }

    /// The sources of AWS's own tools, in botocore's order: the variables, the profile with all that it may name (and
    /// the variables of a web identity), the container, the instance.
    ///
    /// - Parameters:
    ///   - environment: The variables.
    ///   - profile: A profile that holds, whatever the environment says; keys in variables are not taken then.
    ///   - transport: Reaches AWS STS, the container's endpoint and the instance metadata.
    ///   - region: Where AWS STS is asked, whatever the environment and the profile say.
    ///   - logger: Is told of refreshes that failed, with the error's code alone.
    ///   - now: Seconds since 1970.
    /// - Returns: The chain, which keeps what it found until it is about to expire.
    public static func standard(
        environment: AWSEnvironment, profile: String? = nil, transport: any HTTPTransport, region: String? = nil,
        logger: Logger = Logger(label: "aws") { _ in SwiftLogNoOpLogHandler() },
        now: @escaping @Sendable () -> Double = { UTCTime.now }
    ) -> CachedCredentials {
        let isExplicit = profile != nil
        var providers: [any CredentialsProvider] = [
            ProfileCredentials(environment, profile, transport, region, now, usesEnvironment: !isExplicit),
            ContainerCredentials(environment: environment, transport: transport, now: now),
            InstanceMetadataCredentials(environment: environment, transport: transport, now: now),
        ]
        if !isExplicit { providers.insert(EnvironmentCredentials(environment: environment, now: now), at: 0) }
        return CachedCredentials(CredentialsChain(providers), logger: logger, now: now)
    }

    /// The same for a configuration: with its variables, and with the profile and the region that it was passed.
    ///
    /// An endpoint that it was passed is for the services that are called, not for AWS STS.
    ///
    /// - Parameters:
    ///   - configuration: Names the profile; the shared files are read each time credentials are needed.
    ///   - transport: Reaches AWS STS, the container's endpoint and the instance metadata.
    ///   - logger: Is told of refreshes that failed, with the error's code alone.
    ///   - now: Seconds since 1970.
    /// - Returns: The chain, which keeps what it found until it is about to expire.
    public static func standard(
        configuration: AWSConfiguration, transport: any HTTPTransport,
        logger: Logger = Logger(label: "aws") { _ in SwiftLogNoOpLogHandler() },
        now: @escaping @Sendable () -> Double = { UTCTime.now }
    ) -> CachedCredentials {
        standard(
            environment: configuration.environment, profile: configuration.explicitProfile, transport: transport,
            region: configuration.explicitRegion, logger: logger, now: now)
    }

    /// Asks one source after the other.
    ///
    /// - Returns: What the first source has that has any.
    /// - Throws: `AWSError` with code `noCredentials` and the reason of every source, or the error of the first source
    ///   that is there and broken.
    public func credentials() async throws -> AWSCredentials {
        var reasons: [String] = []
        for provider in providers {
            do {
                return try await provider.credentials()
            } catch let error as AWSError where error.code == .noCredentials {
                reasons.append(error.message)
            }
        }
        throw AWSError(
            .noCredentials, "No credentials were found: \(reasons.joined(separator: "; ")).",
            hint: "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or run “aws configure”.")
    }
}
