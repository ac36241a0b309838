/// Credentials that were passed in, and stay.
public struct StaticCredentials: CredentialsProvider {
    private let fixed: AWSCredentials

    /// Takes the credentials as they are.
    public init(_ credentials: AWSCredentials) { fixed = credentials }

    /// Takes a pair of keys that last.
    public init(accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil) {
        fixed = AWSCredentials(
            accessKeyID: accessKeyID, secretAccessKey: secretAccessKey, sessionToken: sessionToken)
    }

    /// The credentials that were passed in.
    public func credentials() async throws -> AWSCredentials { fixed }
}
