import AWSClient
public import DiscfgCore

extension DynamoDBEngine {
    /// A page of items ends when its large values have about this many bytes.
    private static let pageBytes = 16 << 20

    /// One `GetItem`, or `BatchGetItem` for several keys, corrected by what this process knows of newer commits.
    public func items(_ keys: [Key], in config: ConfigName, consistency: Consistency) async throws -> ItemBatch {
        if consistency == .strong { try await readNewestEntries(of: config) }
        let layout = layout(config)
        let records =
            keys.count == 1
            ? try await table.get(layout.item(keys[0]), consistency: consistency).map { [$0] } ?? []
            : try await table.get(Set(keys).map(layout.item), consistency: consistency)
        let incarnation = try await incarnation(of: config, with: records, consistency)
        if consistency == .strong { known.noteItemRead(of: config, incarnation) }
        let found = try await settled(
            try await stored(
                in: records.filter { $0[Name.log]?.string == incarnation || isPlanted(.readsItemsOfOtherLogs) }),
            recent.states(of: keys, in: config, incarnation), of: config, incarnation, consistency)
        let items = try await resolve(found, of: config)
        return ItemBatch(items: Dictionary(items.map { ($0.key, $0) }) { first, _ in first }, tail: nil)
    }

    /// One `Query` for each megabyte, corrected by what this process knows of newer commits; a page has at most 10,000
    /// items.
    public func items(
        _ range: KeyRange, in config: ConfigName, limit: Int, values: Bool, consistency: Consistency
    ) async throws -> ItemPage {
        if consistency == .strong { try await readNewestEntries(of: config) }
        let limit = max(0, limit)
        var rest = range
        while true {
            let (found, end) = try await page(
                of: rest, in: config, limit: max(1, limit), values: values, consistency: consistency)
            guard let end, found.isEmpty else {
                return ItemPage(
                    items: try await resolve(Array(found.prefix(limit)), of: config, values: values),
                    hasMore: end != nil || found.count > limit, tail: nil)
            }
            // No item of this page exists: its keys were removed, or are of a removed config.
            rest = rest.after(end)
        }
    }

    /// The items that one query finds in a range, corrected by recent entries up to the last key of the query.
    ///
    /// `end` is that last key, or `nil` if the range was read to its end.
    private func page(
        of range: KeyRange, in config: ConfigName, limit: Int, values: Bool, consistency: Consistency
    ) async throws -> (found: [StoredItem], end: Key?) {
        // One item more shows whether there are more.
        var query = PartitionQuery(
            partition: layout(config).items, limit: min(limit, 10_000) + 1, consistency: consistency)
        (query.condition, query.values) = range.condition
        if !values { query.attributes = Self.attributesWithoutValue }
        let answer = try await table.query(query)
        let records = (answer.items ?? []).filter { range.contains($0) }
        // The last item found may already be beyond the range.
        let goesOn = answer.lastEvaluatedKey != nil && answer.items?.last.map { range.contains($0) } ?? true
        let incarnation = try await incarnation(of: config, with: records, consistency)
        if consistency == .strong { known.noteItemRead(of: config, incarnation) }
        var page: [[String: AttributeValue]] = []
        var weight = 0
        for record in records where page.count < limit && weight <= Self.pageBytes {
            page.append(record)
            if values { weight += try await table.call { try record.blob?.size ?? 0 } }
        }
        let isCut = page.count < records.count
        let last = isCut || goesOn ? page.last : nil
        let end = try await table.call { try last.map { try ItemAttributes.key($0[Name.sort]) } }
        let seen = KeyRange(from: range.lower, to: end.map { $0.bytes + [0] } ?? range.upper)
        let found = try await settled(
            try await stored(in: page.filter { $0[Name.log]?.string == incarnation }, values: values),
            recent.states(in: seen, of: config, incarnation), of: config, incarnation, consistency)
        return (found.sorted { $0.item.key < $1.item.key }, end)
    }

