/// Where configs live: an append-only log for each, and the index of current items that the log implies.
///
/// This is the seam between discfg's rules, which `ConfigService` holds, and the stores. An engine knows nothing of
/// preconditions, expiry, history or watching; it keeps commits in order and items beside them.
///
/// The contract, which `StorageConformance` in DiscfgTestSupport states as tests:
/// - **Atomicity.** `append` writes every commit with the items that they imply, or nothing.
/// - **Durability.** When `append` returns `.appended`, the commits survive the loss of power.
/// - **Freshness.** A read with `.strong` consistency sees every append that was acknowledged before it began, by any
///   process. With `.eventual` it may be older, but is a state that the config had.
/// - **Errors.** An engine throws `DiscfgError`: `configNotFound` when there is no such config, `storeUnavailable` when nothing
///   was written and trying again may help, `outcomeUnknown` when a write may or may not have taken effect,
///   `storeNotWritable` when the store is full or read-only, and `storeUnusable` when it cannot be used at all.
///   It never reports a conflict that it did not see.
/// - **Time.** The commits of a log never run backwards in time; the caller sees to it, and an engine may rely on it.
/// - **Cancellation.** A cancelled call may throw `CancellationError` before it changed anything; a write under way is
///   finished.
public protocol StorageEngine: Sendable {
    /// What the store is, for people.
    var description: StorageDescription { get }

    /// How much one append may carry.
    var limits: StorageLimits { get }

    /// Makes a config whose log has the given commit of revision 1 alone.
    ///
    /// - Throws: `configExists` when there is one of that name.
    func createConfig(_ name: ConfigName, settings: ConfigSettings, first: Commit) async throws

    /// The config, or `nil` where there is none of that name.
    func config(_ name: ConfigName) async throws -> ConfigRecord?

    /// The configs in the order of their names, beyond `after`, at most `limit`.
    func configs(after: ConfigName?, limit: Int) async throws -> [ConfigRecord]

    /// Replaces the settings of a config, if they are still what the caller read.
    ///
    /// - Returns: Whether they were.
    func updateConfig(_ name: ConfigName, settings: ConfigSettings, replacing old: ConfigSettings) async throws -> Bool

    /// Removes a config with all that it holds; `false` where there was none.
    func removeConfig(_ name: ConfigName) async throws -> Bool

    /// The ends of the log, strongly consistent.
    func tail(of config: ConfigName) async throws -> LogTail

    /// Appends commits, whose revisions are `tail + 1`, `tail + 2` and so on, together with the items they imply.
    ///
    /// There is at least one, in the order of their revisions, and they are within `limits`.
    /// - Returns: `.conflict` when the first revision is not `tail + 1`; nothing is written then.
    func append(_ commits: [Commit], to config: ConfigName) async throws -> AppendOutcome

    /// The commits beyond a revision, oldest first, strongly consistent.
    ///
    /// An engine may return fewer than `limit`, but never none while there are some.
    /// - Throws: `compacted` when `after + 1` was trimmed, `futureRevision` when `after` is beyond the tail.
    func entries(of config: ConfigName, after: Revision, limit: Int) async throws -> [Commit]

    /// The commits up to a revision, newest first; with a key, only those that changed it, and only that change of each.
    ///
    /// Trimmed commits are left out silently: this is for looking back. Limits are as in `entries`.
    func history(of config: ConfigName, key: Key?, through: Revision, limit: Int) async throws -> [Commit]

    /// The first change to a key beyond a revision, or `nil` where it has not changed since, strongly consistent.
    ///
    /// - Throws: As `entries`.
    func firstChange(to key: Key, in config: ConfigName, after: Revision) async throws -> Change?

    /// Removes commits up to and with a revision, in small steps; reads of later revisions keep working.
    ///
    /// - Returns: Whether everything that was asked for is done; otherwise call again.
    func trim(_ config: ConfigName, through: Revision) async throws -> Bool

    /// The items of these keys, and the config's revision at that moment.
    func items(_ keys: [Key], in config: ConfigName, consistency: Consistency) async throws -> ItemBatch

    /// The items of a range in the order of their keys, and the config's revision at that moment.
    ///
    /// An engine may return fewer than `limit`, with `hasMore` set. Without `values` an item's value is empty.
    func items(_ range: KeyRange, in config: ConfigName, limit: Int, values: Bool, consistency: Consistency)
        async throws
        -> ItemPage

    /// Keys whose expiry is not later than the given moment, the most overdue first.
    func overdueKeys(in config: ConfigName, at now: Timestamp, limit: Int) async throws -> [Key]

    /// The greatest revision that is in the log and was committed before a moment, or 0.
    func lastRevision(of config: ConfigName, before time: Timestamp) async throws -> Revision
}

/// How fresh a read must be.
public enum Consistency: Sendable, Hashable {
    /// It sees every write that was acknowledged before it began.
    case strong
    /// It may be a little older, and costs less where the store is remote.
    case eventual
}

/// The most that one append may carry.
public struct StorageLimits: Sendable, Hashable {
    /// The most changes in all its commits.
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

    public init(revision: Revision, time: Timestamp, trimmed: Revision) {
        self.revision = revision
        self.time = time
        self.trimmed = trimmed
    }

    /// The least revision whose state can be read, and after which the log can be followed.
    public var oldest: Revision { max(1, trimmed) }

    /// Checks that the log beyond a revision is there.
    ///
    /// - Throws: `compacted` or `futureRevision`.
    public func checkReadable(after revision: Revision) throws(DiscfgError) {
        guard revision >= trimmed else { throw .compacted(revision, oldest: oldest) }
        guard revision <= self.revision else {
            throw DiscfgError(
                .futureRevision, "Revision \(revision) is not there yet; the newest is \(self.revision).",
                hint: "Ask for that one, or for none to get the newest.")
        }
    }
}

/// What a store knows of a config.
public struct ConfigRecord: Sendable, Hashable {
    public var name: ConfigName
    public var settings: ConfigSettings
    public var created: Timestamp
    public var tail: LogTail

    public init(name: ConfigName, settings: ConfigSettings, created: Timestamp, tail: LogTail) {
        self.name = name
        self.settings = settings
        self.created = created
        self.tail = tail
    }
}

/// What came of an append.
public enum AppendOutcome: Sendable, Hashable {
    case appended
    /// Others were first: at least the first of the commits beyond those the writer knew, in order.
    case conflict(newer: [Commit])
}

/// Some items, as they stood at one revision.
public struct ItemBatch: Sendable, Hashable {
    public var items: [Key: Item]
    public var tail: LogTail

    public init(items: [Key: Item], tail: LogTail) {
        self.items = items
        self.tail = tail
    }
}

/// A page of items in the order of their keys, as they stood at one revision.
public struct ItemPage: Sendable, Hashable {
    public var items: [Item]
    public var hasMore: Bool
    public var tail: LogTail

    public init(items: [Item], hasMore: Bool, tail: LogTail) {
        self.items = items
        self.hasMore = hasMore
        self.tail = tail
    }
}
