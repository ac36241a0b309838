/// What can be set for a config.
public struct ConfigSettings: Sendable, Hashable {
    /// The history that is kept; what is older is compacted in the background.
    public var retention: Retention
    /// What of the config's changes is sent where, in the order of the names.
    public var notifications: [NotificationRule]
    /// The throughput that is asked for, where the store sells any; it is the whole store's, and so not kept with the config.
    public var capacity: Capacity?

    public init(
        retention: Retention = Retention(), notifications: [NotificationRule] = [], capacity: Capacity? = nil
    ) {
        self.retention = retention
        self.notifications = notifications.sorted { $0.id < $1.id }
        self.capacity = capacity
    }

    /// How a store's throughput is paid for.
    public enum Capacity: Sendable, Hashable {
        /// By the request.
        case onDemand
        /// By the hour: so many units a second.
        case provisioned(readUnits: Int64, writeUnits: Int64)
    }

    /// A commit is kept while it is younger than `age` or among the last `revisions`.
    public struct Retention: Sendable, Hashable {
        public var age: Duration
        public var revisions: Int64

        /// By default, what is younger than 90 days or among the last 10,000 revisions.
        public init(age: Duration = .seconds(90 * 86_400), revisions: Int64 = 10_000) {
            self.age = age
            self.revisions = revisions
        }
    }
}

/// A config, described.
public struct ConfigInfo: Sendable, Hashable {
    public var name: ConfigName
    public var settings: ConfigSettings
    public var created: Timestamp
    /// The config's revision.
    public var revision: Revision
    /// When that revision was committed.
    public var modified: Timestamp
    /// The least revision that can be read; everything before it was compacted.
    public var oldest: Revision
    /// What holds the config.
    public var storage: StorageDescription
    /// The config's log, `nil` if the store does not tell.
    ///
    /// A config that is deleted and created again has another.
    public var log: String?

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

/// What a store is, for people: no secrets in it.
public struct StorageDescription: Sendable, Hashable {
    /// Such as `sqlite`.
    public var name: String
    /// Such as the path of the file.
    public var options: [String: String]

    public init(name: String, options: [String: String] = [:]) {
        self.name = name
        self.options = options
    }
}
