/// The target of a notification.
public enum NotificationTarget: Sendable, Hashable {
    /// An SNS topic, by its ARN.
    case sns(String)
    /// An SQS queue, by its URL.
    case sqs(String)
    /// An EventBridge bus, by its name or ARN.
    case eventBridge(String)
    /// An address that accepts the notification as a POST, signed as Standard Webhooks defines it.
    case webhook(String)

    /// Parses `sns:ARN`, `sqs:URL`, `eventbridge:BUS` or `https://…`.
    ///
    /// - Throws: `DiscfgError` with code `invalidRequest` that names what is wrong.
    public init(_ text: String) throws(DiscfgError) {
        guard text.utf8.count <= 2048, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .invalid(
                "The target of the notification has spaces, characters beyond ASCII, or more than 2048 bytes.",
                hint: Self.forms)
        }
        if text.hasPrefix("https://") || text.hasPrefix("http://") {
            self = .webhook(try Self.url(text, of: text))
            return
        }
        let (scheme, rest) = (text.prefix { $0 != ":" }, String(text.drop { $0 != ":" }.dropFirst()))
        switch scheme {
        case "sns":
            guard Self.isARN(rest, of: "sns") else {
                throw .invalid(
                    "“\(rest)” is not the ARN of an SNS topic.",
                    hint: "Write it as sns:arn:aws:sns:eu-west-1:123456789012:TOPIC.")
            }
            self = .sns(rest)
        case "sqs": self = .sqs(try Self.url(rest, of: text))
        case "eventbridge":
            let isName = (1...256).contains(rest.utf8.count) && rest.utf8.allSatisfy(\.isBusCharacter)
            guard isName || Self.isARN(rest, of: "events") else {
                throw .invalid("“\(rest)” is not the name or ARN of an event bus.", hint: Self.forms)
            }
            self = .eventBridge(rest)
        default: throw .invalid("“\(text)” is not a target for notifications.", hint: Self.forms)
        }
    }

    private static let forms = "Write it as sns:ARN, sqs:URL, eventbridge:BUS or https://HOST/PATH."

    private static func url(_ text: String, of target: String) throws(DiscfgError) -> String {
        let rest = text.drop { $0 != ":" }
        let authority = rest.dropFirst(3).prefix { $0 != "/" && $0 != "?" }
        guard text.hasPrefix("https://") || text.hasPrefix("http://"), !authority.isEmpty,
            !authority.contains("@"), !text.contains("#")
        else {
            // What stands before an at sign may be a password.
            let shown = target.contains("@") ? "The target" : "“\(target)”"
            throw .invalid("\(shown) has no address of a kind that can be sent to.", hint: forms)
        }
        return text
    }

    private static func isARN(_ text: String, of service: String) -> Bool {
        let parts = text.split(separator: ":", maxSplits: 5, omittingEmptySubsequences: false)
        return parts.count == 6 && parts[0] == "arn" && parts[1].hasPrefix("aws") && parts[2] == service
            && !parts[3].isEmpty && parts[4].count == 12 && !parts[5].isEmpty
    }
}

extension NotificationTarget: CustomStringConvertible {
    /// The target as a command or a body names it, such as `sns:arn:aws:sns:…` or the URL of a webhook.
    public var description: String {
        switch self {
        case .sns(let arn): "sns:\(arn)"
        case .sqs(let url): "sqs:\(url)"
        case .eventBridge(let bus): "eventbridge:\(bus)"
        case .webhook(let url): url
        }
    }

    /// The target without secrets: the query of a webhook's URL often contains a token.
    public var shown: String {
        guard case .webhook(let url) = self, let query = url.firstIndex(of: "?") else { return description }
        return url[..<query] + Self.hiddenQuery
    }

    /// What is shown in place of the query of a webhook's URL.
    private static let hiddenQuery = "?..."

    /// Whether it is a webhook as `shown` writes it, without the query that it is called with.
    var isQueryHidden: Bool {
        guard case .webhook(let url) = self else { return false }
        return url.hasSuffix(Self.hiddenQuery)
    }

    /// The kind of target: `sns`, `sqs`, `eventbridge` or `webhook`.
    public var kind: String {
        switch self {
        case .sns: "sns"
        case .sqs: "sqs"
        case .eventBridge: "eventbridge"
        case .webhook: "webhook"
        }
    }
}

extension UInt8 {
    fileprivate var isBusCharacter: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "._-/".utf8.contains(self)
        }
    }
}
