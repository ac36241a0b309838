import AWSClient

extension ItemUpdate {
    /// Puts the item into the index of what becomes due, or moves it there.
    mutating func setDue(_ milliseconds: Int64, of key: ItemKey, in table: PatternTable) {
        set(PatternTable.Attribute.duePartition, .string(table.duePartition(of: key)))
        set(PatternTable.Attribute.due, .integer(milliseconds))
    }

    /// Takes the item out of the index.
    mutating func removeDue() {
        remove(PatternTable.Attribute.duePartition)
        remove(PatternTable.Attribute.due)
    }
}

extension PatternTable {
    /// One page of what is due.
    struct DuePage: Sendable {
        var keys: [(key: ItemKey, due: Int64)]
        /// Where the next page starts; `nil` on the last one.
        var next: StoredItem?
    }

    /// The kind and name of a pattern's items, with which their `pk` begins: `A#clicks#`.
    ///
    /// What is due of one pattern is kept apart from that of others by it.
    struct Prefix: Sendable, Hashable {
        var text: String

        init(_ kind: String, _ name: String) { text = "\(kind)#\(name)#" }

        func partition(_ key: String) -> String { text + key }

        /// The rest of a partition's key; `nil` if it belongs to another pattern.
        func key(ofPartition partition: String) -> String? {
            partition.dropping(prefix: text)
        }
    }

    /// The partition of the index in which an item is, which follows from its `pk` alone: `A#clicks#3`.
    func duePartition(of key: ItemKey) -> String {
        let parts = key.partition.utf8.split(
            separator: UInt8(ascii: "#"), maxSplits: 2, omittingEmptySubsequences: false)
        let prefix = parts.count == 3 ? "\(Substring(parts[0]))#\(Substring(parts[1]))#" : key.partition
        return prefix + String(StableHash.of(key.partition) % UInt64(duePartitions))
    }

    /// What a pattern has to do by a moment, the longest overdue first; from the index, which is a little behind.
    ///
    /// - Parameters:
    ///   - prefix: Whose items.
    ///   - partition: Which partition of the index, from 0.
    ///   - moment: Milliseconds since 1970.
    ///   - limit: How many at most.
    ///   - start: The page's start, from the page before.
    /// - Returns: The keys, and where the next page starts.
    /// - Throws: `AWSError`.
    func due(
        of prefix: Prefix, partition: Int, by moment: Int64, limit: Int, from start: StoredItem? = nil
    ) async throws -> DuePage {
        var query = dueQuery(of: prefix, partition: partition, by: moment)
        query.limit = limit
        query.exclusiveStartKey = start
        let answer = try await api.query(query)
        let keys = (answer.items ?? []).compactMap { item in
            ItemKey(of: item).map { (key: $0, due: item[Attribute.due]?.int64 ?? 0) }
        }
        // The first page begins with what is overdue for longest; a list of all says nothing of a worker.
        if start == nil, moment != .max, let subject = MetricSubject(prefix) {
            metrics.late(by: keys.first.map { clock.milliseconds - $0.due } ?? 0, subject)
        }
        return DuePage(keys: keys, next: answer.lastEvaluatedKey)
    }

    /// The query of what is due by a moment, in milliseconds since 1970.
    func dueQuery(of prefix: Prefix, partition: Int, by moment: Int64) -> QueryRequest {
        QueryRequest(
            tableName: name, indexName: Self.dueIndex, keyConditionExpression: "#p = :p AND #d <= :d",
            expressionAttributeNames: ["#p": Attribute.duePartition, "#d": Attribute.due],
            expressionAttributeValues: [":p": .string(prefix.text + String(partition)), ":d": .integer(moment)])
    }
}

/// A hash that is the same in every process, as the standard library's is not: FNV-1a.
enum StableHash {
    static func of(_ text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
