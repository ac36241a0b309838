public import DiscfgCore

/// One notification, ready to be sent.
public struct NotificationMessage: Sendable {
    /// What kind of event it is.
    public enum Kind: String, Sendable {
        /// A commit was made.
        case commit = "dev.discfg.commit"
        /// Somebody tries a target.
        case test = "dev.discfg.test"
    }

    /// The same whenever the same commit is sent by the same rule, so that receivers can leave out what they have seen.
    public let id: String
    public let kind: Kind
    public let config: ConfigName
    public let revision: Revision
    /// When the commit was made.
    public let time: Timestamp
    /// CloudEvents 1.0 as JSON, at most `maximumLength` bytes.
    public let body: [UInt8]

    /// What SNS, SQS and EventBridge take, 256 KiB, without what they count besides the message.
    public static let maximumLength = 240 << 10
}

/// A target did not take a notification.
public struct DeliveryFailure: Error, Sendable {
    /// What went wrong, as a sentence without values and secrets, not longer than anybody wants to read.
    public var reason: String
    /// How long the target asks to be left alone.
    public var retryAfter: Duration?

    public init(_ reason: String, retryAfter: Duration? = nil) {
        self.reason = String(reason.prefix(1000))
        self.retryAfter = retryAfter
    }
}

/// Sends notifications to their targets.
public protocol NotificationSender: Sendable {
    /// Refuses a rule that could never be carried out.
    ///
    /// - Throws: `DiscfgError` with code `invalidRequest` or `forbidden`.
    func check(_ rule: NotificationRule) throws(DiscfgError)

    /// Sends one notification, once.
    ///
    /// - Throws: `DeliveryFailure`, after which the target may have it all the same; or `CancellationError`.
    func send(_ message: NotificationMessage, by rule: NotificationRule) async throws
}
