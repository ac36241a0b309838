import AWSClient
public import DiscfgCore

extension DynamoDBEngine {
    /// The config's record and the items, with one `TransactGetItems`; from 100 keys on the tail first, then the items.
    public func basis(for keys: [Key], in config: ConfigName) async throws -> WriteBasis {
        let layout = layout(config)
        guard keys.count < 100 else {
            // The tail is read first, so that no item is older.
            let tail = try await tail(of: config)
            let items = try await items(keys, in: config, consistency: .strong).items
            return WriteBasis(items: items, tail: tail, isExact: false)
        }
        let found = try await table.snapshot(of: [layout.record] + keys.map(layout.item))
        let record = try await table.call { try found.first.flatMap { $0 }.map { try StoredConfig($0) } }
        guard let record, !record.isRemoved else {
            known.forget(config)
            throw DiscfgError.noConfig(config)
        }
        known.note(record)
        let records = found.dropFirst().compactMap { $0 }.filter { $0[Name.log]?.string == record.incarnation }
        let items = try await resolve(try await stored(in: records), of: config)
        return WriteBasis(
            items: Dictionary(items.map { ($0.key, $0) }) { first, _ in first },
            tail: record.tail(record.hint, record.hintTime), isExact: false)
    }

    /// One `TransactWriteItems`: the entries of the log, which must not exist yet, and one write for each changed key.
    public func append(_ commits: [Commit], to config: ConfigName, incarnation: String?) async throws -> AppendOutcome {
        guard let first = commits.first else { return .appended }
        let meant: String
        if let incarnation { meant = incarnation } else { meant = try await requireRecord(of: config).incarnation }
        if known[config]?.incarnation != meant {
            guard try await requireRecord(of: config).incarnation == meant else { return .replaced }
        }
        let trimmed = known[config]?.trimmed ?? 0
        guard first.revision > trimmed else { throw DiscfgError.compacted(first.revision - 1, oldest: max(1, trimmed)) }
        let append = try await Append(commits, to: layout(config), incarnation: meant, blobs: blobs)
        let announces = known[config]?.isWriting != true
        do {
            try await table.transact(append.actions(table: table.name, announcing: announces)) {
                append.isUnsettled($0)
            }
        } catch let error as AWSError where error.code == .transactionCanceled && !error.isContention {
            guard let outcome = try await outcome(of: error, append, announced: announces) else {
                throw append.overflow(error) ?? table.translate(error)
            }
            return outcome
        } catch let error as AWSError {
            throw table.translate(error)
        }
        known.update(config, meant) { ($0.isWriting, $0.defeats) = (true, 0) }
        known.confirm(config, meant)
        recent.settle(commits, of: config, meant)
        if let last = commits.last { known.see(last.revision, at: last.time, of: config, meant) }
        return .appended
    }

    /// The outcome of a cancelled transaction; `nil` if it was cancelled for another reason than a conflict.
    private func outcome(of error: AWSError, _ append: Append, announced: Bool) async throws -> AppendOutcome? {
        let reasons = error.cancellationReasons
        let failed = reasons.firstIndex { $0.code == "ConditionalCheckFailed" }
        guard let failed else { return nil }
        let (config, first) = (append.layout.config, append.commits[0])
        if failed >= append.writeCount, reasons.dropFirst(append.actionCount).first?.code == "ConditionalCheckFailed" {
            // The config's record is gone, or of another incarnation.
            known.forget(config)
            return .replaced
        }
        // A transaction with the first commit's revision is in progress, perhaps this very one; its entry is not
        // visible.
        if reasons[0].code == "TransactionConflict" { throw table.translate(error) }
        // Every condition was checked: the first commit does not exist either, so an earlier attempt with a lost answer
        // has not taken effect.
        if append.writesItem(at: failed) { return .conflict(newer: []) }
        if let lease = append.lease(at: failed) { return .leaseNotFound(lease) }
        let winner = failed == 0 ? reasons[0].item : nil
        // Our own commit, written by an attempt whose answer was lost.
        if winner?[Name.id]?.string == first.id, !isPlanted(.appendsAgain) {
            known.update(config, append.incarnation) { $0.isWriting = true }
            recent.note(
                append.commits.map { CommitAttributes.Draft(commit: $0) }, of: config, append.incarnation)
            return .appended
        }
        if winner?[Name.end] != nil {
            known.forget(config)
            return .replaced
        }
        guard let winner, winner[Name.stub] == nil else {
            if error.mayHaveTakenEffect { throw table.translate(error) }
            // Entries after a missing one, or only stubs, exist only if the log was trimmed.
            try await newest(of: requireRecord(of: config))
                .checkReadable(after: first.revision - 1, incarnation: append.incarnation)
            return .conflict(newer: [])
        }
        var defeats = 0
        known.update(config, append.incarnation) { log in
            log.defeats += 1
            defeats = log.defeats
        }
        known.see(first.revision, at: first.time, of: config, append.incarnation)
        // This writer is so far behind that reading page after page does not reach the tail: start again at the tail.
        if defeats > 3 { return .conflict(newer: []) }
        let draft = try await table.call { try CommitAttributes.read(winner) }
        recent.note([draft], of: config, append.incarnation)
        var newer = try await resolve([draft], of: config)
        // A writer that was far behind reads the rest at once, instead of losing to each commit.
        if announced || defeats > 1 {
            newer += try await log(
                of: config, after: first.revision, limit: 1000, incarnation: append.incarnation, consistency: .strong
            ).commits
        }
        return .conflict(newer: newer)
    }
}
