import AWSClient

/// The items of a consumer in its table: the leases, its workers and its beginning, all in one partition.
///
/// | `sk` | attributes |
/// | :-- | :-- |
/// | `beginning` | `since`, `time`, `closed` |
/// | `shard#<id>` | see `ShardLease.Attribute` |
/// | `worker#<name>` | `until` |
struct LeaseStore: Sendable {
    let table: PatternTable
    let partition: String
    let worker: String
    let lease: Int64
    /// How long a worker counts that is not heard of: it says so when it looks for shards.
    let presence: Int64
    /// How long the lease of a shard that is done is kept: longer than DynamoDB lists the shard.
    static let retention: Int64 = 3 * 86_400_000
    private static let kind = "L"

    /// The items of one stream's consumer.
    init(table: PatternTable, name: String, stream: String, worker: String, options: StreamConsumer.Options) {
        self.table = table
        // A table that is made anew has a new stream, with shards of its own.
        let key = StreamName(stream).map { "\($0.table)/\($0.label)" } ?? stream
        partition = PatternTable.Prefix(Self.kind, name).partition(key)
        self.worker = worker
        lease = max(options.lease.milliseconds, 1000)
        presence = max(lease, 3 * options.discoveryInterval.milliseconds)
    }

    /// The consumer's beginning, which the first worker writes down before anybody reads.
    struct Beginning: Sendable {
        /// Changes before this are passed over; milliseconds since 1970.
        var since: Int64?
        /// When it was written down.
        var time: Int64
        /// Shards that ended before that, and hold nothing that is to be read.
        var closed: Set<String>
    }

    /// All that is written down, read at one time.
    struct Snapshot: Sendable {
        var beginning: Beginning?
        var leases: [String: ShardLease] = [:]
        /// Until when each worker counts.
        var workers: [String: Int64] = [:]
    }

    private enum Sort {
        static let beginning = "beginning"
        static let shard = "shard#"
        static let worker = "worker#"
    }

    private enum Attribute {
        static let since = "since"
        static let time = "time"
        static let closed = "closed"
    }

    private func key(_ sort: String) -> ItemKey { ItemKey(partition: partition, sort: sort) }
    func key(ofShard id: String) -> ItemKey { key(Sort.shard + id) }

    /// Whether a record is of a consumer's items, were it another consumer.
    func wrote(_ record: StreamRecord, in stream: String) -> Bool {
        table.hasWritten(record, in: stream, kind: Self.kind, sorts: [Sort.beginning, Sort.shard, Sort.worker])
    }

    /// Reads everything; strongly consistent.
    func snapshot() async throws -> Snapshot {
        var snapshot = Snapshot()
        var start: StoredItem?
        for _ in 0..<1000 {
            let page = try await table.api.query(
                QueryRequest(
                    tableName: table.name, keyConditionExpression: "#p = :p",
                    expressionAttributeNames: ["#p": PatternTable.Attribute.partition],
                    expressionAttributeValues: [":p": .string(partition)], consistentRead: true,
                    exclusiveStartKey: start))
            for item in page.items ?? [] { snapshot.add(item) }
            start = page.lastEvaluatedKey
            if start == nil { return snapshot }
        }
        throw PatternError(.tooLarge, "The consumer has more leases than can be read.")
    }

    /// Writes the consumer's beginning down, unless another worker has.
    ///
    /// - Returns: The one that holds.
    func begin(_ beginning: Beginning) async throws -> Beginning {
        let key = key(Sort.beginning)
        var item = key.attributes
        item[Attribute.since] = beginning.since.map { .integer($0) }
        item[Attribute.time] = .integer(beginning.time)
        item[Attribute.closed] = beginning.closed.isEmpty ? nil : .stringSet(beginning.closed.sorted())
        switch try await table.carryOut(table.put(item, if: .absent(PatternTable.Attribute.partition))) {
        case .done: return beginning
        case .refused(let item, _): return item.flatMap(Beginning.init) ?? beginning
        }
    }

    /// Tells the others that they are not alone.
    func attend(until: Int64) async throws {
        var item = key(Sort.worker + worker).attributes
        item[ShardLease.Attribute.until] = .integer(until)
        item[PatternTable.Attribute.timeToLive] = .integer(until / 1000 + 3600)
        _ = try await table.carryOut(table.put(item, if: nil))
    }

    /// Tells the others that they need not count on this worker.
    func leave() async throws { _ = try await table.carryOut(table.delete(key(Sort.worker + worker), if: nil)) }
}

extension LeaseStore.Beginning {
    init?(_ item: StoredItem) {
        guard let time = item[LeaseStore.Attribute.time]?.int64 else { return nil }
        self.init(
            since: item[LeaseStore.Attribute.since]?.int64, time: time,
            closed: Set(item[LeaseStore.Attribute.closed]?.stringSet ?? []))
    }
}

extension LeaseStore.Snapshot {
    fileprivate mutating func add(_ item: StoredItem) {
        let sort = item[PatternTable.Attribute.sort]?.string ?? ""
        if sort == LeaseStore.Sort.beginning {
            beginning = .init(item)
        } else if sort.hasPrefix(LeaseStore.Sort.shard) {
            let id = String(sort.dropFirst(LeaseStore.Sort.shard.count))
            leases[id] = ShardLease(item, shardID: id)
        } else if sort.hasPrefix(LeaseStore.Sort.worker) {
            workers[String(sort.dropFirst(LeaseStore.Sort.worker.count))] = item[ShardLease.Attribute.until]?.int64 ?? 0
        }
    }
}
