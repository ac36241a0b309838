/// The properties of a store; the defaults are those of a store on this machine.
public struct StorageTraits: Sendable, Hashable {
    /// A description of the store, for people.
    public var description: StorageDescription
    /// The maximum size of one append.
    public var limits: StorageLimits
    /// Whether every read returns the tail of the same moment.
    ///
    /// If not, a reader that needs the items of one moment reads the log too.
    public var readsTellTail: Bool
    /// The interval of polling a watched log: right after commits were found, and after a while without any.
    public var pollInterval: ClosedRange<Duration>
    /// The interval of queries for overdue keys.
    public var sweepInterval: Duration
    /// The number of items in one request if it is not known how many are needed.
    public var pageLength: Int
    /// Whether the store has settings of its own (`ConfigSettings.store`).
    public var hasSettings: Bool
    /// Whether eventual reads are answered from a loaded config, however old it is, while the store is unavailable.
    public var toleratesOutage: Bool

    /// The traits of a store on this machine, except for what is given.
    public init(
        _ description: StorageDescription, limits: StorageLimits = StorageLimits(changes: 100_000, bytes: 64 << 20),
        readsTellTail: Bool = true,
        pollInterval: ClosedRange<Duration> = .milliseconds(50) ... .milliseconds(50),
        sweepInterval: Duration = .milliseconds(500), pageLength: Int = 100, hasSettings: Bool = false,
        toleratesOutage: Bool = false
    ) {
        self.description = description
        self.limits = limits
        self.readsTellTail = readsTellTail
        self.pollInterval = pollInterval
        self.sweepInterval = sweepInterval
        self.pageLength = pageLength
        self.hasSettings = hasSettings
        self.toleratesOutage = toleratesOutage
    }

    /// The properties of a store that differs in one of them.
    package func with<Value>(_ property: WritableKeyPath<Self, Value>, _ value: Value) -> Self {
        var traits = self
        traits[keyPath: property] = value
        return traits
    }
}

/// The maximum size of one append.
public struct StorageLimits: Sendable, Hashable {
    /// The maximum number of changes in all its commits.
    ///
    /// Each commit but the first counts as one more change, and so does each lease to which a commit newly attaches a
    /// key.
    public var changes: Int
    /// The maximum number of bytes of keys and values, before and after.
    public var bytes: Int

    /// Limits that one append must not exceed.
    public init(changes: Int, bytes: Int) {
        self.changes = changes
        self.bytes = bytes
    }
}

/// The ends of a config's log.
public struct LogTail: Sendable, Hashable {
    /// The revision of the newest commit.
    public var revision: Revision
    /// The time of the newest commit.
    public var time: Timestamp
    /// The last revision that was trimmed; 0 if none was.
    public var trimmed: Revision
    /// The incarnation, which distinguishes this config from all others that ever had its name.
    public var incarnation: String

    /// The ends of a log as they were read.
    public init(revision: Revision, time: Timestamp, trimmed: Revision, incarnation: String) {
        self.revision = revision
        self.time = time
        self.trimmed = trimmed
        self.incarnation = incarnation
    }

    /// The lowest revision whose state can be read, and after which the log can be followed.
    public var oldest: Revision { max(1, trimmed) }

    /// Checks that the log after a revision can be read.
    ///
    /// - Throws: `compacted`, also if the config has another incarnation, or `futureRevision`.
    public func checkReadable(after revision: Revision, incarnation: String? = nil) throws(DiscfgError) {
        guard incarnation == nil || incarnation == self.incarnation else { throw .createdAgain(oldest: oldest) }
        guard revision >= trimmed else { throw .compacted(revision, oldest: oldest) }
        guard revision <= self.revision else {
            throw DiscfgError(
                .futureRevision, "Revision \(revision) is not there yet; the newest is \(self.revision).",
                hint: "Give that revision or an earlier one.")
        }
    }
}

/// The record of a config in its store.
public struct ConfigRecord: Sendable, Hashable {
    /// The name of the config in its store.
    public var name: ConfigName
    /// The settings with the secrets of notifications.
    public var settings: ConfigSettings
    /// The time of the commit that created the config.
    public var created: Timestamp
    /// The ends of the config's log.
    public var tail: LogTail
    /// Whether trimmed commits are still in the store: kept for readers that follow the log, or left by an interrupted
    /// trimming.
    public var hasRemains: Bool

    /// A record as it was read, without remains of trimmed commits unless that is given.
    public init(
        name: ConfigName, settings: ConfigSettings, created: Timestamp, tail: LogTail, hasRemains: Bool = false
    ) {
        self.name = name
        self.settings = settings
        self.created = created
        self.tail = tail
        self.hasRemains = hasRemains
    }
}

