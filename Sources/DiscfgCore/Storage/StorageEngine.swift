/// A store of configs: an append-only log for each config, and the index of current items that the log implies.
///
/// This is the interface between discfg's rules, which `ConfigService` implements, and the stores. An engine has no
/// rules for preconditions, expiry, history or watching; it keeps the commits in order, and the items.
///
/// The contract, which `StorageConformance` in DiscfgTestSupport states as tests:
/// - **Atomicity.** `append` writes every commit with the items that they imply, or nothing.
/// - **Durability.** When `append` returns `.appended`, the commits survive a loss of power.
/// - **Freshness.** A read with `.strong` consistency sees every append that was acknowledged before it began, by any
///   process. With `.eventual` each item may be older, but it is one that the config had.
/// - **Identity.** A config that is deleted and created again has another `incarnation`. A call that names an
///   incarnation never reads from, and never writes to, another config of the same name.
/// - **Errors.** An engine throws `DiscfgError`: `configNotFound` if there is no such config, `storeUnavailable` if
///   nothing was written and trying again may help, `outcomeUnknown` if a write may or may not have taken effect,
///   `storeNotWritable` if the store is full or read-only, and `storeUnusable` if it cannot be used at all. It never
///   reports a conflict that it did not see.
/// - **Leases.** An item is newly attached to its lease if the previous item of the key had another lease, or none. An
///   item that keeps its lease can be set even if the lease has ended: the process that ends a lease removes the items
///   that still have it.
/// - **Time.** The times of a log's commits never decrease. The caller ensures this, and an engine may rely on it.
/// - **Cancellation.** A cancelled call may throw `CancellationError` before it has changed anything; a write in
///   progress is finished.
public protocol StorageEngine: Sendable {
    /// The properties of the store: its description, its limits, and what affects how it is used best.
    var traits: StorageTraits { get }

    /// Creates a config whose log contains only the given commit; everything before its revision counts as trimmed.
    ///
    /// - Throws: `configExists` if there is a config of that name.
    func createConfig(_ name: ConfigName, settings: ConfigSettings, first: Commit) async throws

    /// The config, or `nil` if there is none of that name.
    func config(_ name: ConfigName) async throws -> ConfigRecord?

    /// The names of the configs in their order, after `after`, at most `limit`.
    ///
    /// Names of configs that are being removed may be among them.
    func configNames(after: ConfigName?, limit: Int) async throws -> [ConfigName]

    /// Replaces the settings of a config, if they are still what the caller read.
    ///
    /// - Returns: Whether they were, and so were replaced.
    func updateConfig(_ name: ConfigName, settings: ConfigSettings, replacing old: ConfigSettings) async throws -> Bool

    /// Removes a config with all its contents; `false` if there was none.
    ///
    /// Once the config is gone for every reader, the call does not fail: `StoreAdministration.maintain` removes what is
    /// left of it.
    func removeConfig(_ name: ConfigName) async throws -> Bool

    /// The ends of the log, strongly consistent.
    ///
    /// A caller that has seen them before passes them as `known`. If the log still ends there, an engine may return them
    /// without checking whether the log was trimmed since.
    func tail(of config: ConfigName, knowing known: LogTail?) async throws -> LogTail

    /// Appends commits, whose revisions are `tail + 1`, `tail + 2` and so on, together with the items they imply.
    ///
    /// There is at least one commit; the commits are in the order of their revisions and within `limits`. The first
    /// change to a key has the item at the log's tail as `previous`. If the commits were evaluated on another item, an
    /// engine may refuse them with a `.conflict` without commits.
    /// - Parameters:
    ///   - commits: What to append.
    ///   - config: The config.
    ///   - incarnation: The incarnation of the config; `nil` for the current one.
    /// - Returns: `.appended`; or, if nothing was written, `.conflict` if the first revision is not `tail + 1`,
    ///   `.replaced` if the config has another incarnation, and `.leaseNotFound` if an item is newly attached to a
    ///   lease that does not exist or is ending.
    /// - Throws: `compacted` if the writer's tail is before the last trimmed revision, `futureRevision` if it is beyond
    ///   the log's tail; otherwise the errors that every call throws.
    func append(_ commits: [Commit], to config: ConfigName, incarnation: String?) async throws -> AppendOutcome

    /// The items of some keys for a writer, with a tail to append after.
    ///
    /// The items are strongly consistent, as of that tail or later. If finding the tail costs a request, the tail may
    /// be behind: the append detects that.
    func basis(for keys: [Key], in config: ConfigName) async throws -> WriteBasis

    /// The commits after a revision, oldest first.
    ///
    /// An engine may return fewer than `limit`, but with strong consistency at least one if there is any.
    /// - Parameters:
    ///   - config: The config.
    ///   - after: The revision before the first.
    ///   - limit: The maximum number of commits.
    ///   - incarnation: The incarnation of the config; `nil` for the current one.
    ///   - consistency: Whether the newest commits must be among them.
    /// - Returns: The commits, without gaps.
    /// - Throws: `compacted` if `after + 1` was trimmed or the config has another incarnation, `futureRevision` if
    ///   `after` is beyond the tail. With an incarnation, commits that `trim` has kept are read as if they were not
    ///   trimmed.
    func log(
        of config: ConfigName, after: Revision, limit: Int, incarnation: String?, consistency: Consistency
    ) async throws -> LogPage

