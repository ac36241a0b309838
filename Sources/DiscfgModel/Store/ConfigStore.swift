/// Everything that can be done with configs, wherever they are.
///
/// `ConfigService` does it on a storage engine in this process, `RemoteConfigStore` of DiscfgClient asks a discfg server.
/// The command line works on either. Every call throws `DiscfgError`, or `CancellationError`. A store itself takes the author of a
/// commit from the request; the store that `acting(as:)` returns takes it from the caller, and APIs use no other.
public protocol ConfigStore: Sendable {
    /// Every config, in the order of their names.
    func configs() async throws -> [ConfigInfo]
    /// - Throws: `configNotFound`.
    func info(of config: ConfigName) async throws -> ConfigInfo
    /// The config's revision.
    ///
    /// - Throws: `configNotFound`.
    func revision(of config: ConfigName) async throws -> Revision
    /// - Throws: `configExists`.
    func createConfig(_ name: ConfigName, settings: ConfigSettings, author: String) async throws -> ConfigInfo
    /// Changes the settings that the patch (RFC 7396) names.
    func updateConfig(_ name: ConfigName, patch: JSONValue) async throws -> ConfigInfo
    /// Deletes a config with all its history.
    func deleteConfig(_ name: ConfigName) async throws

    /// Reads one key, now or as it stood at a revision.
    ///
    /// A key that is overdue is absent; at a revision of the past it is there until the commit that removed it. With eventual
    /// consistency a remote store may answer with what was there a moment ago, but never with less than this process has
    /// written; it costs half.
    /// - Throws: `keyNotFound`, `compacted`, `futureRevision`.
    func get(_ key: Key, in config: ConfigName, at revision: Revision?, consistency: Consistency) async throws
        -> Reading
    /// Lists keys; with strong consistency all at one revision.
    func list(_ query: ListQuery, in config: ConfigName) async throws -> Listing

    /// Carries out a transaction; a failed precondition is a result, not an error.
    func commit(_ transaction: Transaction, to config: ConfigName) async throws -> TransactionResult

    /// The commits beyond a revision, oldest first; with `wait` it waits that long for the first.
    ///
    /// - Throws: `compacted` if the first of them is gone, or the log is not the one that is meant: read the current state, and
    ///   go on from its revision.
    func changes(_ query: ChangesQuery, in config: ConfigName) async throws -> ChangePage
    /// The commits that touched the selected keys, newest first.
    func history(_ query: HistoryQuery, in config: ConfigName) async throws -> ChangePage
    /// What differs between two revisions.
    func diff(_ query: DiffQuery, in config: ConfigName) async throws -> Difference
    /// Puts the selected keys back to what they were at a revision, as a new commit; leaves out what `RollbackPlan` says.
    ///
    /// As of the result's revision the selected keys are what they were, apart from what is left out. If the store does not take
    /// that much in one commit there are several, and a reader between two of them sees one part rolled back; after each of them
    /// the rest is carried out only if no selected key was changed by others, otherwise it is compared again.
    /// - Throws: `storeUnavailable` if others change the selected keys all the time. The hint says whether something was
    ///   committed before an error.
    func rollback(_ request: RollbackRequest, in config: ConfigName) async throws -> RollbackResult
    /// Imports values: as one commit, unless it has more than 20,000 changes or more than the store takes.
    ///
    /// Each commit is compared and written at the same revision, so that no write of others is lost. As of the outcome's
    /// revision each imported key has the imported value, and if the values prune there are no others below the prefix,
    /// apart from keys that have a lease. If there are several commits, a reader between two of them sees a part.
    /// - Parameters:
    ///   - values: The values, with their keys and what is to be done with them.
    ///   - config: The config.
    ///   - progress: Called after each commit with the number of keys that are done, and that of all; not by every store.
    /// - Returns: What was changed, the config's revision then, and the number of commits.
    /// - Throws: `conditionFailed` if the config is not at the revision that the request names, `storeUnavailable` if
    ///   others change the keys all the time. If something was committed before an error, the hint says how much; the
    ///   same import continues from there.
    func importValues(
        _ values: ImportedValues, in config: ConfigName, progress: (_ done: Int, _ total: Int) async -> Void
    ) async throws -> ImportOutcome
    /// Forgets history; the current items stay. Returns the oldest revision that can still be read.
    func compact(_ config: ConfigName, keeping request: CompactionRequest) async throws -> Revision
}

extension ConfigStore {
    /// Creates a config whose first commit names no author.
    public func createConfig(_ name: ConfigName, settings: ConfigSettings) async throws -> ConfigInfo {
        try await createConfig(name, settings: settings, author: "")
    }