    private static let attributesWithoutValue: [String] = {
        let names = ItemAttributes.Names.item
        return [
            Name.sort, names.type, names.version, names.created, names.modified, names.time, names.author, names.expiry,
            names.lease, Name.log,
        ]
    }()

    /// The items of some records.
    func stored(in records: [[String: AttributeValue]], values: Bool = true) async throws -> [StoredItem] {
        try await table.call {
            try records.map { try ItemAttributes.read($0, key: ItemAttributes.key($0[Name.sort]), values: values) }
        }
    }

    /// Inserts the large values; without `values` an item's value is empty.
    func resolve(_ found: [StoredItem], of config: ConfigName, values: Bool = true) async throws -> [Item] {
        var found = found
        let wanted = values ? Set(found.compactMap(\.blob)) : []
        let loaded = wanted.isEmpty ? [:] : try await blobs.load(wanted, in: layout(config))
        for index in found.indices {
            if !values {
                found[index].item.value.bytes = []
            } else if let blob = found[index].blob {
                found[index].item.value.bytes = loaded[blob] ?? []
            }
        }
        return found.map(\.item)
    }

    /// Checks that the config exists, after a read that found nothing; reads its record, unless it was read recently.
    private func checkExistence(of config: ConfigName, _ consistency: Consistency) async throws {
        if consistency == .eventual, known[config] != nil { return }
        _ = try await requireRecord(of: config)
    }

    /// One eventually consistent `Query` of the expiry index; at most 1000 keys.
    public func overdueKeys(in config: ConfigName, at now: Timestamp, limit: Int) async throws -> [Key] {
        let limit = max(1, min(limit, 1000))
        let query = PartitionQuery(
            partition: config.description, condition: "#s <= :a", values: [":a": .integer(now.milliseconds)],
            limit: limit + 1, index: (name: TableLayout.expiryIndex, partition: Name.due, sort: Name.expiry))
        let records = try await table.query(query).items ?? []
        let layout = layout(config)
        let items = records.filter { $0[Name.partition]?.string == layout.items }
        if items.isEmpty { try await checkExistence(of: config, .eventual) }
        // In addition to items, the index has only the config's own record, if the config has had leases. A full page
        // may end before that record.
        if items.count < records.count || records.count <= limit {
            known.note(hasLeases: items.count < records.count, of: config)
        }
        return try await table.call {
            let overdue = try items.map { record in
                (expiry: record[Name.expiry]?.int64 ?? 0, key: try ItemAttributes.key(record[Name.sort]))
            }
            return overdue.sorted { ($0.expiry, $0.key) < ($1.expiry, $1.key) }.prefix(limit).map(\.key)
        }
    }
}

extension KeyRange {
    /// The condition on a sort key `#s` that finds the range; a record at either bound is found too.
    ///
    /// DynamoDB refuses bounds that are longer than a key may be, or in the wrong order; a range with the latter is
    /// empty anyway.
    fileprivate var condition: (String?, [String: AttributeValue]) {
        let low = AttributeValue.binary(Array(lower.prefix(Key.maximumLength)))
        guard let upper else { return lower.isEmpty ? (nil, [:]) : ("#s >= :a", [":a": low]) }
        let high = AttributeValue.binary(Array(upper.prefix(Key.maximumLength)))
        if lower.isEmpty { return ("#s <= :b", [":b": high]) }
        if upper.lexicographicallyPrecedes(lower) { return ("#s = :a", [":a": low]) }
        return ("#s BETWEEN :a AND :b", [":a": low, ":b": high])
    }

    /// Whether a record's key is in the range.
    fileprivate func contains(_ record: [String: AttributeValue]) -> Bool {
        record[Name.sort]?.binary.flatMap { try? Key(bytes: $0) }.map { contains($0) } ?? false
    }
}

extension [String: AttributeValue] {
    /// The reference to a large value.
    fileprivate var blob: BlobReference? {
        get throws { try self[Name.blob]?.string.map { try BlobReference($0) } }
    }
}
