/// What a request is signed with.
public struct AWSCredentials: Sendable, Hashable {
    /// Such as `AKIAIOSFODNN7EXAMPLE`: not a secret, and shown in errors.
    public var accessKeyID: String
    /// Never logged, never described.
    public var secretAccessKey: String
    /// For temporary credentials; never logged, never described.
    public var sessionToken: String?
    /// Seconds since 1970 after which AWS refuses them; `nil` for credentials that last.
    public var expiration: Double?

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

/// Where credentials come from.
///
/// Implementations may be asked for every request: they keep what they found until it is about to expire.
public protocol CredentialsProvider: Sendable {
    /// Credentials that hold for at least the next minutes.
    ///
    /// - Throws: `AWSError` with code `noCredentials` where the source has none, so that a chain tries the next one;
    ///   any other error means that the source is there and broken, which ends the search.
    func credentials() async throws -> AWSCredentials

    /// Hears that AWS refused credentials as expired, so that others are handed out from now on where there are any.
    ///
    /// Calls that were under way tell the same long after each other: what was renewed since has to stay.
    ///
    /// - Parameter rejected: The credentials that were refused.
    func invalidate(_ rejected: AWSCredentials) async
}

extension CredentialsProvider {
    /// Nothing: for sources that keep nothing.
    public func invalidate(_ rejected: AWSCredentials) async {}
}
