/// Where configs live: an append-only log for each, and the index of current items that the log implies.
///
/// This is the seam between discfg's rules, which `ConfigService` holds, and the stores. An engine knows nothing of
/// preconditions, expiry, history or watching; it keeps commits in order and items beside them.
///
/// The contract, which `StorageConformance` in DiscfgTestSupport states as tests:
/// - **Atomicity.** `append` writes every commit with the items that they imply, or nothing.
/// - **Durability.** When `append` returns `.appended`, the commits survive the loss of power.
/// - **Freshness.** A read with `.strong` consistency sees every append that was acknowledged before it began, by any
///   process. With `.eventual` each item may be older, but is one that the config had.
/// - **Identity.** A config that is deleted and made anew has another `incarnation`. A caller that names the one it means is
///   never given, and never writes to, another.
/// - **Errors.** An engine throws `DiscfgError`: `configNotFound` when there is no such config, `storeUnavailable` when nothing
///   was written and trying again may help, `outcomeUnknown` when a write may or may not have taken effect,
///   `storeNotWritable` when the store is full or read-only, and `storeUnusable` when it cannot be used at all.
///   It never reports a conflict that it did not see.
/// - **Leases.** An item is newly attached to its lease where the item before it had another, or none. One that keeps its lease can
///   be set whatever has become of that: whoever ends a lease removes the items that still have it.
/// - **Time.** The commits of a log never run backwards in time; the caller sees to it, and an engine may rely on it.
/// - **Cancellation.** A cancelled call may throw `CancellationError` before it changed anything; a write under way is
///   finished.
public protocol StorageEngine: Sendable {
    /// What the store is, for people.
    var description: StorageDescription { get }

    /// What the store is and how it is doing, for people; may ask the store.
    func status() async throws -> StorageDescription

    /// How much one append may carry.
    var limits: StorageLimits { get }

    /// How the store is best used.
    var traits: StorageTraits { get }

    /// Makes a config whose log has the given commit alone; everything before its revision counts as trimmed.
    ///
    /// - Throws: `configExists` when there is one of that name.
    func createConfig(_ name: ConfigName, settings: ConfigSettings, first: Commit) async throws

    /// The config, or `nil` where there is none of that name.
    func config(_ name: ConfigName) async throws -> ConfigRecord?

    /// The configs in the order of their names, beyond `after`, at most `limit`.
    func configs(after: ConfigName?, limit: Int) async throws -> [ConfigRecord]

    /// The names of the configs in their order, beyond `after`, at most `limit`; where a record costs more than its name, also
    /// of configs that are being removed.
    func configNames(after: ConfigName?, limit: Int) async throws -> [ConfigName]

    /// Replaces the settings of a config, if they are still what the caller read.
    ///
    /// - Returns: Whether they were.
    func updateConfig(_ name: ConfigName, settings: ConfigSettings, replacing old: ConfigSettings) async throws -> Bool

    /// Removes a config with all that it holds; `false` where there was none.
    ///
    /// Once nobody can see the config any more, the call does not fail: what is left of it then is for `maintain`.
    func removeConfig(_ name: ConfigName) async throws -> Bool

    /// The ends of the log, strongly consistent.
    func tail(of config: ConfigName) async throws -> LogTail

    /// The ends of the log, strongly consistent, for a caller that has seen them before.
    ///
    /// If the log still ends at `known`, an engine may return that without looking whether the log was trimmed since.
    func tail(of config: ConfigName, knowing known: LogTail?) async throws -> LogTail

