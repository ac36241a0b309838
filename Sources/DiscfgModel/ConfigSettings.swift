/// The settings of a config.
public struct ConfigSettings: Sendable, Hashable {
    /// The history that is kept; older history is compacted in the background.
    public var retention: Retention
    /// The notifications of the config's changes, in the order of their names.
    public var notifications: [NotificationRule]
    /// Requested settings of the store as a whole, such as a throughput; the engine interprets them.
    ///
    /// Their names begin with a capital letter. They apply to all configs, so they are not stored with the config.
    public var store: [String: JSONValue]

    /// Settings with the default retention and no notifications; the rules are sorted by name.
    public init(
        retention: Retention = Retention(), notifications: [NotificationRule] = [], store: [String: JSONValue] = [:]
    ) {
        self.retention = retention
        self.notifications = notifications.sorted { $0.id < $1.id }
        self.store = store
    }

    /// A commit is kept while it is younger than `age` or among the last `revisions`.
    public struct Retention: Sendable, Hashable {
        /// How long each commit is kept at least, from its own time.
        public var age: Duration
        /// How many of the newest commits are kept whatever their age.
        public var revisions: Int64

        /// By default, commits that are younger than 90 days or among the last 10,000 revisions.
        public init(age: Duration = .seconds(90 * 86_400), revisions: Int64 = 10_000) {
            self.age = age
            self.revisions = revisions
        }
    }
}

/// The description of a config.
public struct ConfigInfo: Sendable, Hashable {
    /// The name of the config in its store.
    public var name: ConfigName
    /// The settings; the secrets of notifications are included unless the store left them out.
    public var settings: ConfigSettings
    /// The time of the commit that created the config.
    public var created: Timestamp
    /// The config's revision.
    public var revision: Revision
    /// The time of that revision's commit.
    public var modified: Timestamp
    /// The lowest revision that can be read; everything before it was compacted.
    public var oldest: Revision
    /// The store of the config.
    public var storage: StorageDescription
    /// The name of the config's log; `nil` if the store does not report it.
    ///
    /// A config that is deleted and created again has another log.
    public var log: String?

    /// A description, as a store or the reader of an answer fills it in.
    public init(
        name: ConfigName, settings: ConfigSettings, created: Timestamp, revision: Revision, modified: Timestamp,
        oldest: Revision, storage: StorageDescription, log: String? = nil
    ) {
        self.name = name
        self.settings = settings
        self.created = created
        self.revision = revision
        self.modified = modified
        self.oldest = oldest
        self.storage = storage
        self.log = log
    }
}

/// The description of a store, for people; it contains no secrets.
public struct StorageDescription: Sendable, Hashable {
    /// The kind of store, such as `sqlite`.
    public var name: String
    /// The properties of the store, such as the path of the file.
    public var options: [String: String]

    /// A description; the options must not contain secrets, because they are shown to users.
    public init(name: String, options: [String: String] = [:]) {
        self.name = name
        self.options = options
    }
}
