import DiscfgCore

/// Who calls, as the gateway's authoriser says.
///
/// Nothing that a client writes itself counts, such as a header field: behind a load balancer there is no caller, because
/// `x-amzn-oidc-identity` comes from the client where the load balancer does not authenticate.
///
/// | Authoriser | is called |
/// |---|---|
/// | IAM | what the ARN says behind the account: `user/alice`, `assumed-role/deploy/alice` |
/// | JWT, Cognito | `email` unless `email_verified` is false, `cognito:username`, `username`, `preferred_username`, `sub` |
/// | Lambda | `principalId`, `user`, `sub`, `email` |
///
/// The first that is there counts. Names that the issuer gives stand before `preferred_username`, which people may often change
/// themselves.
enum GatewayCaller {
    /// The most bytes of an author.
    private static let maximumCount = 256

    static func name(in event: JSONValue, _ shape: GatewayShape) -> String? {
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
        return name.map(shortened)
    }

    /// The name in an ARN.
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

    /// The text, or a number as text; what is empty says nothing.
    private static func text(_ value: JSONValue?) -> String? {
        switch value {
        case .string(let text)? where !text.isEmpty: text
        case .number(let text)?: text
        default: nil
        }
    }

    /// As much of the name as an author may have.
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
