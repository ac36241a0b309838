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
    /// - Throws: `compacted` when the first of them is gone, or the log is not the one that is meant: read the current state, and
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

    public func revision(of config: ConfigName) async throws -> Revision { try await info(of: config).revision }

    /// Reads one key with eventual consistency.
    public func get(_ key: Key, in config: ConfigName, at revision: Revision? = nil) async throws -> Reading {
        try await get(key, in: config, at: revision, consistency: .eventual)
    }
}

/// One key, read.
public struct Reading: Sendable, Hashable {
    public var item: Item
    /// A revision of the config at which the key stood so: its newest where the store tells that, or the one that was asked
    /// for.
    public var revision: Revision
    /// How old the reading may be, if it was answered from memory because the store is unavailable.
    public var age: Duration?

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
    /// Whether everything must be of one moment, not before the question; where not, a remote store answers at half the cost.
    public var consistency: Consistency
    /// Whether the caller has read something at `revision` before.
    ///
    /// Then a compaction meanwhile does not end the listing, as long as the commits since are kept for watchers. A query with
    /// `after` goes on in any case.
    package var goesOn = false

    public static let defaultLimit = 1000
    public static let maximumLimit = 10_000
    /// A page ends when its values have about this many bytes, before it has `limit` entries.
    public static let maximumBytes = 16 << 20

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

    public var entries: [Entry]
    /// The revision at which the listing holds; `nil` where it was read with eventual consistency from a store that cannot tell.
    public var revision: Revision?
    /// What to ask as `after` for the next page; `nil` when this is the last.
    public var next: String?
    /// How old the listing may be, if it was answered from memory because the store is unavailable.
    public var age: Duration?

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

/// Which commits to read, going forward.
public struct ChangesQuery: Sendable, Hashable {
    public var after: Revision
    public var selection: KeySelection
    public var limit: Int
    /// How long to wait for the first; `nil` not to wait.
    public var wait: Duration?
    /// The log that is meant, as `ChangePage` or `ConfigInfo` named it; `nil` for whichever the config has.
    public var log: String?
    /// Whether a commit is returned with all its changes if it touches a selected key.
    package var keepsWholeCommits = false

    /// Longer waits end after this, with nothing: whoever went away meanwhile is not waited for much longer.
    public static let maximumWait: Duration = .seconds(60)

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
    public var commits: [Commit]
    /// The revision up to which the log was read: what to ask as `after` (or, going back, `before`) next.
    public var scanned: Revision
    /// The config's revision.
    public var revision: Revision
    /// The log that was read, `nil` if the store does not tell.
    ///
    /// A config that is deleted and created again has another.
    public var log: String?

    public init(commits: [Commit], scanned: Revision, revision: Revision, log: String? = nil) {
        self.commits = commits
        self.scanned = scanned
        self.revision = revision
        self.log = log
    }
}

/// Which commits to read, going back.
public struct HistoryQuery: Sendable, Hashable {
    public var selection: KeySelection
    /// Only commits before this revision; `nil` for the newest.
    public var before: Revision?
    public var limit: Int

    public init(_ selection: KeySelection = .all, before: Revision? = nil, limit: Int = 100) {
        self.selection = selection
        self.before = before
        self.limit = limit
    }
}

/// Which revisions to compare.
public struct DiffQuery: Sendable, Hashable {
    public var from: Revision
    /// `nil` for the current one.
    public var to: Revision?
    public var selection: KeySelection

    public init(from: Revision, to: Revision? = nil, selection: KeySelection = .all) {
        self.from = from
        self.to = to
        self.selection = selection
    }
}

/// The keys that differ between two revisions.
public struct Difference: Sendable, Hashable {
    public var from: Revision
    public var to: Revision
    /// In the order of their keys; `previous` is the item at `from`, `item` the one at `to`.
    public var changes: [Change]

    public init(from: Revision, to: Revision, changes: [Change]) {
        self.from = from
        self.to = to
        self.changes = changes
    }
}

/// What to put back.
public struct RollbackRequest: Sendable, Hashable {
    public var to: Revision
    public var selection: KeySelection
    public var author: String
    /// Why; empty for “rollback to revision N”.
    public var message: String

    public init(to: Revision, selection: KeySelection = .all, author: String = "", message: String = "") {
        self.to = to
        self.selection = selection
        self.author = author
        self.message = message
    }
}

/// What was put back.
public struct RollbackResult: Sendable, Hashable {
    /// The revision of the last new commit, or the config's when nothing differed.
    public var revision: Revision
    /// What the commits changed, in the order of the keys.
    public var changes: [Change]
    /// How many keys differ and were left out because they have or had a lease.
    public var leftOut: Int
    /// How many commits it took: 0 if nothing differed, more than one if the store does not take so much in one.
    public var commits: Int

    public init(revision: Revision, changes: [Change], leftOut: Int = 0, commits: Int = 0) {
        self.revision = revision
        self.changes = changes
        self.leftOut = leftOut
        self.commits = commits
    }
}

/// What history to forget.
public enum CompactionRequest: Sendable, Hashable {
    /// The commits up to and with this revision, which stays the oldest that can be read.
    case through(Revision)
    /// The commits older than this.
    case olderThan(Duration)
}
