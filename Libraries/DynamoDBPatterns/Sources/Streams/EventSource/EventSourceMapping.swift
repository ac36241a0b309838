/// How Lambda reads a table's stream and wakes a function: the settings of one event source mapping.
///
/// One value is printed into the template that deploys the function, and drives `EventSourceRunner` in tests.
///
/// Two of AWS's own defaults deserve a decision: a failing batch is tried for as long as its records exist, and **blocks
/// its shard for up to 24 hours**; and with a bound, what fails too often is dropped **silently, unless there is a
/// destination for it**.
///
/// Source: the API reference of AWS Lambda, `CreateEventSourceMapping`.
public struct EventSourceMapping: Sendable, Hashable {
    /// Where a stream is read from that was not read before.
    public enum StartingPosition: String, Sendable, Hashable {
        /// From the oldest record on, up to 24 hours back.
        case trimHorizon = "TRIM_HORIZON"
        /// From now on; what was changed before the mapping is ready, which may take minutes, is not seen.
        case latest = "LATEST"
    }

    /// Which records wake the function; `nil`: all.
    public let filter: FilterCriteria?
    /// Where Lambda begins to read a stream for a new mapping.
    public let startingPosition: StartingPosition
    /// How many records the function gets at once, at most.
    public let batchSize: Int
    /// How long records are waited for to fill a batch.
    public let batchingWindow: Duration
    /// How many batches of one shard are worked on side by side; the order for each item is kept.
    public let parallelizationFactor: Int
    /// How often a failed batch is tried again; `nil`: as long as its records exist.
    public let maximumRetryAttempts: Int?
    /// How old a record may be when it is given to the function; `nil`: as old as streams keep them.
    public let maximumRecordAge: Duration?
    /// Whether a failed batch is split, until the record that fails stands alone.
    public let bisectsOnError: Bool
    /// Whether the function says at which record it stopped; without it, Lambda ignores what the function answers.
    public let reportsBatchItemFailures: Bool

    /// Settings, within the limits of Lambda.
    ///
    /// - Parameters:
    ///   - filter: Which records wake the function; `nil`: all.
    ///   - startingPosition: Where a stream is read from that was not read before.
    ///   - batchSize: How many records the function gets at once, from 1 to 10,000; never more than 6 MB.
    ///   - batchingWindow: How long records are waited for to fill a batch, in whole seconds up to 300.
    ///   - parallelizationFactor: How many batches of one shard are worked on side by side, from 1 to 10.
    ///   - maximumRetryAttempts: How often a failed batch is tried again, from 0 to 10,000; `nil`: as long as its
    ///     records exist, which blocks the shard for up to 24 hours.
    ///   - maximumRecordAge: How old a record may be when it is given to the function, in whole seconds from 60 to
    ///     604,800; `nil`: as old as streams keep them.
    ///   - bisectsOnError: Whether a failed batch is split, until the record that fails stands alone.
    ///   - reportsBatchItemFailures: Whether the function answers at which record it stopped, as `StreamProcessor`
    ///     does.
    /// - Throws: `PatternError` with code `invalidArgument` for what is outside of the limits.
    public init(
        filter: FilterCriteria? = nil, startingPosition: StartingPosition = .trimHorizon, batchSize: Int = 100,
        batchingWindow: Duration = .zero, parallelizationFactor: Int = 1, maximumRetryAttempts: Int? = nil,
        maximumRecordAge: Duration? = nil, bisectsOnError: Bool = false, reportsBatchItemFailures: Bool = true
    ) throws(PatternError) {
        try Self.check(batchSize, in: 1...10_000, of: "The batch size")
        try Self.check(try Self.seconds(batchingWindow), in: 0...300, of: "The batching window in seconds")
        try Self.check(parallelizationFactor, in: 1...10, of: "The parallelization factor")
        try Self.check(maximumRetryAttempts ?? 0, in: 0...10_000, of: "The number of retries")
        if let maximumRecordAge {
            try Self.check(try Self.seconds(maximumRecordAge), in: 60...604_800, of: "The age of records in seconds")
        }
        self.filter = filter
        self.startingPosition = startingPosition
        self.batchSize = batchSize
        self.batchingWindow = batchingWindow
        self.parallelizationFactor = parallelizationFactor
        self.maximumRetryAttempts = maximumRetryAttempts
        self.maximumRecordAge = maximumRecordAge
        self.bisectsOnError = bisectsOnError
        self.reportsBatchItemFailures = reportsBatchItemFailures
    }

    private static func check(_ value: Int, in range: ClosedRange<Int>, of what: String) throws(PatternError) {
        guard range.contains(value) else {
            throw PatternError(
                .invalidArgument, "\(what) is \(value).",
                hint: "Lambda takes \(range.lowerBound) to \(range.upperBound).")
        }
    }

    private static func seconds(_ duration: Duration) throws(PatternError) -> Int {
        guard duration.components.attoseconds == 0, let seconds = Int(exactly: duration.components.seconds) else {
            throw PatternError(.invalidArgument, "Lambda takes whole seconds only.")
        }
        return seconds
    }
}