    /// The commits of a part of the log that changed a selected key, in the order of the part, each with those changes
    /// alone.
    ///
    /// With `KeySelection.all` these are all commits. An engine finds the commits in one call, with an index of the
    /// changes by key if it has one; it may return fewer than `limit` if they are large.
    ///
    /// - Throws: For the part after a revision, the errors of `log`.
    func history(
        of config: ConfigName, selection: KeySelection, _ part: LogPart, limit: Int
    ) async throws -> HistoryPage

    /// Removes the commits up to a revision, including it, in small steps; reads of later revisions keep working.
    ///
    /// All of them count as trimmed at once. Commits made at `moment` or later are kept for `log` with an incarnation,
    /// with which readers continue that have seen the log up to there. A later call with a later moment removes them.
    /// - Parameters:
    ///   - config: The config.
    ///   - through: The last revision to trim. If it is before the last trimmed revision, the call removes what was
    ///     trimmed before.
    ///   - moment: The time of the oldest commit to keep.
    /// - Returns: Whether the trimming is complete; otherwise call again.
    /// - Throws: The errors that every call throws.
    func trim(_ config: ConfigName, through: Revision, keepingSince moment: Timestamp) async throws -> Bool

    /// The items of some keys.
    ///
    /// With strong consistency they reflect at least every commit that this engine has returned before.
    func items(_ keys: [Key], in config: ConfigName, consistency: Consistency) async throws -> ItemBatch

    /// The items of a range in the order of their keys.
    ///
    /// An engine may return fewer than `limit`, with `hasMore` set. Without `values` an item's value is empty.
    func items(_ range: KeyRange, in config: ConfigName, limit: Int, values: Bool, consistency: Consistency)
        async throws
        -> ItemPage

    /// The keys whose expiry is not later than a moment, the most overdue first.
    func overdueKeys(in config: ConfigName, at now: Timestamp, limit: Int) async throws -> [Key]

    /// The highest revision in the log that was committed before a moment, or 0.
    func lastRevision(of config: ConfigName, before time: Timestamp) async throws -> Revision

    /// Some leases of a config.
    func leases(_ selection: LeaseSelection, of config: ConfigName) async throws -> [StoredLease]

    /// Changes one lease.
    ///
    /// - Returns: The lease after the change, without its keys; `nil` if the condition did not hold, or if the lease was
    ///   removed.
    func changeLease(_ change: LeaseChange, in config: ConfigName) async throws -> StoredLease?

    /// The cells whose names are in a range, both ends included, in the order of their names, at most `limit`.
    ///
    /// They are strongly consistent. An engine may return fewer than `limit`, but at least one if there is any.
    func cells(of config: ConfigName, from first: String, through last: String, limit: Int) async throws -> [Cell]

    /// Writes a cell, or with `nil` removes it, if the stored cell has the given version; 0 means that there is none.
    ///
    /// - Returns: Whether it had. If a reply was lost, the result may be `false` although this very call has written:
    ///   read the cell.
    func replaceCell(_ name: String, with bytes: [UInt8]?, version: Int64, in config: ConfigName) async throws -> Bool
}

extension StorageEngine {
    /// A description of the store, for people.
    public var description: StorageDescription { traits.description }

    /// The maximum size of one append.
    public var limits: StorageLimits { traits.limits }

    /// The ends of the log, strongly consistent, for a caller that has not seen them.
    public func tail(of config: ConfigName) async throws -> LogTail { try await tail(of: config, knowing: nil) }

    /// Reads the items with their tail; if reads do not return it, the tail is read first, so that no item is older.
    public func basis(for keys: [Key], in config: ConfigName) async throws -> WriteBasis {
        // Before the items, so that they are never older.
        let tail = try await traits.readsTellTail ? nil : tail(of: config)
        let batch = try await items(keys, in: config, consistency: .strong)
        guard let tail = tail ?? batch.tail else {
            throw DiscfgError(
                .internalError, "The store “\(description.name)” does not tell the revision of its reads.")
        }
        return WriteBasis(items: batch.items, tail: tail, isExact: batch.tail == tail)
    }

    /// The commits after a revision, oldest first, strongly consistent, of the current config of that name.
    public func entries(of config: ConfigName, after: Revision, limit: Int) async throws -> [Commit] {
        try await log(of: config, after: after, limit: limit, incarnation: nil, consistency: .strong).commits
    }

    /// The first change to a key after a revision, or `nil` if the key has not changed since; strongly consistent.
    ///
    /// - Throws: The errors of `log`.
    public func firstChange(to key: Key, in config: ConfigName, after: Revision) async throws -> Change? {
        try await history(of: config, selection: .key(key), .after(after), limit: 1).commits.first?.changes.first
    }

    /// The cell of that name, strongly consistent.
    public func cell(_ name: String, in config: ConfigName) async throws -> Cell? {
        try await cells(of: config, from: name, through: name, limit: 1).first
    }

    /// The cells whose names begin with a prefix, in the order of their names, after `after`, at most `limit`.
    ///
    /// They are strongly consistent. An engine may return fewer than `limit`, but at least one if there is any.
    public func cells(of config: ConfigName, prefix: String, after: String?, limit: Int) async throws -> [Cell] {
        // Names are ASCII from “!” to “~”: no name is between a name and that name followed by the character 1, and all
        // names that begin with the prefix are before the prefix followed by the character 127.
        let first = max(prefix, (after ?? "") + "\u{1}")
        return try await cells(of: config, from: first, through: prefix + "\u{7F}", limit: limit)
    }

    /// Appends to the current config of that name.
    public func append(_ commits: [Commit], to config: ConfigName) async throws -> AppendOutcome {
        try await append(commits, to: config, incarnation: nil)
    }
}
