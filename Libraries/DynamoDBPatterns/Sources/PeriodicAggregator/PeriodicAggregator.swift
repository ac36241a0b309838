#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Collects members under buckets of time, and processes each bucket once when its time is over.
///
/// Any number of processes may collect, and any number may process, each with a value of this type of the same name.
/// A process keeps its value: it remembers which buckets it has seen, and asks for each once.
///
///     let minutes = try PeriodicAggregator<Click, Int>(
///         "clicks", in: table, period: .seconds(60), initial: 0) { $0 += $1.count }
///     try await minutes.collect(click, id: event.id, at: event.time)   // wherever clicks come in
///     try await minutes.runDue { closed in          // once a minute; or `run`, in a service
///         [try put(closed.count, at: closed.bucket.start, into: "ClicksByMinute")]
///     }
///
/// A member is folded once, however often it is delivered and whatever crashes: its identity is its key, folding goes
/// on where the last checkpoint was, and who was taken over is fenced. The members come in no order of time, so what
/// they are folded into must not depend on it.
public struct PeriodicAggregator<Member: Codable & Sendable, Partial: Codable & Sendable>: Sendable {
    /// Which aggregator it is, as part of all its keys.
    public let name: String
    /// The table of the items, which other patterns may share.
    public let table: PatternTable
    let settings: PeriodicSettings
    let initial: Partial
    let fold: @Sendable (inout Partial, Member) throws -> Void
    let keys: BucketKeys
    let known = KnownBuckets()

    /// An aggregator; nothing is asked yet.
    ///
    /// - Parameters:
    ///   - name: 1 to 64 letters, digits, dots, underscores and hyphens.
    ///   - table: Where its items are.
    ///   - period: How long a bucket is, at least a millisecond. Where it is changed, buckets keep what they began
    ///     with, but a member that is delivered before the change and again after it may be in two of them.
    ///   - grace: How long after a bucket's end, by the clock of the process that runs it, it is closed. Members that come
    ///     until then are on time, and the result is that much later. By default a period, and a minute at most.
    ///   - skew: How long before a bucket's end, by the clock of whoever collects, collecting begins to check that the
    ///     bucket is not closed, which costs four units instead of one; with a period of ten seconds, each member does. As long as no clock is wrong by more than
    ///     `skew` and `grace` together, no member is missed; `audit` finds those that were. With a skew of a period or
    ///     more each collecting checks, and nothing rests on clocks.
    ///   - shards: Over how many partitions a bucket is spread, 1 to 1,000. One takes 1,000 members in a second, and
    ///     about 100 while they are checked. May be changed: buckets keep what they began with.
    ///   - late: What is done with members that come after their bucket was closed.
    ///   - lease: After how long without a checkpoint another run takes a bucket over. It has to be longer than folding
    ///     a page and finishing take, at least 3 milliseconds.
    ///   - retention: How long after a bucket was closed its items are kept: how late a member, or its second delivery,
    ///     may come. A bucket that nobody processed by then has lost members.
    ///   - pageSize: After how many members there is a checkpoint, 1 to 10,000.
    ///   - initial: What the first member of a bucket is folded into.
    ///   - fold: Puts a member into what all before it were folded into. What that is has to fit into an item, with
    ///     some room to spare.
    /// - Throws: `PatternError` with code `invalidArgument`.
    public init(
        _ name: String, in table: PatternTable, period: Duration, grace: Duration? = nil,
        skew: Duration = .seconds(10), shards: Int = 4, late: LateMembers = .nextBucket,
        lease: Duration = .seconds(60), retention: Duration = .seconds(14 * 86_400), pageSize: Int = 1000,
        initial: Partial, fold: @escaping @Sendable (inout Partial, Member) throws -> Void
    ) throws(PatternError) {
        try PatternName.check(name, of: "a periodic aggregator")
        settings = PeriodicSettings(
            period: period.milliseconds, grace: (grace ?? min(period, .seconds(60))).milliseconds,
            skew: skew.milliseconds, shards: shards,
            late: late, lease: lease.milliseconds, retention: retention.milliseconds, pageSize: pageSize)
        try settings.check()
        self.name = name
        self.table = table
        self.initial = initial
        self.fold = fold
        keys = BucketKeys(name)
    }

    /// The bucket of a moment; moments before 1970 have none.
    public func bucket(of time: Date) throws(PatternError) -> TimeBucket {
        let moment = time.milliseconds
        guard moment >= 0 else { throw PatternError(.invalidArgument, "There is no bucket before 1970.") }
        return TimeBucket(of: moment, period: settings.period)
    }
}
