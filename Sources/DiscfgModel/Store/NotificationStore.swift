/// What can be done with the notifications of configs, wherever those are.
///
/// `Notifier` of DiscfgNotifications does it beside a `ConfigService`, `RemoteConfigStore` of DiscfgClient asks a discfg server.
/// Every call throws `DiscfgError`, or `CancellationError`.
public protocol NotificationStore: Sendable {
    /// The rules of a config, each with how far it has come, in the order of their names.
    func notifications(of config: ConfigName) async throws -> [NotificationStatus]
    /// Adds a rule, from whose revision on changes are sent; returns it as it is kept, this once with its secret.
    ///
    /// - Throws: `invalidRequest` where there is one of that name.
    func addNotification(_ rule: NotificationRule, to config: ConfigName) async throws -> NotificationRule
    /// Removes a rule with all that is kept of it.
    ///
    /// - Throws: `notificationNotFound`.
    func removeNotification(_ id: String, from config: ConfigName) async throws
    /// Sends one notification that says it is a test, now and once.
    ///
    /// - Throws: `notificationNotFound`; `deliveryFailed` with what the target said.
    func testNotification(_ id: String, in config: ConfigName) async throws
    /// Sends again what was given up, oldest first.
    ///
    /// - Throws: `notificationNotFound`.
    func replayNotifications(_ id: String, in config: ConfigName) async throws -> NotificationReplay
}

/// A rule, and how far it has come.
public struct NotificationStatus: Sendable, Hashable {
    /// The rule without its secret.
    public var rule: NotificationRule
    /// The revision up to which everything was sent, or given up.
    public var sent: Revision
    /// The config's revision.
    public var revision: Revision
    /// What stands in the way of the next one; `nil` where nothing does.
    public var failure: Failure?
    /// What was given up, oldest first; at most `deadLettersShown`.
    public var deadLetters: [DeadLetter]
    /// Whether more was given up than is shown.
    public var hasMoreDeadLetters: Bool

    /// The most dead letters in one answer.
    public static let deadLettersShown = 100

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
        public var revision: Revision
        public var attempts: Int
        /// When it is tried again.
        public var next: Timestamp
        /// What went wrong, without values and secrets.
        public var reason: String

        public init(revision: Revision, attempts: Int, next: Timestamp, reason: String) {
            self.revision = revision
            self.attempts = attempts
            self.next = next
            self.reason = reason
        }
    }

    /// A notification that was given up.
    public struct DeadLetter: Sendable, Hashable {
        /// The revision of its commit.
        public var revision: Revision
        public var attempts: Int
        /// When it was last tried.
        public var time: Timestamp
        public var reason: String

        public init(revision: Revision, attempts: Int, time: Timestamp, reason: String) {
            self.revision = revision
            self.attempts = attempts
            self.time = time
            self.reason = reason
        }
    }
}

/// What came of sending again what was given up.
public struct NotificationReplay: Sendable, Hashable {
    public var sent: Int
    public var failed: Int
    /// Whether there are more than were tried.
    public var hasMore: Bool

    public init(sent: Int, failed: Int, hasMore: Bool) {
        self.sent = sent
        self.failed = failed
        self.hasMore = hasMore
    }
}

extension DiscfgError {
    /// A rule that is not there.
    public static func noNotification(_ id: String, in config: ConfigName) -> DiscfgError {
        DiscfgError(
            .notificationNotFound, "There is no notification “\(id)” in config “\(config)”.",
            hint: "See what there is with “discfg notify ls”."
        ).overHTTP("See what there is with GET /v1/\(config)/notifications.")
    }
}