    /// Appends commits, whose revisions are `tail + 1`, `tail + 2` and so on, together with the items they imply.
    ///
    /// There is at least one, in the order of their revisions, and they are within `limits`. The first change to a key has as
    /// `previous` the item as the log's tail has it; an engine may refuse commits that were worked out on another with
    /// `.conflict`, which then names no commits.
    /// - Parameters:
    ///   - commits: What to append.
    ///   - config: The config.
    ///   - incarnation: Which config of that name is meant; `nil` for whichever is there.
    /// - Returns: `.conflict` when the first revision is not `tail + 1`, `.replaced` when the config is not the one that is meant,
    ///   `.leaseNotFound` when an item is newly attached to a lease that is not there, or is ending; nothing is written then.
    /// - Throws: `compacted` or `futureRevision` when the writer knows less than what was trimmed, or more than there is; what
    ///   every call throws otherwise.
    func append(_ commits: [Commit], to config: ConfigName, incarnation: String?) async throws -> AppendOutcome

    /// The items of these keys for a writer, with a tail to append after.
    ///
    /// The items are strongly consistent, as they stood at that tail or later. Where finding the tail costs, it may be behind:
    /// the append finds out.
    func basis(for keys: [Key], in config: ConfigName) async throws -> WriteBasis

    /// The commits beyond a revision, oldest first.
    ///
    /// An engine may return fewer than `limit`, but with strong consistency never none while there are some.
    /// - Parameters:
    ///   - config: The config.
    ///   - after: The revision before the first.
    ///   - limit: The most commits.
    ///   - incarnation: Which config of that name is meant; `nil` for whichever is there.
    ///   - consistency: Whether the newest must be there.
    /// - Returns: The commits, without gaps.
    /// - Throws: `compacted` when `after + 1` was trimmed or the config is not the one that is meant, `futureRevision` when
    ///   `after` is beyond the tail. With an incarnation, commits that `trim` has kept are read as if they were not trimmed.
    func log(
        of config: ConfigName, after: Revision, limit: Int, incarnation: String?, consistency: Consistency
    ) async throws -> LogPage

    /// The commits up to a revision, newest first; with a key, only those that changed it, and only that change of each.
    ///
    /// Trimmed commits are left out silently: this is for looking back. Limits are as in `log`.
    func history(of config: ConfigName, key: Key?, through: Revision, limit: Int) async throws -> [Commit]

    /// The first change to a key beyond a revision, or `nil` where it has not changed since, strongly consistent.
    ///
    /// - Throws: As `log`.
    func firstChange(to key: Key, in config: ConfigName, after: Revision) async throws -> Change?

    /// Removes commits up to and with a revision, in small steps; reads of later revisions keep working.
    ///
    /// All of them count as trimmed at once. Those that were committed at `moment` or later are kept for `log` with an
    /// incarnation, which is how readers ask that have seen the log up to there. A later call with a later moment removes them.
    /// - Parameters:
    ///   - config: The config.
    ///   - through: The last revision to trim; with an earlier one than before, what was trimmed before is removed.
    ///   - moment: The time of the oldest commit to keep.
    /// - Returns: Whether everything that was asked for is done; otherwise call again.
    /// - Throws: What every call throws.
    func trim(_ config: ConfigName, through: Revision, keepingSince moment: Timestamp) async throws -> Bool

    /// The items of these keys.
    ///
    /// With strong consistency they are as of every commit that this engine has returned before, or later.
    func items(_ keys: [Key], in config: ConfigName, consistency: Consistency) async throws -> ItemBatch

    /// The items of a range in the order of their keys.
    ///
    /// An engine may return fewer than `limit`, with `hasMore` set. Without `values` an item's value is empty.
    func items(_ range: KeyRange, in config: ConfigName, limit: Int, values: Bool, consistency: Consistency)
        async throws
        -> ItemPage

    /// Keys whose expiry is not later than the given moment, the most overdue first.
    func overdueKeys(in config: ConfigName, at now: Timestamp, limit: Int) async throws -> [Key]

    /// The greatest revision that is in the log and was committed before a moment, or 0.
    func lastRevision(of config: ConfigName, before time: Timestamp) async throws -> Revision

    /// Makes a lease; `false` where there is one of that id, also an ending one.
    func createLease(_ lease: Lease, in config: ConfigName) async throws -> Bool

