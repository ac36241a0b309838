/// How fresh a read must be.
public enum Consistency: Sendable, Hashable {
    /// It sees every write that was acknowledged before it began.
    case strong
    /// It may be a little older, and costs less where the store is remote.
    case eventual
}

/// How a store is best used; the defaults are those of a store on this machine.
public struct StorageTraits: Sendable, Hashable {
    /// Whether every read tells the tail of the same moment.
    ///
    /// Where not, a reader that needs one moment looks at the log.
    public var readsTellTail: Bool
    /// The time between two looks at a log that somebody watches: right after something was found, and after a while of nothing.
    public var pollInterval: ClosedRange<Duration>
    /// The time between two looks for keys that are overdue.
    public var sweepInterval: Duration
    /// How many items are worth asking for at once where it is not known how many are needed.
    public var pageLength: Int
    /// Whether throughput can be bought, and so be set.
    public var hasCapacity: Bool

    public init(
        readsTellTail: Bool = true,
        pollInterval: ClosedRange<Duration> = .milliseconds(50) ... .milliseconds(50),
        sweepInterval: Duration = .milliseconds(500), pageLength: Int = 100, hasCapacity: Bool = false
    ) {
        self.readsTellTail = readsTellTail
        self.pollInterval = pollInterval
        self.sweepInterval = sweepInterval
        self.pageLength = pageLength
        self.hasCapacity = hasCapacity
    }
}

/// The most that one append may carry.
public struct StorageLimits: Sendable, Hashable {
    /// The most changes in all its commits; each commit but the first counts as one more, and so does each lease that a commit
    /// newly attaches something to.
    public var changes: Int
    /// The most bytes of keys and values, before and after.
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
    /// When the newest commit was made.
    public var time: Timestamp
    /// The last revision that was trimmed; 0 when none was.
    public var trimmed: Revision
    /// Which of the configs that ever had this name it is.
    public var incarnation: String

    public init(revision: Revision, time: Timestamp, trimmed: Revision, incarnation: String) {
        self.revision = revision
        self.time = time
        self.trimmed = trimmed
        self.incarnation = incarnation
    }

    /// The least revision whose state can be read, and after which the log can be followed.
    public var oldest: Revision { max(1, trimmed) }

    /// Checks that the log beyond a revision is there.
    ///
    /// - Throws: `compacted`, also when the config is not the one that is meant, or `futureRevision`.
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

/// What a store knows of a config.
public struct ConfigRecord: Sendable, Hashable {
    public var name: ConfigName
    public var settings: ConfigSettings
    public var created: Timestamp
    public var tail: LogTail
    /// Whether commits that were trimmed are still in the store: kept for those who follow the log, or left by an interruption.
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

/// What came of an append.
public enum AppendOutcome: Sendable, Hashable {
    case appended
    /// Others were first: at least the first of the commits beyond those the writer knew, in order.
    case conflict(newer: [Commit])
    /// The config that was meant is gone; there may be another of its name.
    case replaced
    /// An item is to be attached to this lease, which is not there, or is ending.
    case leaseNotFound(Int64)
}

/// Some commits that follow each other.
public struct LogPage: Sendable, Hashable {
    public var commits: [Commit]
    /// The newest revision that the reading has shown to be there.
    public var tail: Revision
    /// Which of the configs that ever had this name it is.
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

/// What a writer begins with.
public struct WriteBasis: Sendable, Hashable {
    public var items: [Key: Item]
    public var tail: LogTail
    /// Whether that was the tail at the very moment when the items stood so.
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
    /// The tail of the log at the moment when all of them stood so; `nil` where the store cannot tell.
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
    /// The tail of the log at the moment when all of them stood so; `nil` where the store cannot tell.
    public var tail: LogTail?

    public init(items: [Item], hasMore: Bool, tail: LogTail?) {
        self.items = items
        self.hasMore = hasMore
        self.tail = tail
    }
}
