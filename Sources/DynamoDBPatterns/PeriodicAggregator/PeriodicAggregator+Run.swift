public import AWSClient
public import Logging

extension PeriodicAggregator {
    /// What is done with a bucket when all of its members are folded; what it returns is written together with the mark
    /// that the bucket is done.
    ///
    /// It is called again, with the same values, when a run ended before that mark was made: what it returns is carried
    /// out exactly once, everything else that it does is to be made so by the idempotency key. A write that it returns
    /// and whose condition fails leaves the bucket undone.
    public typealias Finish = (ClosedBucket<Partial>) async throws -> [TransactWriteItem]

    /// Processes the buckets that are due, the longest overdue first; what a schedule calls once in a period.
    ///
    /// Runs may overlap: a bucket that another run has is left to it. A bucket whose processing fails is taken up again
    /// after its lease, from its last checkpoint.
    ///
    /// Cost: a query for each partition of the index; six requests for the smallest bucket, a dozen for a thousand
    /// members; the article has the units.
    ///
    /// - Parameters:
    ///   - limit: How many buckets at most.
    ///   - finish: What is done with each bucket that has members. Up to 99 writes.
    /// - Returns: The buckets that are done now. As many as `limit` mean that more may be due.
    /// - Throws: The first error, when all buckets were tried: what `fold` and `finish` throw; `PatternError` with code
    ///   `corrupt`, `tooLarge`, `contention` where not all members can be seen yet, or `conflict` where a write of
    ///   `finish` was refused; `AWSError`.
    @discardableResult
    public func runDue(limit: Int = 10, finish: Finish) async throws -> [TimeBucket] {
        var finished: [TimeBucket] = []
        var failure: (any Error)?
        var tried = 0
        let first = Int(table.clock.random() % UInt64(table.duePartitions))
        for number in 0..<table.duePartitions where tried < limit {
            let page = try await table.due(
                of: keys.prefix, partition: (first + number) % table.duePartitions, by: table.clock.milliseconds,
                limit: limit - tried)
            for start in page.keys.compactMap({ keys.start(ofHead: $0.key) }) {
                tried += 1
                do {
                    if let bucket = try await process(startingAt: start, finish: finish) { finished.append(bucket) }
                } catch let error as CancellationError {
                    throw error
                } catch {
                    table.metrics.failed(MetricSubject("periodic", name))
                    failure = failure ?? error
                }
            }
        }
        if let failure { throw failure }
        return finished
    }

    /// Processes what is due, again and again, until its task is cancelled.
    ///
    /// - Parameters:
    ///   - interval: The pause at most when nothing is due, and after a run that failed; a part of it is left to chance.
    ///   - logger: Is told what failed.
    ///   - finish: See `runDue`.
    /// - Throws: `CancellationError`, in the end. Other failures are logged, and tried again.
    public func run(
        every interval: Duration, logger: Logger = Logger(label: "DynamoDBPatterns.PeriodicAggregator"), finish: Finish
    ) async throws {
        try await table.clock.repeatedly(every: interval, logger, ["aggregator.name": "\(name)"]) {
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
