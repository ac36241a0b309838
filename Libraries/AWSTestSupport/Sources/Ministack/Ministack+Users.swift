import NIOHTTP1

/// What identifies a user of AWS, and signs its requests.
public struct AccessKey: Sendable {
    /// Such as `AKIA…`.
    public var id: String
    /// What signatures are made with.
    public var secret: String

    /// A key that was made elsewhere.
    public init(id: String, secret: String) {
        self.id = id
        self.secret = secret
    }
}

extension AccessKey: CustomStringConvertible {
    /// The key's name, without the secret.
    public var description: String { "AccessKey(\(id))" }
}

extension Ministack {
    /// Makes an IAM user, who may do what an inline policy says; only a stand-in that checks access minds it.
    ///
    /// Of a policy, ministack 1.5.33 enforces Effect, Action, NotAction, Resource, NotResource and those conditions whose
    /// keys it knows. It does not know `dynamodb:LeadingKeys`: `ForAllValues` then always holds, everything else never.
    ///
    /// - Parameters:
    ///   - name: A name that no other user has.
    ///   - policy: The policy document, JSON; without one, the user may do nothing.
    /// - Returns: The user's access key.
    /// - Throws: `AWSTestError` with ministack's answer, such as that there is a user of that name.
    public func createUser(_ name: String, policy: String? = nil) async throws -> AccessKey {
        _ = try await iam("CreateUser", ["UserName": name])
        if let policy { try await setPolicy(policy, ofUser: name) }
        let answer = try await iam("CreateAccessKey", ["UserName": name])
        guard let id = text(of: "AccessKeyId", in: answer), let secret = text(of: "SecretAccessKey", in: answer) else {
            throw AWSTestError("ministack made no access key for the user “\(name)”.")
        }
        return AccessKey(id: id, secret: secret)
    }

    /// Replaces the inline policy of a user.
    ///
    /// - Parameters:
    ///   - policy: The policy document, JSON.
    ///   - name: The user's name.
    /// - Throws: `AWSTestError` with ministack's answer, such as that the document is malformed.
    public func setPolicy(_ policy: String, ofUser name: String) async throws {
        _ = try await iam(
            "PutUserPolicy", ["UserName": name, "PolicyName": "test", "PolicyDocument": policy])
    }

    /// Calls the query API of IAM as the account itself.
    ///
    /// - Parameters:
    ///   - action: Such as `CreateRole`.
    ///   - parameters: The action's parameters, without `Action` and `Version`.
    /// - Returns: The answer, XML.
    /// - Throws: `AWSTestError` with ministack's answer where that is an error.
    public func iam(_ action: String, _ parameters: [String: String]) async throws -> String {
        let all = parameters.merging(["Action": action, "Version": "2010-05-08"]) { $1 }
        let body = all.sorted { $0.key < $1.key }.map { "\(escaped($0.key))=\(escaped($0.value))" }
        return try await send(
            .POST, "/",
            [
                "Content-Type": "application/x-www-form-urlencoded",
                // That a request is signed must be seen; the account's own signature is not checked.
                "Authorization":
                    "AWS4-HMAC-SHA256 Credential=\(Self.rootKey.id)/20260101/\(Self.region)/iam/aws4_request, "
                    + "SignedHeaders=host, Signature=0",
            ], body.joined(separator: "&"))
    }
}

/// The text of the first element of that name.
private func text(of element: String, in xml: String) -> String? {
    guard let start = xml.firstRange(of: "<\(element)>"),
        let end = xml[start.upperBound...].firstRange(of: "</\(element)>")
    else { return nil }
    return String(xml[start.upperBound..<end.lowerBound])
}

/// Percent-encoded, as forms have it.
private func escaped(_ text: String) -> String {
    text.utf8.map { byte in
        let isPlain = (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
        let hex = String(byte, radix: 16, uppercase: true)
        return isPlain ? String(UnicodeScalar(byte)) : "%" + (hex.count == 1 ? "0" : "") + hex
    }.joined()
}
