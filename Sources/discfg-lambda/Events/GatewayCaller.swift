import DiscfgCore

/// The caller of a request, from the gateway's authoriser.
///
/// Data of the client itself, such as header fields, is never used. Behind a load balancer there is no caller, because
/// `x-amzn-oidc-identity` comes from the client if the load balancer does not authenticate.
///
/// | Authoriser | name of the caller |
/// |---|---|
/// | IAM | the part of the ARN after the account: `user/alice`, `assumed-role/deploy/alice` |
/// | JWT, Cognito | `email` unless `email_verified` is false, `cognito:username`, `username`, `preferred_username`, `sub` |
/// | Lambda | `principalId`, `user`, `sub`, `email` |
///
/// The first that exists is used. Names from the issuer come before `preferred_username`, which users can often change
/// themselves.
enum GatewayCaller {
    /// Maximum length of an author, in bytes.
    private static let maximumCount = 256

    /// The caller that the gateway has authenticated; `nil` if there is none.
    static func caller(in event: JSONValue, _ shape: GatewayShape) -> Caller? {
        let context = event["requestContext"]
        let authorizer = context?["authorizer"]
        let name: String?
        switch shape {
        case .httpV2:
            name =
                identity(authorizer?["iam"]?["userArn"]) ?? claimed(authorizer?["jwt"]?["claims"])
                ?? decided(authorizer?["lambda"])
        case .restV1:
            name =
                identity(context?["identity"]?["userArn"]) ?? claimed(authorizer?["claims"]) ?? decided(authorizer)
        case .loadBalancer: name = nil
        }
        return name.map { Caller(shortened($0), provenBy: .gateway) }
    }

    /// The name of the caller in an ARN.
    private static func identity(_ arn: JSONValue?) -> String? {
        guard let arn = text(arn) else { return nil }
        let parts = arn.split(separator: ":", maxSplits: 5, omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0] == "arn", !parts[5].isEmpty else { return arn }
        return String(parts[5])
    }

    private static func claimed(_ claims: JSONValue?) -> String? {
        guard let claims else { return nil }
        let isUnverified =
            claims["email_verified"]?.bool == false || text(claims["email_verified"])?.lowercased() == "false"
        return (isUnverified ? nil : text(claims["email"]))
            ?? first(of: ["cognito:username", "username", "preferred_username", "sub"], in: claims)
    }

    private static func decided(_ answer: JSONValue?) -> String? {
        first(of: ["principalId", "user", "sub", "email"], in: answer)
    }

    private static func first(of names: [String], in object: JSONValue?) -> String? {
        for name in names {
            if let text = text(object?[name]) { return text }
        }
        return nil
    }

    /// A string or a number, as text; `nil` if it is empty.
    private static func text(_ value: JSONValue?) -> String? {
        switch value {
        case .string(let text)? where !text.isEmpty: text
        case .number(let text)?: text
        default: nil
        }
    }

    /// The name, shortened to the maximum length of an author.
    private static func shortened(_ name: String) -> String {
        guard name.utf8.count > maximumCount else { return name }
        var result = ""
        var count = 0
        for scalar in name.unicodeScalars {
            count += UTF8.width(scalar)
            if count > maximumCount { break }
            result.unicodeScalars.append(scalar)
        }
        return result
    }
}
