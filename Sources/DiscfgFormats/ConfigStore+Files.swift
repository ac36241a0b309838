public import DiscfgCore

/// How a file is imported.
public struct ImportRequest: Sendable, Hashable {
    /// The directory below which the keys are put.
    public var prefix: String
    /// Whether keys below the prefix that the file does not have are deleted.
    public var prunes: Bool
    /// The revision that the config must still be at; `nil` if that does not matter.
    public var ifRevision: Revision?
    public var author: String
    /// Why; empty for “import”.
    public var message: String

    public init(
        prefix: String = "/", prunes: Bool = false, ifRevision: Revision? = nil, author: String = "",
        message: String = ""
    ) {
        self.prefix = prefix
        self.prunes = prunes
        self.ifRevision = ifRevision
        self.author = author
        self.message = message
    }
}

/// What an import came to.
public struct ImportOutcome: Sendable {
    /// What was changed, and what was not.
    public var plan: ImportPlan
    /// The config's revision after it.
    public var revision: Revision
    /// How many commits it took: 0 if nothing differed, more than one if the store does not take so much in one.
    public var commits: Int
}

/// What an export came to.
public struct ExportedFile: Sendable {
    /// The file.
    public var bytes: [UInt8]
    /// How many keys are in it.
    public var keys: Int
    /// Keys that a file has no place for, in order: those that are not UTF-8, have an empty segment or end in `/`, and in an export of
    /// `/` those that do not begin with `/`, which an export of `bare:` has.
    public var leftOut: [Key]
    /// How many keys are left out because they have a lease.
    public var leased: Int
}

extension ConfigStore {
    /// The most operations of an import that are committed as one.
    public static var importBatch: Int { 20_000 }
    /// The most bytes of their values, so that a batch fits a request to a server.
    public static var importBatchBytes: Int { 16 << 20 }
    /// How often a plan is made again because others changed what it was made of.
    public static var importAttempts: Int { 10 }

    /// Compares the leaves of a file with what is there, without a change.
    ///
    /// - Throws: `conditionFailed` if the config is not at the revision that the request names.
    public func planImport(of leaves: [Leaf], as request: ImportRequest, in config: ConfigName) async throws
        -> ImportPlan
    {
        let current = try await reading(below: request.prefix, in: config, at: nil)
        if let wanted = request.ifRevision, wanted != current.revision {
            throw DiscfgError(
                .conditionFailed, "The config “\(config)” is at revision \(current.revision), not at \(wanted).",
                hint: "Look at what changed with “discfg diff \(wanted)”, and decide on what you see.")
        }
        let size =
            leaves.reduce(0) { $0 + $1.path.utf8.count + $1.value.bytes.count }
            + current.items.values.reduce(0) { $0 + $1.weight }
        var plan = try await LongWork.run(onBytes: size) { _ throws(DiscfgError) in
            try ImportPlan(
                current: current.items, leaves: leaves, prefix: request.prefix, prune: request.prunes)
        }
        plan.revision = current.revision
        return plan
    }

    /// Imports the leaves of a file: as one commit, unless that is larger than `importBatch` or than the store takes.
    ///
    /// As of the outcome's revision each key that the file has holds what the file says, and with `prunes` there are no others below
    /// the prefix, apart from keys that have a lease: those are left as they are. A commit is created only if nobody else has
    /// changed the keys since they were read; otherwise they are read again.
    /// If there are several commits, a reader between two of them sees a part of the file.
    /// - Parameters:
    ///   - leaves: What the file has.
    ///   - request: Whose import it is, and where to.
    ///   - config: The config.
    ///   - progress: Told how many operations of how many are done.
    /// - Returns: What was changed, the config's revision then, and in how many commits.
    /// - Throws: `DiscfgError`: `conditionFailed` if the config is not at the revision that the request names, `storeUnavailable` if
    ///   others change the keys all the time. If something was committed before an error, the hint says how much; the same import
    ///   goes on from there.
    public func importLeaves(
        _ leaves: [Leaf], as request: ImportRequest, in config: ConfigName,
        progress: (_ done: Int, _ total: Int) async -> Void = { _, _ in }
    ) async throws -> ImportOutcome {
        var interrupted: [(plan: ImportPlan, done: Int)] = []
        var most = Self.importBatch
        var commits = 0
        for _ in 0..<Self.importAttempts {
            var plan = try await planImport(of: leaves, as: request, in: config)
            let selections = try plan.selections(for: request)
            var done = 0
            attempt: while done < plan.operations.count {
                let batch = plan.operations[done...].prefix(most, bytes: Self.importBatchBytes)
                let transaction = Transaction(
                    if: selections.map { .unchanged($0, since: plan.revision) }, then: Array(batch),
                    author: request.author, message: request.message.isEmpty ? "import" : request.message)
                do {
                    let result = try await commit(transaction, to: config)
                    if request.ifRevision != nil { _ = try result.orThrow() }
                    if result.failed != nil { break attempt }
                    plan.revision = result.revision
                    commits += 1
                    done += batch.count
                    await progress(done, plan.operations.count)
                } catch let error as DiscfgError where error.code == .tooLarge && batch.count > 1 {
                    // What is replaced counts too, and only the store knows how large that is.
                    most = batch.count / 2
                } catch let error as DiscfgError {
                    throw error.noting(done, of: plan, after: interrupted.reduce(0) { $0 + $1.done })
                }
            }
            if done == plan.operations.count {
                for earlier in interrupted { plan.include(earlier.plan, operations: earlier.done) }
                return ImportOutcome(plan: plan, revision: plan.revision, commits: commits)
            }
            if done > 0 { interrupted.append((plan, done)) }
        }
        let error = DiscfgError(
            .storeUnavailable, "The keys to import into config “\(config)” change faster than they can be compared.",
            hint: commits == 0 ? "Nothing was written; try again when there is less going on." : nil)
        throw error.noting(0, of: ImportPlan(), after: interrupted.reduce(0) { $0 + $1.done })
    }

