import AWSClient
public import DiscfgCore

extension DynamoDBEngine {
    /// A page of commits ends when its large values have about this many bytes.
    private static let pageBytes = 16 << 20

    /// The ends of the log, from its record and its newest entries.
    private func wholeTail(of config: ConfigName) async throws -> LogTail {
        var tries = 0
        while true {
            let record = try await requireRecord(of: config)
            let newest = try await newest(of: record)
            let tail = try await settledTail(
                newest.revision, newest.time, of: config, record.incarnation, trimmed: record.trimmed)
            tries += 1
            if tries > Self.endTries { return record.tail(tail.revision, tail.time) }
            let hasGap = tail.revision < newest.revision
            if try await isEnd(tail.revision, hasGap: hasGap, of: config, record.incarnation) {
                return record.tail(tail.revision, tail.time)
            }
        }
    }

    /// One request: as long as there is no entry after the known one, and none is being written, the log ends there.
    ///
    /// Removing a config writes such an entry, too. After ten minutes without a look at the config's record all of it is read.
    public func tail(of config: ConfigName, knowing last: LogTail?) async throws -> LogTail {
        // Also if more was seen: the entries between may be gone since, and nothing after the known one would not mean the end.
        guard let last, let log = known[config], log.incarnation == last.incarnation, log.seen <= last.revision else {
            return try await wholeTail(of: config)
        }
        let next = try await table.snapshot(of: [layout(config).entry(last.revision + 1, last.incarnation)]).first
        return try await next.flatMap(\.self) == nil ? last : wholeTail(of: config)
    }

    /// The newest visible entry of a config whose record was just read.
    ///
    /// Other entries of its transaction may not be visible yet: a caller that evaluates something on the tail uses
    /// `tail(of:)`.
    func newest(of record: StoredConfig) async throws -> LogTail {
        let query = PartitionQuery(
            partition: layout(record.name).log(record.incarnation), isBackward: true, limit: 1,
            attributes: [Name.revision, Name.time, Name.end])
        var newest = try await table.query(query).items?.first
        if newest == nil {
            try await settle(record)
            newest = try await table.query(query).items?.first
        }
        guard newest?[Name.end] == nil else {
            // The record may not be marked yet; after this answer, no reader may find it unmarked.
            try await settle(record)
            known.forget(record.name)
            throw DiscfgError.noConfig(record.name)
        }
        guard let revision = newest?[Name.revision]?.int64, let time = newest?[Name.time]?.int64 else {
            throw table.damage(DamagedRecord("the log of config “\(record.name)” is empty"))
        }
        known.note(record)
        known.see(revision, at: Timestamp(milliseconds: time), of: record.name, record.incarnation)
        return record.tail(revision, Timestamp(milliseconds: time))
    }

    /// Waits for the transaction that creates a config or removes it, if it is in progress.
    ///
    /// The record of a new config can be visible before the first entry of its log; when this returns, both are.
    /// - Throws: `configNotFound` if the config has been removed since its record was read.
    private func settle(_ record: StoredConfig) async throws {
        let layout = layout(record.name)
        let found = try await table.snapshot(of: [layout.record, layout.entry(record.hint, record.incarnation)])
        let attributes = found.first.flatMap(\.self)
        let current = try await table.call { try attributes.map { try StoredConfig($0) } }
        guard let current, !current.isRemoved, current.incarnation == record.incarnation else {
            known.forget(record.name)
            throw DiscfgError.noConfig(record.name)
        }
    }

    /// The known state of a config's log; if there is none, the state in its record.
    func knownLog(of config: ConfigName) async throws -> KnownLogs.Log {
        if let log = known[config] { return log }
        _ = try await requireRecord(of: config)
        guard let log = known[config] else { throw DiscfgError.noConfig(config) }
        return log
    }

    /// One `Query` of up to 1000 entries and 1 MB, with one more for each large value.
    public func log(
        of config: ConfigName, after: Revision, limit: Int, incarnation: String?, consistency: Consistency
    ) async throws -> LogPage {
        for _ in 0..<2 {
            let log = try await knownLog(of: config)
            if let incarnation, incarnation != log.incarnation {
                known.forget(config)
                let tail = try await newest(of: requireRecord(of: config))
                // Whether `after` is trimmed is not checked yet: its commit may be kept.
                try tail.checkReadable(after: max(after, tail.trimmed), incarnation: incarnation)
                continue
            }
            let page = try await page(
                of: config, log, after: after, limit: limit, isFollowing: incarnation != nil, consistency: consistency)
            if let page {
                return page
            }
            // The log has ended: there may be a new config of that name. If not, this waits until the record is marked.
            known.forget(config)
            _ = try await newest(of: requireRecord(of: config))
        }
        throw DiscfgError.noConfig(config)
    }