    /// The revision of `info(of:)`; throws `configNotFound`.
    public func revision(of config: ConfigName) async throws -> Revision { try await info(of: config).revision }

    /// Reads one key with eventual consistency.
    public func get(_ key: Key, in config: ConfigName, at revision: Revision? = nil) async throws -> Reading {
        try await get(key, in: config, at: revision, consistency: .eventual)
    }
}

/// One key, read.
public struct Reading: Sendable, Hashable {
    /// The item as it was at `revision`.
    public var item: Item
    /// A revision at which the key had this item: the config's newest if the store returns it, or the one that was asked
    /// for.
    public var revision: Revision
    /// How old the reading may be, if it was answered from memory because the store is unavailable.
    public var age: Duration?

    /// A reading, as a store or the reader of an answer fills it in.
    public init(item: Item, revision: Revision, age: Duration? = nil) {
        self.item = item
        self.revision = revision
        self.age = age
    }
}

/// Which keys to list.
public struct ListQuery: Sendable, Hashable {
    /// The directory whose keys are listed; `""` or `/` for all, `bare:` for those that do not begin with `/`.
    public var directory: String
    /// Whether to descend; otherwise deeper keys are summed up as directories.
    public var isRecursive: Bool
    /// The revision to list at; `nil` for now.
    public var revision: Revision?
    /// The last name of the page before; `nil` for the first page.
    public var after: String?
    /// The most entries on a page, at most 10,000.
    public var limit: Int
    /// Whether values are left out.
    public var keysOnly: Bool
    /// Whether all items must be of one moment after the call began; if not, a table answers at half the cost.
    public var consistency: Consistency
    /// Whether the caller has read something at `revision` before.
    ///
    /// Then a compaction meanwhile does not end the listing, as long as the commits since are kept for watchers. A query with
    /// `after` goes on in any case.
    package var goesOn = false

    /// The entries of a page if nothing else is asked for.
    public static let defaultLimit = 1000
    /// The most entries that may be asked for.
    public static let maximumLimit = 10_000
    /// A page ends when its values have about this many bytes, before it has `limit` entries.
    public static let maximumBytes = 16 << 20

    /// A query for the first page of one level of a directory, as it is now, unless more is given.
    public init(
        _ directory: String = "", isRecursive: Bool = false, at revision: Revision? = nil, after: String? = nil,
        limit: Int = ListQuery.defaultLimit, keysOnly: Bool = false, consistency: Consistency = .eventual
    ) {
        self.directory = directory
        self.isRecursive = isRecursive
        self.revision = revision
        self.after = after
        self.limit = limit
        self.keysOnly = keysOnly
        self.consistency = consistency
    }
}

/// A page of a listing.
public struct Listing: Sendable, Hashable {
    /// One line of a listing.
    public enum Entry: Sendable, Hashable {
        case item(Item)
        /// A directory: what the keys in it begin with, up to and with a `/`.
        case directory([UInt8])

        /// The name of the key or of the directory, that with a `/` at the end.
        public var name: String {
            switch self {
            case .item(let item): item.key.name
            case .directory(let bytes): KeyName.name(ofDirectory: bytes)
            }
        }
    }

    /// The entries in the order of their names; directories end with `/`.
    public var entries: [Entry]
    /// The revision of the listing; `nil` if a table was read with eventual consistency, which has no revision.
    public var revision: Revision?
    /// The `after` of the query for the next page; `nil` if this is the last page.
    public var next: String?
    /// How old the listing may be, if it was answered from memory because the store is unavailable.
    public var age: Duration?

    /// A page, as a store or the reader of an answer fills it in.
    public init(entries: [Entry], revision: Revision?, next: String?) {
        self.entries = entries
        self.revision = revision
        self.next = next
    }

    /// The items among the entries.
    public var items: [Item] {
        entries.compactMap { if case .item(let item) = $0 { item } else { nil } }
    }
}

/// The commits to read, in ascending order.
public struct ChangesQuery: Sendable, Hashable {
    /// Only commits with a higher revision are returned.
    public var after: Revision
    /// The keys that are meant; changes of other keys are left out.
    public var selection: KeySelection
    /// Maximum number of commits in an answer, which also ends with the commit that reaches 1 MiB of keys and values.
    public var limit: Int
    /// How long to wait for the first; `nil` not to wait.
    public var wait: Duration?
    /// The log that is meant, from `ChangePage` or `ConfigInfo`; `nil` for the log that the config has now.
    public var log: String?
    /// Whether a commit is returned with all its changes if it touches a selected key.
    package var keepsWholeCommits = false

