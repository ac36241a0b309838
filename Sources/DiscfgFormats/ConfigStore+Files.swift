public import DiscfgCore

/// How a file is imported.
public struct ImportRequest: Sendable, Hashable {
    /// The directory below which the keys are put.
    public var prefix: String
    /// Whether keys below the prefix that the file does not have are deleted.
    public var prunes: Bool
    public var author: String
    /// Why; empty for “import”.
    public var message: String

    public init(prefix: String = "/", prunes: Bool = false, author: String = "", message: String = "") {
        self.prefix = prefix
        self.prunes = prunes
        self.author = author
        self.message = message
    }
}

/// What an import came to.
public struct ImportOutcome: Sendable, Hashable {
    /// The config's revision after it.
    public var revision: Revision
    /// How many commits it took: 0 where nothing differed, more than one where the store does not take so much in one.
    public var commits: Int

    public init(revision: Revision, commits: Int) {
        self.revision = revision
        self.commits = commits
    }
}

extension ConfigStore {
    /// The most operations of an import that are committed as one.
    public static var importBatch: Int { 20_000 }
    /// The most bytes of their values, so that a batch fits a request to a server.
    public static var importBatchBytes: Int { 16 << 20 }

    /// Compares the leaves of a file with what is there, without a change.
    public func planImport(of leaves: [Leaf], as request: ImportRequest, in config: ConfigName) async throws
        -> ImportPlan
    {
        let current = try await values(below: request.prefix, in: config, at: nil)
        return try ImportPlan(current: current, leaves: leaves, prefix: request.prefix, prune: request.prunes)
    }

    /// Carries out a plan: as one commit, unless it is larger than `importBatch` or than the store takes.
    ///
    /// - Parameters:
    ///   - plan: What to do; an empty one makes no commit.
    ///   - request: Whose import it is.
    ///   - config: Where.
    ///   - progress: Told how many operations are done.
    /// - Returns: The config's revision then, and in how many commits.
    /// - Throws: `DiscfgError`; the batches before the one that failed are committed, and the hint says how many operations they
    ///   had. A plan that is made anew goes on from there.
    public func carryOut(
        _ plan: ImportPlan, as request: ImportRequest, in config: ConfigName, progress: (Int) async -> Void = { _ in }
    ) async throws -> ImportOutcome {
        var outcome: ImportOutcome?
        var (done, most) = (0, Self.importBatch)
        let message = request.message.isEmpty ? "import" : request.message
        while done < plan.operations.count {
            let batch = plan.operations[done...].prefix(most, bytes: Self.importBatchBytes)
            let transaction = Transaction(then: Array(batch), author: request.author, message: message)
            do {
                let revision = try await commit(transaction, to: config).revision
                outcome = ImportOutcome(revision: revision, commits: (outcome?.commits ?? 0) + 1)
                done += batch.count
                await progress(done)
            } catch let error as DiscfgError where error.code == .tooLarge && batch.count > 1 {
                // What is replaced counts too, and only the store knows how large that is.
                most = batch.count / 2
            } catch var error as DiscfgError where done > 0 {
                let rest =
                    "\(done) of \(plan.operations.count) changes are committed; import again to go on from there."
                error.hint = error.hint.map { "\($0) \(rest)" } ?? rest
                throw error
            }
        }
        if let outcome { return outcome }
        return ImportOutcome(revision: try await self.revision(of: config), commits: 0)
    }

    /// The items below a directory as a file.
    public func export(
        as format: ConfigFormat, below prefix: String, in config: ConfigName, at revision: Revision?
    ) async throws -> [UInt8] {
        try format.bytes(
            of: try await values(below: prefix, in: config, at: revision), under: prefix.isEmpty ? "/" : prefix)
    }

    /// Every value below a directory, all at one revision.
    public func values(below prefix: String, in config: ConfigName, at revision: Revision?) async throws -> [Key: Value]
    {
        var values: [Key: Value] = [:]
        var query = ListQuery(
            prefix, isRecursive: true, at: revision, limit: ListQuery.maximumLimit, consistency: .strong)
        while true {
            let page = try await list(query, in: config)
            for item in page.items { values[item.key] = item.value }
            guard let next = page.next else { return values }
            query.after = next
            query.revision = page.revision
        }
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
