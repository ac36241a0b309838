/// The properties of a store that affect how it is used best; the defaults are those of a store on this machine.
public struct StorageTraits: Sendable, Hashable {
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
    /// Whether the store has a throughput that can be set.
    public var hasCapacity: Bool
    /// Whether eventual reads are answered from a loaded config, however old it is, while the store is unavailable.
    public var toleratesOutage: Bool

    public init(
        readsTellTail: Bool = true,
        pollInterval: ClosedRange<Duration> = .milliseconds(50) ... .milliseconds(50),
        sweepInterval: Duration = .milliseconds(500), pageLength: Int = 100, hasCapacity: Bool = false,
        toleratesOutage: Bool = false
    ) {
        self.readsTellTail = readsTellTail
        self.pollInterval = pollInterval
        self.sweepInterval = sweepInterval
        self.pageLength = pageLength
        self.hasCapacity = hasCapacity
        self.toleratesOutage = toleratesOutage
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
        guard incarnation == nil || incarnation == self.incarnation else { throw .madeAnew(oldest: oldest) }
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
    public var name: ConfigName
    public var settings: ConfigSettings
    public var created: Timestamp
    public var tail: LogTail
    /// Whether trimmed commits are still in the store: kept for readers that follow the log, or left by an interrupted
    /// trimming.
    public var hasRemains: Bool

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

/// Some consecutive commits.
public struct LogPage: Sendable, Hashable {
    public var commits: [Commit]
    /// The newest revision that the read has shown to exist.
    public var tail: Revision
    /// The incarnation, which distinguishes this config from all others that ever had its name.
    public var incarnation: String

    public init(commits: [Commit], tail: Revision, incarnation: String) {
        self.commits = commits
        self.tail = tail
        self.incarnation = incarnation
    }

    /// A page that ends with the newest commit.
    init(following commits: [Commit], incarnation: String) {
        self.init(commits: commits, tail: commits.last?.revision ?? 0, incarnation: incarnation)
    }
}

/// Some commits, newest first, that changed selected keys.
public struct HistoryPage: Sendable, Hashable {
    public var commits: [Commit]
    /// The revision through which the next page goes; `nil` if no earlier commit is selected.
    public var next: Revision?

    public init(commits: [Commit], next: Revision?) {
        self.commits = commits
        self.next = next
    }

    /// A page of a log.
    ///
    /// - Parameters:
    ///   - commits: The commits, newest first.
    ///   - isLast: Whether no earlier commit is selected.
    ///   - trimmed: The last trimmed revision of the log.
    package init(_ commits: [Commit], isLast: Bool, trimmed: Revision) {
        let next = (commits.last?.revision ?? 0) - 1
        self.init(commits: commits, next: isLast || next <= trimmed ? nil : next)
    }
}

/// The state that a writer starts from.
public struct WriteBasis: Sendable, Hashable {
    public var items: [Key: Item]
    public var tail: LogTail
    /// Whether the items and the tail are of the same moment.
    public var isExact: Bool

    public init(items: [Key: Item], tail: LogTail, isExact: Bool) {
        self.items = items
        self.tail = tail
        self.isExact = isExact
    }
}

/// Some items.
public struct ItemBatch: Sendable, Hashable {
    public var items: [Key: Item]
    /// The tail of the log at the moment of this read; `nil` if the store cannot report it.
    public var tail: LogTail?

    public init(items: [Key: Item], tail: LogTail?) {
        self.items = items
        self.tail = tail
    }
}

/// A page of items in the order of their keys.
public struct ItemPage: Sendable, Hashable {
    public var items: [Item]
    public var hasMore: Bool
    /// The tail of the log at the moment of this read; `nil` if the store cannot report it.
    public var tail: LogTail?

    public init(items: [Item], hasMore: Bool, tail: LogTail?) {
        self.items = items
        self.hasMore = hasMore
        self.tail = tail
    }
}
