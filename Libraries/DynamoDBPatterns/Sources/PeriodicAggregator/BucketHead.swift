import AWSClient

/// The item that says how far a bucket's processing has come; made by the first who collects into the bucket.
///
/// What it says of the layout holds for all: a bucket keeps the end and the shards that it began with.
struct BucketHead: Sendable {
    enum Attribute {
        /// A `WorkState`: open until the bucket is due; once it is done, its partial is the result.
        static let state = "state"
        static let end = "end"
        static let shards = "shards"
        /// How often the bucket was claimed: each write of its processing has the number of its own claim as condition.
        static let fence = "fence"
        /// A token of the claim, by which a claim whose answer was lost knows itself.
        static let owner = "owner"
        static let cursorShard = "cursorShard"
        static let cursorAfter = "cursorAfter"
        static let count = "count"
        static let folds = "folds"
        static let partial = "partial"
    }

    var bucket: TimeBucket
    var shards: Int
    var state: WorkState
    var fence: Int64
    var owner: String?
    /// Where folding goes on; everything before it is in `partial`.
    var cursor: MemberCursor
    /// How many members are in `partial`.
    var count: Int64
    /// How many checkpoints there were that folded members.
    var folds: Int64
    /// `nil` before the first checkpoint.
    var partial: AttributeValue?

    /// The head of a bucket that nobody has processed yet.
    init(open bucket: TimeBucket, shards: Int) {
        self.bucket = bucket
        self.shards = shards
        state = .open
        fence = 0
        cursor = MemberCursor(shard: 0)
        count = 0
        folds = 0
    }

    /// A stored head.
    init(_ item: StoredItem, startingAt start: Int64) throws(PatternError) {
        guard let state = item[Attribute.state]?.string.flatMap(WorkState.init),
            let end = item[Attribute.end]?.int64, end > start, end < 1 << 60,
            let shards = item[Attribute.shards]?.int, shards > 0,
            [Attribute.fence, Attribute.count, Attribute.folds].allSatisfy({
                (0..<Int64.max / 2).contains(item[$0]?.int64 ?? 0)
            })
        else { throw PatternError(.corrupt, "The head of the bucket that starts at \(start) cannot be understood.") }
        bucket = TimeBucket(startMilliseconds: start, endMilliseconds: end)
        self.shards = shards
        self.state = state
        fence = item[Attribute.fence]?.int64 ?? 0
        owner = item[Attribute.owner]?.string
        cursor = MemberCursor(
            shard: item[Attribute.cursorShard]?.int ?? 0, after: item[Attribute.cursorAfter]?.string)
        count = item[Attribute.count]?.int64 ?? 0
        folds = item[Attribute.folds]?.int64 ?? 0
        partial = item[Attribute.partial]
    }

    /// What holds as long as nobody else has claimed the bucket, and it is not done.
    var isStillClaimed: Condition {
        .isRunning(Attribute.state, by: Attribute.fence, .integer(fence))
    }
}