    /// - Returns: `nil` if the log has ended.
    private func page(
        of config: ConfigName, _ log: KnownLogs.Log, after: Revision, limit: Int, isFollowing: Bool,
        consistency: Consistency, tries: Int = 1
    ) async throws -> LogPage? {
        // If it is not known that `after` exists, it is read too: if nothing follows it, it may never have existed.
        let isVouched = after <= log.seen
        let query = PartitionQuery(
            partition: layout(config).log(log.incarnation), condition: "#s \(isVouched ? ">" : ">=") :a",
            values: [":a": .binary(TableLayout.bytes(of: max(0, after)))],
            limit: max(1, min(limit, 1000)) + (isVouched ? 0 : 1), consistency: consistency)
        let answer = try await table.query(query)
        var records = answer.items ?? []
        if !isVouched, records.first?[Name.revision]?.int64 == after {
            if records.removeFirst()[Name.end] != nil { return nil }
        } else if !isVouched {
            guard try await isReadable(log, of: config, after: after) else { return nil }
        }
        let end = records.firstIndex { $0[Name.end] != nil }
        if let end, end == 0 { return nil }
        let entries = records[..<(end ?? records.endIndex)]
        let found = try await commits(entries, of: config, log.incarnation, following: after, isFollowing)
        if found == nil {
            if consistency == .eventual {
                return try await page(
                    of: config, log, after: after, limit: limit, isFollowing: isFollowing, consistency: .strong)
            }
            guard try await isReadable(log, of: config, after: after) else { return nil }
            // The transaction of the next entries may be in progress. The clocks of its writer and of this process need
            // not agree.
            var isMissing = isPlanted(.gapIsDamage)
            if !isMissing { isMissing = try await isEnd(after, hasGap: true, of: config, log.incarnation) }
            if isMissing {
                // Unless the config has been removed meanwhile.
                guard try await isReadable(log, of: config, after: after) else { return nil }
                throw table.damage(DamagedRecord("the log of config “\(config)” has a gap after revision \(after)"))
            }
            guard tries < Self.endTries else {
                throw DiscfgError(
                    .storeUnavailable, "DynamoDB is still committing revision \(after + 1) of config “\(config)”.",
                    hint: "Try again in a moment.")
            }
            return try await page(
                of: config, log, after: after, limit: limit, isFollowing: isFollowing, consistency: .strong,
                tries: tries + 1)
        }
        let commits = found ?? []
        let last = commits.last?.revision ?? after
        let next = entries.dropFirst(commits.count).first?[Name.revision]?.int64
        // A page that was cut because it is large does not reach the end: its next entry is there.
        if consistency == .strong, answer.lastEvaluatedKey == nil, tries < Self.endTries, next != last + 1,
            try await !isEnd(last, hasGap: next.map { $0 > last + 1 } ?? false, of: config, log.incarnation)
        {
            return try await page(
                of: config, log, after: after, limit: limit, isFollowing: isFollowing, consistency: consistency,
                tries: tries + 1)
        }
        if let last = commits.last { known.see(last.revision, at: last.time, of: config, log.incarnation) }
        return LogPage(commits: commits, tail: commits.last?.revision ?? after, incarnation: log.incarnation)
    }

    /// Whether the log is still that of the config.
    ///
    /// - Throws: `compacted` or `futureRevision` if it is, and the commits after a revision cannot be read.
    private func isReadable(_ log: KnownLogs.Log, of config: ConfigName, after: Revision) async throws -> Bool {
        let tail = try await newest(of: requireRecord(of: config))
        guard tail.incarnation == log.incarnation else { return false }
        try tail.checkReadable(after: after)
        return true
    }

    /// The commits of some records; `nil` if the first is missing, or trimmed and not kept for a reader that follows the log.
    private func commits(
        _ records: ArraySlice<[String: AttributeValue]>, of config: ConfigName, _ incarnation: String,
        following after: Revision, _ isFollowing: Bool
    ) async throws -> [Commit]? {
        var drafts: [CommitAttributes.Draft] = []
        var weight = 0
        for record in records {
            let revision = after + 1 + Int64(drafts.count)
            // The commits before a gap are complete.
            let isThere = record[Name.stub] == nil || (isFollowing && record.isKept)
            guard record[Name.revision]?.int64 == revision, isThere else {
                if drafts.isEmpty { return nil }
                break
            }
            let draft = try await table.call { try CommitAttributes.read(record) }
            drafts.append(draft)
            weight += draft.blobs.reduce(0) { $0 + $1.reference.size }
            if weight >= LogPage.maximumBytes { break }
        }
        recent.note(drafts, of: config, incarnation)
        return try await resolve(drafts, of: config)
    }

