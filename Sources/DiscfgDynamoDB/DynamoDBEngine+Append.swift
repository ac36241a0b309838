import AWSClient
public import DiscfgCore

extension DynamoDBEngine {
    public func basis(for keys: [Key], in config: ConfigName) async throws -> WriteBasis {
        let layout = layout(config)
        guard keys.count < 100 else {
            // The record first, so that no item is older than its tail.
            let record = try await requireRecord(of: config)
            let items = try await items(keys, in: config, consistency: .strong).items
            return WriteBasis(items: items, tail: record.tail(record.hint, record.hintTime), isExact: false)
        }
        let found = try await table.snapshot(of: [layout.record] + keys.map(layout.item))
        let record = try await table.call { try found.first.flatMap { $0 }.map { try StoredConfig($0) } }
        guard let record, !record.isRemoved else {
            known.forget(config)
            throw DiscfgError.noConfig(config)
        }
        known.note(record)
        let items = try await items(in: found.dropFirst().compactMap { $0 }, of: config)
        return WriteBasis(
            items: Dictionary(items.map { ($0.key, $0) }) { first, _ in first },
            tail: record.tail(record.hint, record.hintTime), isExact: false)
    }

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
            try await table.transact(append.actions(table: table.name, announcing: announces))
        } catch let error as AWSError where error.code == .transactionCanceled && !error.isContention {
            guard let outcome = try await outcome(of: error, append, announced: announces) else {
                throw table.translate(error)
            }
            return outcome
        } catch let error as AWSError {
            throw table.translate(error)
        }
        known.update(config, meant) { log in
            (log.isWriting, log.defeats) = (true, 0)
            log.seen = max(log.seen, first.revision + Int64(commits.count) - 1)
        }
        return .appended
    }

    /// What a cancelled transaction means; `nil` where it was cancelled for another reason than who was first.
    private func outcome(of error: AWSError, _ append: Append, announced: Bool) async throws -> AppendOutcome? {
        let reasons = error.cancellationReasons
        let failed = reasons.firstIndex { $0.code == "ConditionalCheckFailed" }
        guard let failed else { return nil }
        let (config, first) = (append.layout.config, append.commits[0])
        if failed == append.actionCount {
            // The config's record is gone, or of another.
            known.forget(config)
            return .replaced
        }
        let winner = failed == 0 ? reasons[0].item : nil
        // Ours, written by a try whose answer was lost.
        if winner?[Name.id]?.string == first.id {
            known.update(config, append.incarnation) { $0.isWriting = true }
            return .appended
        }
        if winner?[Name.end] != nil {
            known.forget(config)
            return .replaced
        }
        guard let winner, winner[Name.stub] == nil else {
            if error.mayHaveTakenEffect { throw table.translate(error) }
            // Only where the log was trimmed there are entries beyond one that is missing, or nothing but stubs.
            try await tail(of: config).checkReadable(after: first.revision - 1, incarnation: append.incarnation)
            return .conflict(newer: [])
        }
        var defeats = 0
        known.update(config, append.incarnation) { log in
            log.defeats += 1
            log.seen = max(log.seen, first.revision)
            defeats = log.defeats
        }
        // So far behind that pages of the log do not end: better begin again at the tail.
        if defeats > 3 { return .conflict(newer: []) }
        let draft = try await table.call { try CommitAttributes.read(winner) }
        var newer = try await resolve([draft], of: config)
        // A writer that was far behind reads the rest at once, instead of being beaten by each.
        if announced || defeats > 1 {
            newer += try await log(
                of: config, after: first.revision, limit: 1000, incarnation: append.incarnation, consistency: .strong
            ).commits
        }
        return .conflict(newer: newer)
    }
}

/// An append, as the actions of one transaction.
private struct Append {
    let commits: [Commit]
    let layout: TableLayout
    let incarnation: String
    private let references: [[UInt8]: BlobReference]
    /// What each changed key is in the end: no item may be written twice.
    private let items: [Key: Item?]

    /// The most bytes of values that stand in all commits, and in all items before smaller ones stand apart too.
    private static let commitBytes = 1 << 20
    private static let itemBytes = 3 << 19
    private let itemLimit: Int

    /// The actions without that which announces the tail.
    var actionCount: Int { commits.count + items.count }

    /// Stores the large values first, so that nothing ever refers to one that is not there.
    init(_ commits: [Commit], to layout: TableLayout, incarnation: String, blobs: BlobStore) async throws {
        self.commits = commits
        self.layout = layout
        self.incarnation = incarnation
        var items: [Key: Item?] = [:]
        for change in commits.flatMap(\.changes) { items[change.key] = .some(change.item) }
        self.items = items
        // A transaction takes 4 MB: what would not fit stands apart, first of the commits, then of the items.
        let budget = min(CommitAttributes.inlineLimit, Self.commitBytes / max(1, commits.count))
        let total = items.values.reduce(0) { $0 + min($1?.value.bytes.count ?? 0, ItemAttributes.inlineLimit) }
        itemLimit = total > Self.itemBytes ? ItemAttributes.inlineLimit / 4 : ItemAttributes.inlineLimit
        var large = commits.reduce(into: Set<[UInt8]>()) { $0.formUnion(CommitAttributes.large(in: $1, limit: budget)) }
        for case let item? in items.values where item.value.bytes.count > itemLimit { large.insert(item.value.bytes) }
        let stored = try await Array(large).concurrently(atMost: 4) {
            try await blobs.store($0, in: layout, incarnation)
        }
        references = Dictionary(uniqueKeysWithValues: zip(large, stored))
    }

    /// First the commits, in order; then the items; then, if so wanted and there is room, where the tail is now.
    func actions(table: String, announcing: Bool) -> [TransactWriteItem] {
        var actions = commits.map { commit in
            TransactWriteItem.put(
                .init(
                    tableName: table,
                    item: CommitAttributes.make(
                        commit, key: layout.entry(commit.revision, incarnation), blobs: references),
                    conditionExpression: "attribute_not_exists(\(Name.partition))",
                    returnValuesOnConditionCheckFailure: .allOld))
        }
        for (key, item) in items { actions.append(action(for: key, item, table: table)) }
        guard announcing, actions.count < 100, let last = commits.last else { return actions }
        return actions + [layout.announcement(of: last, incarnation).action(table: table)]
    }

    private func action(for key: Key, _ item: Item?, table: String) -> TransactWriteItem {
        guard let item else { return .delete(.init(tableName: table, key: layout.item(key))) }
        let isLarge = item.value.bytes.count > itemLimit
        var attributes = ItemAttributes.make(item, blob: isLarge ? references[item.value.bytes] : nil)
        attributes.merge(layout.item(key)) { $1 }
        attributes[Name.log] = .string(incarnation)
        if let text = key.text { attributes[Name.key] = .string(text) }
        if item.expiry != nil { attributes[Name.due] = .string(layout.config.description) }
        return .put(.init(tableName: table, item: attributes))
    }
}

extension TableLayout {
    /// Notes in the config's record where the tail is, for writers that know nothing yet.
    func announcement(of commit: Commit, _ incarnation: String) -> RecordUpdate {
        RecordUpdate(
            key: record, expression: "SET #hint = :n, #hintAt = :t",
            condition: "#log = :log AND attribute_not_exists(#removed)",
            names: [Name.hint, Name.hintTime, Name.log, Name.removed],
            values: [
                ":n": .integer(commit.revision), ":t": .integer(commit.time.milliseconds), ":log": .string(incarnation),
            ])
    }
}
