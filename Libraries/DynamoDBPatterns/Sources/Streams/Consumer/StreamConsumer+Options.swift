#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension StreamConsumer {
    /// How a consumer reads.
    public struct Options: Sendable {
        /// Where consumers start that have no leases yet.
        public var start: Start = .oldest
        /// What this worker is called in leases; with nothing it is random.
        ///
        /// No two may run under one name.
        public var worker: String?
        /// How many records are read at once, from 1 to 1,000; a checkpoint is written for each batch.
        public var batchSize = 100
        /// For how long a shard belongs to a worker that is not heard of.
        ///
        /// Leases are renewed between records, so that one call of the handler has to be shorter than half of it:
        /// otherwise another worker handles the same records at the same time.
        public var lease: Duration = .seconds(30)
        /// How often shards and other workers are looked for.
        public var discoveryInterval: Duration = .seconds(10)
        /// How soon `run()` asks again after nothing was found; twice as long each time, up to the longest.
        public var pollInterval: Duration = .milliseconds(250)
        /// The longest pause after nothing was found.
        public var longestPollInterval: Duration = .seconds(2)
        /// How soon a failure is tried again; twice as long each time, up to the longest.
        public var retryInterval: Duration = .seconds(1)
        /// The longest pause after a failure.
        public var longestRetryInterval: Duration = .seconds(60)
        /// How long `run()` lets the record at work go on after a graceful shutdown began; then its handler is cancelled.
        public var patience: Duration = .seconds(5)
        /// How often a record is tried before it goes to the dead letters; `nil` for ever.
        ///
        /// Without a target for dead letters, it is tried for ever in any case, and its shard waits.
        public var maximumTries: Int? = 10
        /// How old a record may be that fails before it goes to the dead letters; `nil` for any age.
        public var maximumAge: Duration?
        /// Is told that records were lost before they were read; more than once where workers end or change.
        public var onGap: (@Sendable (StreamGap) async -> Void)?

        /// Options of a consumer that starts with the oldest record, and reads 100 records at a time.
        public init() {}
    }

    /// Where a consumer starts that has no leases yet.
    public enum Start: Sendable, Hashable {
        /// With the oldest record that the stream still has.
        case oldest
        /// With what is changed from now on.
        ///
        /// “Now” is when the first worker starts, by its clock; it is written down before anything is read, so that
        /// a crash loses nothing. What was changed before is read once, and passed over.
        case latest
        /// With what is changed from a moment on, to the second.
        case at(Date)
    }
}

/// Records were lost, or may have been, before a consumer had read them: it stood still for too long.
public struct StreamGap: Sendable, Hashable {
    /// How a gap was noticed.
    public enum Cause: Sendable, Hashable {
        /// What follows the checkpoint is not there any more; the shard is read from its oldest record on.
        case trimmed
        /// The shard is gone before it was read to its end.
        case shardGone
        /// The shard was found, or found again without a record that was done, after more than a day.
        case foundLate
    }

    /// The ARN of the stream.
    public var stream: String
    /// The shard in which records are missing.
    public var shardID: String
    /// How the gap was noticed.
    public var cause: Cause
    /// The last record that was done; `nil` if there was none.
    public var after: String?
}
