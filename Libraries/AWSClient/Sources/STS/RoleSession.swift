/// Which role to take on, and how.
public struct RoleSession: Sendable, Hashable {
    /// Such as `arn:aws:iam::123456789012:role/reader`.
    public var roleARN: String
    /// The name of the session in AWS's records: 2 to 64 of the letters `A-Za-z0-9_+=,.@-`.
    public var name: String
    /// What the owner of the role wants to be told, if it is another account.
    public var externalID: String?
    /// How long the credentials are to hold, in seconds; `nil` for AWS's choice, an hour.
    public var duration: Int?

    /// A session; AWS itself says whether the values are good.
    public init(roleARN: String, name: String, externalID: String? = nil, duration: Int? = nil) {
        self.roleARN = roleARN
        self.name = name
        self.externalID = externalID
        self.duration = duration
    }

    /// A name for a session that was given none.
    static func name(at now: Double) -> String { "discfg-\(UInt64(max(0, min(now, 1e12))))" }

    /// The parameters of both calls.
    var parameters: [(String, String)] {
        var parameters = [("RoleArn", roleARN), ("RoleSessionName", name)]
        if let externalID { parameters.append(("ExternalId", externalID)) }
        if let duration { parameters.append(("DurationSeconds", String(duration))) }
        return parameters
    }
}
