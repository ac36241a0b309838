/// Which profile, region and endpoints hold, from what was passed, the environment, and the shared files.
///
/// Source: AWS SDKs and Tools Reference Guide, “Region” and “Service-specific endpoints”. Instance metadata is not
/// asked.
public struct AWSConfiguration: Sendable {
    /// The variables it was made with.
    public let environment: AWSEnvironment
    /// The shared files, as they were when it was made.
    public let files: SharedFiles
    /// The profile that holds, such as `default`; the files need not have one of that name where nobody named it.
    public let profileName: String
    /// What the files say about that profile.
    public let profile: Profile?
    /// What was passed, whatever else is set.
    let explicitProfile: String?
    let explicitRegion: String?
    private let explicitEndpoint: String?

    /// Reads the shared files, and chooses the profile.
    ///
    /// - Parameters:
    ///   - environment: Where `AWS_PROFILE`, `AWS_REGION` and the like are.
    ///   - profile: The profile to take, whatever the environment says.
    ///   - region: The region to take, whatever the environment and the profile say.
    ///   - endpoint: Where to ask every service, whatever the environment and the profile say.
    /// - Throws: `AWSError` with code `invalidConfiguration` if a file cannot be understood, or the profile that was
    ///   named is in none.
    public init(
        environment: AWSEnvironment, profile: String? = nil, region: String? = nil, endpoint: String? = nil
    ) throws(AWSError) {
        self.environment = environment
        explicitProfile = profile
        explicitRegion = region
        explicitEndpoint = endpoint
        files = try SharedFiles(environment: environment)
        let named = profile ?? environment["AWS_PROFILE"] ?? environment["AWS_DEFAULT_PROFILE"]
        profileName = named ?? "default"
        self.profile = files.profile(profileName)
        guard named == nil || self.profile != nil else { throw Self.noProfile(profileName, files) }
    }

    /// The region that holds: the one that was passed, `AWS_REGION`, `AWS_DEFAULT_REGION`, or the profile's.
    ///
    /// - Throws: `AWSError` with code `invalidConfiguration` if none is set, or its name is none.
    public func region() throws(AWSError) -> AWSRegion {
        let named = explicitRegion ?? environment["AWS_REGION"] ?? environment["AWS_DEFAULT_REGION"]
        if let name = named ?? profile?["region"] { return try AWSRegion(name) }
        throw AWSError(
            .invalidConfiguration, "No region is set.",
            hint: "Set AWS_REGION, such as “eu-west-1”, or the region of the profile \(Quoted(profileName)).")
    }

    /// Where a service is asked.
    ///
    /// That is the endpoint that was passed, `AWS_ENDPOINT_URL_` and the service, `AWS_ENDPOINT_URL`, what the
    /// profile's `services` section says of the service, the profile's `endpoint_url`, or AWS's own host in the region.
    ///
    /// - Parameter service: The service.
    /// - Returns: The endpoint.
    /// - Throws: `AWSError` with code `invalidConfiguration` if it cannot be an address, or no region is set.
    public func endpoint(for service: AWSService) throws(AWSError) -> AWSEndpoint {
        if let explicitEndpoint { return try AWSEndpoint(explicitEndpoint, setting: "The endpoint") }
        if !ignoresConfiguredEndpoints, let endpoint = try configuredEndpoint(service) { return endpoint }
        for (variable, setting) in Self.unsupported where isTrue(variable, setting) {
            throw AWSError(
                .invalidConfiguration, "\(variable) is not supported here.",
                hint: "Set AWS_ENDPOINT_URL_\(service.identifier.uppercased()) to the address of the host you mean.")
        }
        return AWSEndpoint(service, in: try region())
    }

    private static let unsupported = [
        ("AWS_USE_FIPS_ENDPOINT", "use_fips_endpoint"), ("AWS_USE_DUALSTACK_ENDPOINT", "use_dualstack_endpoint"),
    ]

    private var ignoresConfiguredEndpoints: Bool {
        isTrue("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "ignore_configured_endpoint_urls")
    }

    private func isTrue(_ variable: String, _ setting: String) -> Bool {
        (environment[variable] ?? profile?[setting])?.lowercased() == "true"
    }

    private func configuredEndpoint(_ service: AWSService) throws(AWSError) -> AWSEndpoint? {
        for variable in ["AWS_ENDPOINT_URL_\(service.identifier.uppercased())", "AWS_ENDPOINT_URL"] {
            if let text = environment[variable] { return try AWSEndpoint(text, setting: variable) }
        }
        guard let profile else { return nil }
        if let name = profile["services"] {
            guard let services = files.config.services[name] else {
                throw AWSError(
                    .invalidConfiguration,
                    "The profile \(Quoted(profileName)) names the services \(Quoted(name)), which are not there.",
                    hint: "Write a section [services \(name)] into \(files.configPath ?? "the file config").")
            }
            if let text = services.nested(service.identifier)["endpoint_url"] {
                return try AWSEndpoint(text, setting: "The endpoint_url of \(service.identifier) in [services \(name)]")
            }
        }
        guard let text = profile["endpoint_url"] else { return nil }
        return try AWSEndpoint(text, setting: "The endpoint_url of the profile \(Quoted(profileName))")
    }

    private static func noProfile(_ name: String, _ files: SharedFiles) -> AWSError {
        let names = files.profileNames.prefix(20).map { "\(Quoted($0))" }.joined(separator: ", ")
        return AWSError(
            .invalidConfiguration, "There is no profile \(Quoted(name)) in \(files.phrase).",
            hint: names.isEmpty ? "Make one with “aws configure --profile NAME”." : "There are \(names).")
    }
}
