/// Credentials that requests are signed with.
public struct AWSCredentials: Sendable, Hashable {
    /// Such as `AKIAIOSFODNN7EXAMPLE`; it is not a secret, and errors contain it.
    public var accessKeyID: String
    /// The secret key; it is in no log and no description.
    public var secretAccessKey: String
    /// The token of temporary credentials, `nil` for others; it is in no log and no description.
    public var sessionToken: String?
    /// Seconds since 1970 after which AWS refuses them; `nil` for credentials that last.
    public var expiration: Double?

    /// Credentials of a user, or temporary ones if there is a session token.
    public init(accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil, expiration: Double? = nil) {
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        self.sessionToken = sessionToken
        self.expiration = expiration
    }
}

extension AWSCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The key's identity alone.
    public var description: String { "AWSCredentials(\(accessKeyID))" }
    /// The key's identity alone.
    public var debugDescription: String { description }
    /// Nothing: `dump` would print the secret otherwise.
    public var customMirror: Mirror { Mirror(self, children: ["accessKeyID": accessKeyID]) }
}

/// A source of credentials.
///
/// Implementations may be asked for every request: they keep what they found until it is about to expire.
public protocol CredentialsProvider: Sendable {
    /// Credentials that hold for at least the next minutes.
    ///
    /// - Throws: `AWSError` with code `noCredentials` if the source has none, so that a chain tries the next one;
    ///   any other error means that the source is there and broken, which ends the search.
    func credentials() async throws -> AWSCredentials

    /// Called if AWS refused credentials as expired, so that `credentials()` returns newer ones if there are any.
    ///
    /// Calls that were under way tell the same long after each other: what was renewed since has to stay.
    ///
    /// - Parameter rejected: The credentials that were refused.
    func invalidate(_ rejected: AWSCredentials) async
}

extension CredentialsProvider {
    /// Does nothing, for sources that keep no credentials.
    public func invalidate(_ rejected: AWSCredentials) async {}
}
