public import DiscfgCore

/// The DynamoDB table in a store URL: `dynamodb:TABLE?region=R&endpoint=URL&profile=P`.
public struct DynamoDBAddress: Sendable, Hashable {
    /// The name of the table: 3 to 255 letters, digits, `_`, `-` and `.`.
    public let table: String
    /// Values that the URL does not have come from the environment and the profile, as for every AWS tool.
    public var region: String?
    /// The URL of a stand-in or a VPC endpoint; `nil` for AWS's own endpoint of the region.
    public var endpoint: String?
    /// The profile in AWS's shared files that has the credentials and the region; `nil` for the usual one.
    public var profile: String?

    /// Parses the part of a URL after `dynamodb:`.
    ///
    /// - Throws: `DiscfgError` with code `invalidRequest` that names what is wrong.
    public init(_ text: Substring, of url: String) throws(DiscfgError) {
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        table = String(parts.first ?? "")
        guard (3...255).contains(table.utf8.count), table.utf8.allSatisfy({ $0.isTableCharacter }) else {
            throw .invalid(
                "“\(url)” names no DynamoDB table.",
                hint: "Write it as dynamodb:TABLE: 3 to 255 letters, digits, “_”, “-” and “.”.")
        }
        for parameter in parts.dropFirst().first?.split(separator: "&") ?? [] {
            let pair = parameter.split(separator: "=", maxSplits: 1).map(String.init)
            guard pair.count == 2, let value = try? PercentEncoding.decode(pair[1]) else {
                throw .invalid("“\(parameter)” in “\(url)” has no value.", hint: "Write it as region=eu-west-1.")
            }
            switch pair[0] {
            case "region": region = value
            case "endpoint": endpoint = value
            case "profile": profile = value
            default:
                throw .invalid(
                    "There is no parameter “\(pair[0])” for a DynamoDB store.",
                    hint: "There are region, endpoint and profile; credentials come from where AWS tools have them.")
            }
        }
    }

    /// The URL again.
    public var url: String {
        let parameters = [("region", region), ("endpoint", endpoint), ("profile", profile)].compactMap { name, value in
            value.map { "\(name)=\($0)" }
        }
        return "dynamodb:\(table)" + (parameters.isEmpty ? "" : "?" + parameters.joined(separator: "&"))
    }
}

extension UInt8 {
    fileprivate var isTableCharacter: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."): true
        default: false
        }
    }
}
