import AWSClient
import DiscfgCore

/// Reads of items and logs that reflect every entry that this process has seen, even if DynamoDB is still committing
/// it.
///
/// `GetItem`, `BatchGetItem` and `Query` are serialisable only for each item. While a transaction is being committed,
/// they may show its entry of the log and not yet its items, or one of its entries and not the previous one.
/// `TransactGetItems` is refused meanwhile, so its result is settled.
extension DynamoDBEngine {
    /// The age, by this process's clock, from which an entry is settled: DynamoDB commits within milliseconds, and
    /// clocks are expected to agree within half a minute.
    static let settlingTime: Duration = .seconds(60)
    /// If the newest entry is not settled, at least this many entries are read, and all of the last seconds.
    private static let newestCount = 16
    private static let newestAge: Duration = .seconds(2)
    private static let mostEntries = 1000

    /// Whether the transaction of an entry may still be in progress.
    func isRecent(_ time: Timestamp) -> Bool { time > options.time.now() - Self.settlingTime }

    /// Reads the newest entries of a log, if it has entries that are not settled and that this process has not read.
    ///
    /// From then on items are compared with them.
    func readNewestEntries(of config: ConfigName) async throws {
        guard let log = known[config], isRecent(log.seenAt),
            recent.lastRead(of: config, log.incarnation) < log.seen
        else { return }
        _ = try await settledTail(log.seen, log.seenAt, of: config, log.incarnation, trimmed: log.trimmed)
    }

    /// The last revision up to which a log has no gap, given its newest entry; the entries that are read are kept in
    /// `recent`.
    ///
    /// A gap means that the transaction of an entry in it is not committed yet. The entries beyond it may be acknowledged.
    func settledTail(
        _ newest: Revision, _ time: Timestamp, of config: ConfigName, _ incarnation: String, trimmed: Revision
    ) async throws -> (revision: Revision, time: Timestamp) {
        let read = recent.lastRead(of: config, incarnation)
        if newest <= read { return (newest, time) }
        guard isRecent(time) else {
            recent.anchor(at: newest, of: config, incarnation)
            return (newest, time)
        }
        // Trimmed entries too: their transactions may still be in progress, and the entries are kept for longer than
        // that.
        let (drafts, reachesLowest) = try await newestEntries(
            read + 1...newest, youngerThan: time - Self.newestAge, of: config, incarnation)
        guard let first = drafts.first?.commit.revision else {
            // The log was emptied up to the tail.
            recent.anchor(at: newest, of: config, incarnation)
            return (newest, time)
        }
        var last = reachesLowest && read > trimmed ? (revision: read, time: time) : (revision: first - 1, time: time)
        var count = 0
        for draft in drafts {
            // Only a gap before a recent entry is a transaction that is being committed. Readers of the log handle
            // other gaps.
            guard draft.commit.revision == last.revision + 1 || !isRecent(draft.commit.time) else { break }
            last = (draft.commit.revision, draft.commit.time)
            count += 1
        }
        recent.note(drafts.prefix(count), of: config, incarnation, isAnchor: true)
        return last
    }

    /// The newest entries among some revisions, oldest first: at least some, and all that are younger than a moment.
    ///
    /// - Returns: The visible entries, and whether there is no entry below them in the range.
    private func newestEntries(
        _ revisions: ClosedRange<Revision>, youngerThan moment: Timestamp, of config: ConfigName, _ incarnation: String
    ) async throws -> (drafts: [CommitAttributes.Draft], reachesLowest: Bool) {
        var query = PartitionQuery(
            partition: layout(config).log(incarnation), condition: "#s BETWEEN :a AND :b",
            values: [
                ":a": .binary(TableLayout.bytes(of: revisions.lowerBound)),
                ":b": .binary(TableLayout.bytes(of: revisions.upperBound)),
            ], isBackward: true, limit: Self.newestCount)
        var drafts: [CommitAttributes.Draft] = []
        while true {
            let answer = try await table.query(query)
            for record in answer.items ?? [] where record[Name.end] == nil {
                // All lower entries were emptied.
                if record[Name.stub] != nil, !record.isKept { return (drafts.reversed(), false) }
                drafts.append(try await table.call { try CommitAttributes.read(record) })
            }
            guard let next = answer.lastEvaluatedKey else { return (drafts.reversed(), true) }
            let isEnough = drafts.last.map { $0.commit.time < moment } ?? false
            if isEnough || drafts.count >= Self.mostEntries { return (drafts.reversed(), false) }
            (query.start, query.limit) = (next, 100)
        }
    }

    /// The maximum number of attempts to find the end of a log while others write.
    static let endTries = 10

