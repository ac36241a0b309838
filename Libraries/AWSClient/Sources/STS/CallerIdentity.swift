/// Whom AWS takes the owner of credentials for.
public struct CallerIdentity: Sendable, Hashable {
    /// Twelve digits.
    public let account: String
    /// Such as `arn:aws:iam::123456789012:user/ann`.
    public let arn: String
    /// AWS's own identifier of the user or the role.
    public let userID: String
}