/// The outcome of an append.
public enum AppendOutcome: Sendable, Hashable {
    case appended
    /// Other writers were first. Contains at least the first of the commits after the writer's tail, in order.
    case conflict(newer: [Commit])
    /// The config of that incarnation is gone; there may be another of its name.
    case replaced
    /// An item was to be attached to this lease, which does not exist or is ending.
    case leaseNotFound(Int64)
}

/// A part of a log, with the order in which it is read.
public enum LogPart: Sendable, Hashable {
    /// Up to a revision, newest first. Trimmed commits are left out without an error.
    case through(Revision)
    /// After a revision, oldest first, strongly consistent.
    case after(Revision)

    /// The revision that bounds the part.
    package var revision: Revision {
        switch self {
        case .through(let revision), .after(let revision): revision
        }
    }
}

/// Some consecutive commits.
public struct LogPage: Sendable, Hashable {
    /// The commits in the order of their revisions, without a gap.
    public var commits: [Commit]
    /// The newest revision that the read has shown to exist.
    public var tail: Revision
    /// The incarnation, which distinguishes this config from all others that ever had its name.
    public var incarnation: String

    /// A page as it was read; `tail` is at least the revision of the last commit.
    public init(commits: [Commit], tail: Revision, incarnation: String) {
        self.commits = commits
        self.tail = tail
        self.incarnation = incarnation
    }

    /// A page for a reader ends when it has this many bytes of keys and values.
    package static let maximumBytes = 1 << 20

    /// The commits up to the one that reaches `maximumBytes`.
    var bounded: LogPage {
        var weight = 0
        var page = self
        page.commits = Array(
            commits.prefix { commit in
                defer { weight += commit.weight }
                return weight < Self.maximumBytes
            })
        return page
    }

    /// A page that ends with the newest commit.
    init(following commits: [Commit], incarnation: String) {
        self.init(commits: commits, tail: commits.last?.revision ?? 0, incarnation: incarnation)
    }
}

/// Some commits of a part of a log that changed selected keys, in the order of the part.
public struct HistoryPage: Sendable, Hashable {
    /// The commits, newest first, each with its changes of the selected keys only.
    public var commits: [Commit]
    /// The part of the next page; `nil` if no further commit is selected.
    public var next: LogPart?

    /// A page of a history.
    public init(commits: [Commit], next: LogPart?) {
        self.commits = commits
        self.next = next
    }

    /// A page of a log.
    ///
    /// - Parameters:
    ///   - commits: The commits, in the order of the part.
    ///   - part: The part of which they are the first.
    ///   - isLast: Whether no further commit is selected.
    ///   - tail: The ends of the log.
    package init(_ commits: [Commit], of part: LogPart, isLast: Bool, tail: LogTail) {
        self.init(commits: commits, next: nil)
        guard !isLast, let last = commits.last?.revision else { return }
        switch part {
        case .through: next = last - 1 > tail.trimmed ? .through(last - 1) : nil
        case .after: next = last < tail.revision ? .after(last) : nil
        }
    }
}

/// The state that a writer starts from.
public struct WriteBasis: Sendable, Hashable {
    /// The items of the requested keys that exist.
    public var items: [Key: Item]
    /// The tail to append after; the items are of its moment, or of a later one.
    public var tail: LogTail
    /// Whether the items and the tail are of the same moment.
    public var isExact: Bool

    /// A basis as it was read.
    public init(items: [Key: Item], tail: LogTail, isExact: Bool) {
        self.items = items
        self.tail = tail
        self.isExact = isExact
    }
}

/// Some items.
public struct ItemBatch: Sendable, Hashable {
    /// The items of the requested keys that exist.
    public var items: [Key: Item]
    /// The tail of the log at the moment of this read; `nil` if the store cannot report it.
    public var tail: LogTail?

    /// Items as they were read.
    public init(items: [Key: Item], tail: LogTail?) {
        self.items = items
        self.tail = tail
    }
}

/// A page of items in the order of their keys.
public struct ItemPage: Sendable, Hashable {
    /// The items in the order of their keys.
    public var items: [Item]
    /// Whether the range contains more items after the last one.
    public var hasMore: Bool
    /// The tail of the log at the moment of this read; `nil` if the store cannot report it.
    public var tail: LogTail?

    /// A page as it was read.
    public init(items: [Item], hasMore: Bool, tail: LogTail?) {
        self.items = items
        self.hasMore = hasMore
        self.tail = tail
    }
}
