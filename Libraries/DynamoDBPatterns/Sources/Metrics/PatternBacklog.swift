import AWSClient

/// What a pattern has to do, as its index says, which is a moment behind.
public struct PatternBacklog: Sendable, Hashable {
    /// How many items are due: processes, sets or buckets.
    public var waiting: Int
    /// How long the longest overdue of them is due; `nil` if none is.
    public var overdue: Duration?
    /// How many processes are stuck; 0 for patterns without such.
    public var stuck = 0
    /// How many processes have messages in their outbox that are not sent; 0 for patterns without outbox.
    public var outbox = 0
}

extension Processor {
    /// Counts what is due, stuck and in the outboxes, and sets the gauges of it.
    ///
    /// For a schedule, such as each minute in one process. Costs half a read unit for each 4 KB of keys: some 40 items.
    ///
    /// - Returns: What is waiting.
    /// - Throws: `AWSError`.
    @discardableResult
    public func backlog() async throws -> PatternBacklog {
        var backlog = try await table.backlog(of: prefix)
        backlog.stuck = try await table.count(of: stuckPrefix, partitions: 1, by: .max)
        backlog.outbox = try await table.count(of: outboxPrefix, partitions: table.duePartitions, by: .max)
        let subject = MetricSubject("processor", name)
        table.metrics.set(backlog, subject)
        table.metrics.set(PatternMetrics.Label.stuck, subject, to: Double(backlog.stuck))
        table.metrics.set(PatternMetrics.Label.outbox, subject, to: Double(backlog.outbox))
        return backlog
    }
}

extension Aggregator {
    /// Counts the sets that are due: that have timed out, or whose action did not come to its end; sets the gauges of it.
    ///
    /// For a schedule, such as each minute in one process. Costs half a read unit for each 4 KB of keys: some 40 items.
    ///
    /// - Returns: What is waiting.
    /// - Throws: `AWSError`.
    @discardableResult
    public func backlog() async throws -> PatternBacklog {
        let backlog = try await table.backlog(of: prefix)
        table.metrics.set(backlog, MetricSubject("aggregator", name))
        return backlog
    }
}

extension PeriodicAggregator {
    /// Counts the buckets that are due, and sets the gauges of it.
    ///
    /// For a schedule, such as each minute in one process. Costs half a read unit for each 4 KB of keys: some 40 items.
    ///
    /// - Returns: What is waiting.
    /// - Throws: `AWSError`.
    @discardableResult
    public func backlog() async throws -> PatternBacklog {
        let backlog = try await table.backlog(of: keys.prefix)
        table.metrics.set(backlog, MetricSubject("periodic", name))
        return backlog
    }
}

extension PatternMetrics {
    func set(_ backlog: PatternBacklog, _ subject: MetricSubject) {
        set(Label.waiting, subject, to: Double(backlog.waiting))
        set(Label.overdue, subject, to: Double((backlog.overdue ?? .zero).milliseconds) / 1000)
    }
}

extension PatternTable {
    func backlog(of prefix: Prefix) async throws -> PatternBacklog {
        let now = clock.milliseconds
        var oldest: Int64?
        for partition in 0..<duePartitions {
            let page = try await due(of: prefix, partition: partition, by: now, limit: 1)
            if let due = page.keys.first?.due { oldest = min(oldest ?? .max, due) }
        }
        let waiting = oldest == nil ? 0 : try await count(of: prefix, partitions: duePartitions, by: now)
        return PatternBacklog(waiting: waiting, overdue: oldest.map { .milliseconds(max(now - $0, 0)) })
    }

    /// How many items of the index are due by a moment.
    func count(of prefix: Prefix, partitions: Int, by moment: Int64) async throws -> Int {
        var count = 0
        for partition in 0..<partitions {
            var start: StoredItem?
            repeat {
                var query = dueQuery(of: prefix, partition: partition, by: moment)
                query.select = .count
                query.exclusiveStartKey = start
                let page = try await api.query(query)
                count += page.count ?? 0
                start = page.lastEvaluatedKey
            } while start != nil
        }
        return count
    }
}