    /// The lease, strongly consistent; `nil` where there is none of that id.
    func lease(_ id: Int64, in config: ConfigName) async throws -> Lease?

    /// The leases in the order of their ids, also those that are ending, beyond `after`, at most `limit`.
    func leases(of config: ConfigName, after: Int64?, limit: Int) async throws -> [Lease]

    /// Puts off a lease's end until its time to live after `now`; `nil` where there is none of that id, or it is ending.
    ///
    /// Raises the lease's version. No commit comes of it.
    func renewLease(_ id: Int64, in config: ConfigName, at now: Timestamp) async throws -> Lease?

    /// Begins a lease's end: from then on it cannot be renewed, and nothing can be attached to it.
    ///
    /// With `lease` only if the end and the version still are those, so that it was not renewed since; with `nil` in any case.
    /// - Returns: The lease's generation, which tells it from every other lease that ever has its id, if the lease is ending now; also
    ///   if it was before. `nil` otherwise.
    func endLease(_ id: Int64, in config: ConfigName, ifUnchanged lease: Lease?) async throws -> String?

    /// The keys that are attached to a lease, strongly consistent, in no order; there may be some that no longer are.
    ///
    /// - Returns: With a generation `nil` if there is no lease of that id and generation; with `nil` the keys of any lease of that id.
    func keys(of lease: Int64, generation: String?, in config: ConfigName) async throws -> [Key]?

    /// Removes a lease that is ending and whose keys are gone.
    ///
    /// One that is not there, not ending, or of another generation is left alone: the id may have been granted again since.
    func removeLease(_ id: Int64, generation: String?, in config: ConfigName) async throws

    /// All leases that are overdue at a moment, or ending, in no order; where the store is remote, as they were shortly before.
    func overdueLeases(in config: ConfigName, at now: Timestamp) async throws -> [Lease]

    /// The note of that name, strongly consistent.
    func note(_ name: String, in config: ConfigName) async throws -> Note?

    /// The notes whose names begin so, in the order of their names, beyond `after`, at most `limit`; strongly consistent.
    ///
    /// An engine may return fewer than `limit`, but never none while there are some.
    func notes(of config: ConfigName, prefix: String, after: String?, limit: Int) async throws -> [Note]

    /// Writes a note, or with `nil` removes it, if it has the version that the writer knows; 0 means that there is none.
    ///
    /// - Returns: Whether it had. Where a reply was lost on the way, `false` may stand for one's own write: look at the note.
    func replaceNote(_ name: String, with bytes: [UInt8]?, version: Int64, in config: ConfigName) async throws -> Bool

    /// Does what the store needs from time to time: removes what interrupted calls left behind.
    func maintain() async throws
}

extension StorageEngine {
    public func status() async throws -> StorageDescription { description }
    public var traits: StorageTraits { StorageTraits() }
    public func maintain() async throws {}

    public func tail(of config: ConfigName, knowing known: LogTail?) async throws -> LogTail {
        try await tail(of: config)
    }

    public func configNames(after: ConfigName?, limit: Int) async throws -> [ConfigName] {
        try await configs(after: after, limit: limit).map(\.name)
    }

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

    /// The commits beyond a revision, oldest first, strongly consistent, of whichever config has that name.
    public func entries(of config: ConfigName, after: Revision, limit: Int) async throws -> [Commit] {
        try await log(of: config, after: after, limit: limit, incarnation: nil, consistency: .strong).commits
    }

    /// The keys that are attached to any lease of that id.
    public func keys(of lease: Int64, in config: ConfigName) async throws -> [Key] {
        try await keys(of: lease, generation: nil, in: config) ?? []
    }

    /// Removes any lease of that id that is ending.
    public func removeLease(_ id: Int64, in config: ConfigName) async throws {
        try await removeLease(id, generation: nil, in: config)
    }

    /// Appends to whichever config has that name.
    public func append(_ commits: [Commit], to config: ConfigName) async throws -> AppendOutcome {
        try await append(commits, to: config, incarnation: nil)
    }
}
