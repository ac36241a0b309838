public import DiscfgCore

/// One notification, ready to be sent.
public struct NotificationMessage: Sendable {
    /// What kind of event it is.
    public enum Kind: String, Sendable {
        /// An event about a commit.
        case commit = "dev.discfg.commit"
        /// A test of a target.
        case test = "dev.discfg.test"
    }

    /// The same each time the same commit is sent by the same rule, so that receivers can recognise duplicates.
    public let id: String
    /// The type of the event, `type` in CloudEvents.
    public let kind: Kind
    /// The config that was changed.
    public let config: ConfigName
    /// The revision of the commit; of a test the config's revision.
    public let revision: Revision
    /// The time of the commit.
    public let time: Timestamp
    /// CloudEvents 1.0 as JSON, at most `maximumLength` bytes.
    public let body: [UInt8]

    /// The limit of SNS, SQS and EventBridge, 256 KiB, without what they count in addition to the message.
    public static let maximumLength = 240 << 10
}

/// A target did not accept a notification.
public struct DeliveryFailure: Error, Sendable {
    /// A sentence about what went wrong, without values and secrets, of at most 1000 characters.
    public var reason: String
    /// The pause that the target asked for.
    public var retryAfter: Duration?

    /// A failure whose reason is cut after 1000 characters.
    public init(_ reason: String, retryAfter: Duration? = nil) {
        self.reason = String(reason.prefix(1000))
        self.retryAfter = retryAfter
    }
}

/// Sends notifications to their targets.
public protocol NotificationSender: Sendable {
    /// Refuses a rule whose notifications could never be sent.
    ///
    /// - Throws: `DiscfgError` with code `invalidRequest` or `forbidden`.
    func check(_ rule: NotificationRule) throws(DiscfgError)

    /// Sends one notification, once.
    ///
    /// - Throws: `DeliveryFailure`, although the target may have received the message; or `CancellationError`.
    func send(_ message: NotificationMessage, by rule: NotificationRule) async throws
}
