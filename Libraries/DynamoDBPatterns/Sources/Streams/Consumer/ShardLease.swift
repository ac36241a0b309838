import AWSClient

/// What is written down of a shard: whose it is, and how far it is read.
struct ShardLease: Sendable {
    var shardID: String
    /// Grows whenever the lease changes hands; every write of its owner is on the condition that it has not.
    var fence: Int64
    /// `nil` when it was given up.
    var owner: String?
    /// Until when others leave it alone, in milliseconds since 1970.
    var until: Int64
    /// The last record that is done.
    var checkpoint: String?
    /// How often the record after the checkpoint has failed.
    var failures: Int
    /// When the shard was done; `nil` before.
    var ended: Int64?

    enum Attribute {
        static let fence = "fence"
        static let owner = "owner"
        static let until = "until"
        static let checkpoint = "checkpoint"
        static let failures = "failures"
        static let ended = "ended"
        /// Of the write that took the lease: tells whose it is when that write's answer was lost.
        static let token = "token"
    }

    init?(_ item: StoredItem, shardID: String) {
        guard let fence = item[Attribute.fence]?.int64 else { return nil }
        self.shardID = shardID
        self.fence = fence
        owner = item[Attribute.owner]?.string
        until = item[Attribute.until]?.int64 ?? 0
        checkpoint = item[Attribute.checkpoint]?.string
        failures = item[Attribute.failures]?.int ?? 0
        ended = item[Attribute.ended]?.int64
    }
}

/// A shard that belongs to this worker.
struct OwnedShard: Sendable {
    /// As this worker knows it; `checkpoint` and `failures` may be ahead of what is written down.
    var lease: ShardLease
    /// When to renew the lease.
    var renewal: Int64
    /// Whether the record after the checkpoint is not there any more.
    var isTrimmed = false
    /// The place after `pending`; `nil` if it is not known, or behind the last record.
    var iterator: String?
    /// Whether `pending` is the last that the shard has.
    var isLastPage = false
    /// What is read and not done.
    var pending: [StreamRecord] = []
    /// No sooner is the shard tried again, after a failure.
    var notBefore: Int64 = 0
    /// How often requests for the shard have failed, one after the other.
    var requestFailures = 0
    /// No sooner does `run()` look for records again.
    var idleUntil: Int64 = 0
    var idlePolls = 0
}