    /// The longest wait: a longer one ends after this time with an empty page.
    public static let maximumWait: Duration = .seconds(60)

    /// A query for the commits after a revision, which does not wait for any.
    public init(
        after: Revision, selection: KeySelection = .all, limit: Int = 1000, wait: Duration? = nil, log: String? = nil
    ) {
        self.after = after
        self.selection = selection
        self.limit = limit
        self.wait = wait
        self.log = log
    }

    /// What of a commit is returned; `nil` if nothing.
    package func select(from commit: Commit) -> Commit? {
        let selected = commit.selecting(selection)
        return keepsWholeCommits && selected != nil ? commit : selected
    }
}

/// Some commits, and how far they reach.
public struct ChangePage: Sendable, Hashable {
    /// The commits with their changes of the selected keys; ascending for changes, descending for history.
    public var commits: [Commit]
    /// The revision up to which the log was read: the `after` (or for history `before`) of the next query.
    public var scanned: Revision
    /// The config's revision.
    public var revision: Revision
    /// The name of the log that was read, `nil` if the store does not report it.
    ///
    /// A config that is deleted and created again has another.
    public var log: String?

    /// A page, as a store or the reader of an answer fills it in.
    public init(commits: [Commit], scanned: Revision, revision: Revision, log: String? = nil) {
        self.commits = commits
        self.scanned = scanned
        self.revision = revision
        self.log = log
    }
}

/// The commits to read, in descending order.
public struct HistoryQuery: Sendable, Hashable {
    /// The keys that are meant; changes of other keys are left out.
    public var selection: KeySelection
    /// Only commits before this revision; `nil` for the newest.
    public var before: Revision?
    /// The most commits to return; at least 1 and at most 1,000 are, whatever is asked for.
    public var limit: Int

    /// A query for the newest 100 commits of the selected keys, unless more is given.
    public init(_ selection: KeySelection = .all, before: Revision? = nil, limit: Int = 100) {
        self.selection = selection
        self.before = before
        self.limit = limit
    }
}

/// Which revisions to compare.
public struct DiffQuery: Sendable, Hashable {
    /// The revision with the items before; it may be higher than `to`.
    public var from: Revision
    /// `nil` for the current one.
    public var to: Revision?
    /// The keys that are meant; changes of other keys are left out.
    public var selection: KeySelection

    /// A comparison of a revision with another, or with the current one.
    public init(from: Revision, to: Revision? = nil, selection: KeySelection = .all) {
        self.from = from
        self.to = to
        self.selection = selection
    }
}

/// The keys that differ between two revisions.
public struct Difference: Sendable, Hashable {
    /// The revision of the items before.
    public var from: Revision
    /// The revision of the items after, never `nil` as in the query.
    public var to: Revision
    /// In the order of their keys; `previous` is the item at `from`, `item` the one at `to`.
    public var changes: [Change]

    /// A difference, as a store or the reader of an answer fills it in.
    public init(from: Revision, to: Revision, changes: [Change]) {
        self.from = from
        self.to = to
        self.changes = changes
    }
}

/// The revision and the keys to restore.
public struct RollbackRequest: Sendable, Hashable {
    /// The revision whose items are restored.
    public var to: Revision
    /// The keys that are meant; changes of other keys are left out.
    public var selection: KeySelection
    /// The author of the commits; empty if unknown.
    public var author: String
    /// Why; empty for “rollback to revision N”.
    public var message: String

    /// A rollback of every key, unless keys are selected.
    public init(to: Revision, selection: KeySelection = .all, author: String = "", message: String = "") {
        self.to = to
        self.selection = selection
        self.author = author
        self.message = message
    }
}

/// The result of a rollback.
public struct RollbackResult: Sendable, Hashable {
    /// The revision of the last new commit, or the config's when nothing differed.
    public var revision: Revision
    /// The changes of the commits, in the order of the keys.
    public var changes: [Change]
    /// How many keys differ and were left out because they have or had a lease.
    public var leftOut: Int
    /// How many commits it took: 0 if nothing differed, more than one if the store does not take so much in one.
    public var commits: Int

    /// A result, as a store or the reader of an answer fills it in.
    public init(revision: Revision, changes: [Change], leftOut: Int = 0, commits: Int = 0) {
        self.revision = revision
        self.changes = changes
        self.leftOut = leftOut
        self.commits = commits
    }
}

/// The history to compact.
public enum CompactionRequest: Sendable, Hashable {
    /// The commits up to and with this revision, which stays the oldest that can be read.
    case through(Revision)
    /// The commits older than this.
    case olderThan(Duration)
}