    /// Whether the log ends with a revision, so that no item that was read before is of a later one.
    ///
    /// An item can be visible before its entry. While the next entry is being written, `TransactGetItems` is refused,
    /// so this call waits for it. As soon as the entry exists, reads of the items next to it are current too, or are
    /// refused likewise. If there is no gap and no item was read before, no request is needed.
    /// - Parameters:
    ///   - revision: The last revision before which no entry is missing.
    ///   - hasGap: Whether a later entry is visible. It may be acknowledged although the one before it is still being committed.
    ///   - config: The config.
    ///   - incarnation: The incarnation of the config.
    /// - Returns: Whether there is no entry after the revision.
    /// - Throws: `DiscfgError`, or `CancellationError`.
    func isEnd(
        _ revision: Revision, hasGap: Bool, of config: ConfigName, _ incarnation: String
    ) async throws -> Bool {
        let read = known.unsettledItemRead(of: config, incarnation)
        guard read != nil || hasGap else { return true }
        let next = try await table.snapshot(of: [layout(config).entry(revision + 1, incarnation)]).first
        let isEnd = next.flatMap { $0 }.map { $0[Name.end] != nil } ?? true
        // Only now: another call during the request must check for itself.
        if isEnd, let read { known.settleItemReads(through: read, of: config, incarnation) }
        return isEnd
    }

    /// The incarnation of the config of which records were read.
    ///
    /// The records of a removed config remain until they are purged. So the config's record is read if records have
    /// another incarnation than the known one, if the config is not known, or if nothing was found.
    /// - Throws: `configNotFound`.
    func incarnation(
        of config: ConfigName, with records: [[String: AttributeValue]], _ consistency: Consistency
    ) async throws -> String {
        if let log = known.logForReads(of: config), consistency == .eventual || !records.isEmpty,
            records.allSatisfy({ $0[Name.log]?.string == log.incarnation })
        {
            return log.incarnation
        }
        return try await requireRecord(of: config).incarnation
    }

    /// Items corrected by recent entries: an entry that is newer than its item replaces the item.
    ///
    /// A key that an entry sets and that is absent was either removed since, or is not committed yet. A strongly consistent read
    /// finds out with `TransactGetItems`, which waits for the transaction.
    func settled(
        _ found: [StoredItem], _ states: [Key: RecentEntries.State], of config: ConfigName, _ incarnation: String,
        _ consistency: Consistency
    ) async throws -> [StoredItem] {
        // Either this or the conditions of writes prevents lost updates, so the defect is planted in both.
        if states.isEmpty || isPlanted(.ignoresNewestEntries) || isPlanted(.writesItemsUnconditionally) { return found }
        var items = Dictionary(found.map { ($0.item.key, $0) }) { first, _ in first }
        var unclear: [Key] = []
        for (key, state) in states {
            if let item = items[key]?.item {
                if item.modified < state.revision { items[key] = state.item }
            } else if state.item != nil {
                unclear.append(key)
            }
        }
        if consistency == .strong {
            for item in try await settledItems(unclear, of: config, incarnation) { items[item.item.key] = item }
        }
        return Array(items.values)
    }

    /// Items after all transactions with them that are now in progress.
    func settledItems(_ keys: [Key], of config: ConfigName, _ incarnation: String) async throws -> [StoredItem] {
        var items: [StoredItem] = []
        var rest = keys[...]
        while !rest.isEmpty {
            let records = try await table.snapshot(of: rest.prefix(100).map(layout(config).item))
            items += try await stored(in: records.compactMap { $0 }.filter { $0[Name.log]?.string == incarnation })
            rest = rest.dropFirst(100)
        }
        return items
    }

    /// Keys that were ever attached to a lease that is ending, once every transaction that attached one is settled.
    ///
    /// After the end has begun nothing can be attached; but an item that was attached just before may not be visible yet, nor may
    /// the entry of the log that set it. Both are when this returns.
    func settledKeys(_ keys: [Key], of config: ConfigName, _ incarnation: String) async throws -> [Key] {
        let newest = try await settledItems(keys, of: config, incarnation).map(\.item.modified).max() ?? 0
        if recent.lastRead(of: config, incarnation) >= newest { return keys }
        // Waits for the transaction whose item is visible.
        _ = try await table.snapshot(of: [layout(config).entry(newest, incarnation)])
        for _ in 0..<50 {
            if try await tail(of: config).revision >= newest { return keys }
            try await options.time.sleep(.milliseconds(options.time.random(in: 5...20)))
        }
        throw DiscfgError(
            .storeUnavailable, "DynamoDB has not committed revision \(newest) of config “\(config)” yet.",
            hint: "Try again in a moment; nothing was removed.")
    }
}