    /// The items below a directory as a file, without keys that have a lease.
    ///
    /// - Throws: As `ConfigFormat.bytes` does, but not for keys that are left out.
    public func export(
        as format: ConfigFormat, below prefix: String, in config: ConfigName, at revision: Revision?
    ) async throws -> ExportedFile {
        let directory = try DirectoryPath(prefix)
        let items = try await items(below: prefix, in: config, at: revision)
        var values = items.withoutLeases
        let leased = items.count - values.count
        let leftOut = values.keys.filter { directory.segments(of: $0) == nil }.sorted()
        for key in leftOut { values[key] = nil }
        return ExportedFile(
            bytes: try await format.bytes(of: values, under: prefix.isEmpty ? "/" : prefix), keys: values.count,
            leftOut: leftOut, leased: leased)
    }

    /// Every item below a directory, all at one revision.
    public func items(below prefix: String, in config: ConfigName, at revision: Revision?) async throws -> [Key: Item] {
        try await reading(below: prefix, in: config, at: revision).items
    }

    /// Every item below a directory, and the revision at which all of them stood so.
    ///
    /// It is read from the start again if compaction overtakes it and no revision is named.
    private func reading(
        below prefix: String, in config: ConfigName, at revision: Revision?
    ) async throws -> (items: [Key: Item], revision: Revision) {
        for _ in 0..<5 where revision == nil {
            do {
                return try await pages(below: prefix, in: config, at: nil)
            } catch let error as DiscfgError where error.code == .compacted {
                try Task.checkCancellation()
            }
        }
        return try await pages(below: prefix, in: config, at: revision)
    }

    private func pages(
        below prefix: String, in config: ConfigName, at revision: Revision?
    ) async throws -> (items: [Key: Item], revision: Revision) {
        var items: [Key: Item] = [:]
        var query = ListQuery(
            prefix, isRecursive: true, at: revision, limit: ListQuery.maximumLimit, consistency: .strong)
        while true {
            let page = try await list(query, in: config)
            for item in page.items { items[item.key] = item }
            guard let known = page.revision ?? query.revision else {
                throw DiscfgError(.internalError, "The store does not report the revision of a listing.")
            }
            guard let next = page.next else { return (items, known) }
            (query.after, query.revision) = (next, known)
        }
    }
}

extension [Key: Item] {
    /// The values of the keys that have no lease, which is what an export has.
    ///
    /// A lock, an election or a registration belongs to a process that is alive. Imported again, its key would have no lease and
    /// never end.
    public var withoutLeases: [Key: DiscfgCore.Value] { compactMapValues { $0.lease == nil ? $0.value : nil } }
}

extension DiscfgError {
    /// The error, with a hint about what an import had committed before it.
    fileprivate func noting(_ done: Int, of plan: ImportPlan, after earlier: Int) -> DiscfgError {
        guard done + earlier > 0 else { return self }
        let total = plan.operations.count + earlier
        var error = self
        let rest = "\(done + earlier) of \(total) changes are committed; import again to go on from there."
        error.hint = hint.map { "\($0) \(rest)" } ?? rest
        return error
    }
}

extension ArraySlice<Operation> {
    /// The first of them: at least one, at most so many, with at most so many bytes of values.
    fileprivate func prefix(_ count: Int, bytes: Int) -> ArraySlice<Operation> {
        var (end, weight) = (startIndex, 0)
        while end < endIndex, end - startIndex < count {
            if case .set(_, let value, _) = self[end] { weight += value.bytes.count }
            if weight > bytes, end > startIndex { break }
            end += 1
        }
        return self[..<end]
    }
}

extension [Key: Value] {
    /// The bytes of the keys and values.
    var byteCount: Int { reduce(0) { $0 + $1.key.bytes.count + $1.value.bytes.count } }
}
