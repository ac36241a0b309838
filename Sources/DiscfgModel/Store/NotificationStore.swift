/// The operations on the notifications of configs, in this process or on a server.
///
/// `Notifier` of DiscfgNotifications implements it on a `ConfigService`, `RemoteConfigStore` by requests to a discfg server.
/// Every call throws `DiscfgError`, or `CancellationError`.
public protocol NotificationStore: Sendable {
    /// The rules of a config, each with the revision up to which it has sent, in the order of their names.
    func notifications(of config: ConfigName) async throws -> [NotificationStatus]
    /// Adds a rule, from whose revision on changes are sent; returns it as it is stored, only this time with its secret.
    ///
    /// - Throws: `invalidRequest` if there is a rule of that name.
    func addNotification(_ rule: NotificationRule, to config: ConfigName) async throws -> NotificationRule
    /// Removes a rule, its progress and its dead letters.
    ///
    /// - Throws: `notificationNotFound`.
    func removeNotification(_ id: String, from config: ConfigName) async throws
    /// Sends one notification that is marked as a test, at once and without retries.
    ///
    /// - Throws: `notificationNotFound`; `deliveryFailed` with the answer of the target.
    func testNotification(_ id: String, in config: ConfigName) async throws
    /// Sends the dead letters again, oldest first.
    ///
    /// - Throws: `notificationNotFound`.
    func replayNotifications(_ id: String, in config: ConfigName) async throws -> NotificationReplay
}

/// A rule, and up to which revision it has sent.
public struct NotificationStatus: Sendable, Hashable {
    /// The rule without its secret.
    public var rule: NotificationRule
    /// The revision up to which everything was sent, or given up.
    public var sent: Revision
    /// The config's revision.
    public var revision: Revision
    /// The failure of the next commit; `nil` if it has not failed.
    public var failure: Failure?
    /// The commits that are no longer tried, oldest first; at most `deadLettersShown`.
    public var deadLetters: [DeadLetter]
    /// Whether there are more dead letters than these.
    public var hasMoreDeadLetters: Bool

    /// The most dead letters in one answer.
    public static let deadLettersShown = 100

    /// A status, as a store or the reader of an answer fills it in.
    public init(
        rule: NotificationRule, sent: Revision, revision: Revision, failure: Failure? = nil,
        deadLetters: [DeadLetter] = [], hasMoreDeadLetters: Bool = false
    ) {
        self.rule = rule
        self.sent = sent
        self.revision = revision
        self.failure = failure
        self.deadLetters = deadLetters
        self.hasMoreDeadLetters = hasMoreDeadLetters
    }

    /// A notification that could not be sent yet.
    public struct Failure: Sendable, Hashable {
        /// The revision of the commit that could not be sent.
        public var revision: Revision
        /// How often the commit was sent in vain.
        public var attempts: Int
        /// When it is tried again.
        public var next: Timestamp
        /// What went wrong, without values and secrets.
        public var reason: String

        /// A failure of the commit that is to be sent next.
        public init(revision: Revision, attempts: Int, next: Timestamp, reason: String) {
            self.revision = revision
            self.attempts = attempts
            self.next = next
            self.reason = reason
        }
    }

    /// A notification that is no longer tried.
    public struct DeadLetter: Sendable, Hashable {
        /// The revision of its commit.
        public var revision: Revision
        /// How often the commit was sent in vain.
        public var attempts: Int
        /// When it was last tried.
        public var time: Timestamp
        /// What went wrong at the last attempt, without values and secrets.
        public var reason: String

        /// A commit that is no longer tried.
        public init(revision: Revision, attempts: Int, time: Timestamp, reason: String) {
            self.revision = revision
            self.attempts = attempts
            self.time = time
            self.reason = reason
        }
    }
}

/// The result of sending dead letters again.
public struct NotificationReplay: Sendable, Hashable {
    /// How many dead letters the target has taken, and that are removed.
    public var sent: Int
    /// How many dead letters the target has refused again, and that stay.
    public var failed: Int
    /// Whether there are more than were tried.
    public var hasMore: Bool

    /// A result, as a store or the reader of an answer fills it in.
    public init(sent: Int, failed: Int, hasMore: Bool) {
        self.sent = sent
        self.failed = failed
        self.hasMore = hasMore
    }
}

extension DiscfgError {
    /// A rule that does not exist.
    public static func noNotification(_ id: String, in config: ConfigName) -> DiscfgError {
        DiscfgError(
            .notificationNotFound, "There is no notification “\(id)” in config “\(config)”.",
            hint: "See what there is with “discfg notify ls”."
        ).overHTTP("See what there is with GET /v1/\(config)/notifications.")
    }
}
