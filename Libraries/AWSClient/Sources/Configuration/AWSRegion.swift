/// A region of AWS, or of what stands in for it: the name is fit to be part of a host's name.
public struct AWSRegion: Sendable, Hashable, CustomStringConvertible {
    /// Such as `eu-west-1`.
    public let name: String

    /// Takes a name of small letters, digits and hyphens.
    ///
    /// - Parameter name: Such as `eu-west-1`; AWS itself is not asked whether it has that region.
    /// - Throws: `AWSError` with code `invalidConfiguration` if the name cannot be part of a host's name.
    public init(_ name: String) throws(AWSError) {
        let isDigits = name.utf8.allSatisfy(\.isDigit)
        guard HostName.isLabel(name), name == name.lowercased(), !isDigits else {
            throw AWSError(
                .invalidConfiguration, "\(Quoted(name)) is not the name of a region.",
                hint: "Write it as AWS does, such as “eu-west-1”.")
        }
        self.name = name
    }

    /// The name.
    public var description: String { name }

    /// What the names of AWS's hosts in this region end with.
    ///
    /// Source: botocore's `partitions.json`.
    var domain: String { Self.domains.first { name.hasPrefix($0.0) }?.1 ?? "amazonaws.com" }

    private static let domains = [
        ("cn-", "amazonaws.com.cn"), ("eusc-", "amazonaws.eu"), ("us-iso-", "c2s.ic.gov"),
        ("us-isob-", "sc2s.sgov.gov"), ("eu-isoe-", "cloud.adc-e.uk"), ("us-isof-", "csp.hci.ic.gov"),
    ]
}