    /// Inserts the large values.
    func resolve(_ drafts: [CommitAttributes.Draft], of config: ConfigName) async throws -> [Commit] {
        var commits = drafts.map(\.commit)
        let wanted = Set(drafts.flatMap { $0.blobs.map(\.reference) })
        if wanted.isEmpty { return commits }
        let values = try await blobs.load(wanted, in: layout(config))
        for (index, draft) in drafts.enumerated() {
            for blob in draft.blobs {
                let bytes = values[blob.reference] ?? []
                if blob.isPrevious {
                    commits[index].changes[blob.change].previous?.value.bytes = bytes
                } else {
                    commits[index].changes[blob.change].item?.value.bytes = bytes
                }
            }
        }
        return commits
    }

    /// Reads the log backwards, 1 MB for each `Query`: the table has no index of commits by key.
    public func history(
        of config: ConfigName, selection: KeySelection, _ part: LogPart, limit: Int
    ) async throws -> HistoryPage {
        let limit = max(1, min(limit, 1000))
        return switch part {
        case .through(let last): try await history(of: config, selection, through: last, limit: limit)
        case .after(let revision): try await history(of: config, selection, after: revision, limit: limit)
        }
    }

    private func history(
        of config: ConfigName, _ selection: KeySelection, through last: Revision, limit: Int
    ) async throws -> HistoryPage {
        let log = try await knownLog(of: config)
        var query = PartitionQuery(
            partition: layout(config).log(log.incarnation), condition: "#s <= :a",
            values: [":a": .binary(TableLayout.bytes(of: max(0, last)))], isBackward: true, limit: limit + 1)
        var page = HistoryPage(commits: [], next: nil)
        var weight = 0
        while true {
            let answer = try await table.query(query)
            for record in answer.items ?? [] where record[Name.end] == nil {
                guard record[Name.stub] == nil else { return HistoryPage(commits: page.commits, next: nil) }
                let draft = try await table.call { try CommitAttributes.read(record) }
                page.next = .through(draft.commit.revision - 1)
                let found = try await resolve([draft.selecting(selection)].compactMap(\.self), of: config)
                page.commits += found
                weight += found.reduce(0) { $0 + $1.weight }
                if page.commits.count == limit || weight > Self.pageBytes { return page }
            }
            guard let next = answer.lastEvaluatedKey else { return HistoryPage(commits: page.commits, next: nil) }
            query.start = next
            // A key that changes often is found among the newest; for others the pages grow, up to 1 MB.
            query.limit = query.limit.flatMap { $0 > 1000 ? nil : $0 * 8 }
        }
    }

    private func history(
        of config: ConfigName, _ selection: KeySelection, after revision: Revision, limit: Int
    ) async throws -> HistoryPage {
        var position = revision
        while true {
            let page = try await log(
                of: config, after: position, limit: selection == .all ? limit : 1000, incarnation: nil,
                consistency: .strong)
            guard let last = page.commits.last else { return HistoryPage(commits: [], next: nil) }
            let found = Array(page.commits.lazy.compactMap { $0.selecting(selection) }.prefix(limit))
            position = last.revision
            if found.isEmpty { continue }
            return HistoryPage(commits: found, next: .after(found.count < limit ? position : found[limit - 1].revision))
        }
    }

    /// Finds the revision by a binary search in the log, one `GetItem` for each step.
    public func lastRevision(of config: ConfigName, before time: Timestamp) async throws -> Revision {
        let tail = try await newest(of: requireRecord(of: config))
        let layout = layout(config)
        // The times of a log never decrease, so a binary search finds the revision.
        var (low, high) = (tail.trimmed, tail.revision)
        while low < high {
            let middle = low + (high - low + 1) / 2
            let entry = try await table.get(layout.entry(middle, tail.incarnation), consistency: .strong)
            guard let found = entry?[Name.time]?.int64 else {
                try await newest(of: requireRecord(of: config))
                    .checkReadable(after: middle - 1, incarnation: tail.incarnation)
                throw table.damage(DamagedRecord("revision \(middle) is missing"))
            }
            if found < time.milliseconds { low = middle } else { high = middle - 1 }
        }
        return low > tail.trimmed ? low : 0
    }
}

extension [String: AttributeValue] {
    /// Whether the record is an entry of a log that was trimmed, and still has its commit.
    ///
    /// An older discfg empties a trimmed entry and leaves it marked as kept.
    var isKept: Bool { self[Name.kept] != nil && self[Name.changes] != nil }
}
