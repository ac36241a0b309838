public import AWSClient
public import Logging

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension PeriodicAggregator {
    /// What is done with a bucket when all of its members are folded; what it returns is written together with the mark
    /// that the bucket is done.
    ///
    /// It is called again, with the same values, when a run ended before that mark was made: what it returns is carried
    /// out exactly once, everything else that it does is to be made so by the idempotency key. A write that it returns
    /// and whose condition fails leaves the bucket undone.
    public typealias Finish = (ClosedBucket<Partial>) async throws -> [TransactWriteItem]

    /// Processes the buckets that are due, the longest overdue first; what a schedule calls once a minute.
    ///
    /// A bucket is due when its `grace` is over, a minute after the end of an hour for example, and not before. A schedule
    /// that calls this at each full hour finds the hour that has just ended not due yet, and processes it an hour later;
    /// with `waiting: .seconds(90)` the same call waits for it. `nextDue()` returns when to call next.
    ///
    /// Runs may overlap: a bucket that another run has is left to it. A bucket whose processing fails is taken up again
    /// after its lease, from its last checkpoint. If the task is cancelled, the bucket is given back: another run goes on
    /// with it at once, from its last checkpoint.
    ///
    /// Cost: a query for each partition of the index, and one more for each wait; six requests for the smallest bucket, a
    /// dozen for a thousand members; the article has the units.
    ///
    /// - Parameters:
    ///   - limit: How many buckets at most.
    ///   - waiting: For how long buckets that become due are waited for. This returns earlier if none does within the time
    ///     that is left.
    ///   - finish: What is done with each bucket that has members. Up to 99 writes.
    /// - Returns: The buckets that are done now. As many as `limit` mean that more may be due.
    /// - Throws: The first error, when all buckets were tried: what `fold` and `finish` throw; `PatternError` with code
    ///   `corrupt`, `tooLarge`, `contention` if not all members can be seen yet, or `conflict` if a write of
    ///   `finish` was refused; `AWSError`; `CancellationError`.
    @discardableResult
    public func runDue(
        limit: Int = 10, waiting: Duration = .zero, finish: Finish
    ) async throws -> [TimeBucket] {
        let end = table.clock.milliseconds + waiting.milliseconds
        var finished = try await runDueNow(limit: limit, finish)
        while finished.count < limit, table.clock.milliseconds < end,
            let next = try await nextDueMilliseconds(), next <= end
        {
            // The index may be behind, and say of one that is done that it is due.
            try await table.clock.sleep(.milliseconds(max(next - table.clock.milliseconds, 250)))
            finished += try await runDueNow(limit: limit - finished.count, finish)
        }
        return finished
    }

    /// When the next bucket becomes due: the end of its period and its grace, or the end of the lease of a run that has
    /// it.
    ///
    /// Cost: a query for each partition of the index, half a unit each.
    ///
    /// - Returns: The time, which is past if a bucket is due already; `nil` if all that was collected is processed. From
    ///   the index, which is a little behind.
    /// - Throws: `AWSError`.
    public func nextDue() async throws -> Date? {
        try await nextDueMilliseconds().map { Date(milliseconds: $0) }
    }

    private func nextDueMilliseconds() async throws -> Int64? {
        var next: Int64?
        for partition in 0..<table.duePartitions {
            let page = try await table.due(of: keys.prefix, partition: partition, by: .max, limit: 1)
            if let due = page.keys.first?.due { next = min(next ?? due, due) }
        }
        return next
    }

    private func runDueNow(limit: Int, _ finish: Finish) async throws -> [TimeBucket] {
        var finished: [TimeBucket] = []
        var failure: (any Error)?
        var tried = 0
        let first = Int(table.clock.random() % UInt64(table.duePartitions))
        for number in 0..<table.duePartitions where tried < limit {
            let page = try await table.due(
                of: keys.prefix, partition: (first + number) % table.duePartitions, by: table.clock.milliseconds,
                limit: limit - tried)
            for start in page.keys.compactMap({ keys.start(ofHead: $0.key) }) {
                try Task.checkCancellation()
                guard !WorkerStop.isAskedFor else { break }
                tried += 1
                do {
                    if let bucket = try await process(startingAt: start, finish: finish) { finished.append(bucket) }
                } catch let error as CancellationError {
                    throw error
                } catch {
                    if !Task.isCancelled { table.metrics.failed(MetricSubject("periodic", name)) }
                    failure = failure ?? error
                }
            }
        }
        if let failure { throw failure }
        return finished
    }

    /// Processes what is due, again and again, until it has to stop.
    ///
    /// It begins no bucket after its service group began to shut down gracefully. The bucket at work may be finished, and
    /// is cancelled when `patience` is over; if the task is cancelled, at once. It is given back then: another run goes on
    /// with it at once, from its last checkpoint.
    ///
    /// - Parameters:
    ///   - interval: The pause at most when nothing is due, and after a run that failed; a part of it is left to chance.
    ///     By default a tenth of a period, from a second to a minute.
    ///   - patience: How long the bucket at work may go on after a graceful shutdown began.
    ///   - logger: Is told what failed.
    ///   - finish: See `runDue`.
    /// - Throws: What ends the pauses of the table's clock; never `CancellationError`. Other failures are logged, and
    ///   tried again.
    public func run(
        every interval: Duration? = nil, patience: Duration = .seconds(5),
        logger: Logger = Logger(label: "DynamoDBPatterns.PeriodicAggregator"),
        finish: @escaping @Sendable (ClosedBucket<Partial>) async throws -> [TransactWriteItem]
    ) async throws {
        let interval = interval ?? min(max(.milliseconds(settings.period / 10), .seconds(1)), .seconds(60))
        try await table.clock.repeatedly(
            every: interval, patience: patience, logger, ["aggregator.name": "\(name)"]
        ) {
            try await !runDue(finish: finish).isEmpty
        }
    }

    /// What a bucket was folded into; `nil` as long as it is not done, and after the retention.
    public func result(of bucket: TimeBucket) async throws -> ClosedBucket<Partial>? {
        guard let head = try await doneHead(of: bucket) else { return nil }
        return closed(head, try partial(of: head))
    }

    func closed(_ head: BucketHead, _ partial: Partial) -> ClosedBucket<Partial> {
        ClosedBucket(
            bucket: head.bucket, count: Int(head.count), partial: partial,
            idempotencyKey: "\(name)/\(head.bucket.text)")
    }

    func partial(of head: BucketHead) throws -> Partial {
        guard let stored = head.partial else { return initial }
        do {
            return try AttributeDecoder().decode(from: stored)
        } catch {
            throw PatternError(
                .corrupt, "What the bucket \(head.bucket.text) of \(name) was folded into cannot be decoded.",
                hint: "Decode what was folded before the type was changed, too.", cause: error)
        }
    }
}
