/// How a periodic aggregator was set up; durations in milliseconds.
struct PeriodicSettings: Sendable {
    var period: Int64
    var grace: Int64
    var skew: Int64
    var shards: Int
    var late: LateMembers
    var lease: Int64
    var retention: Int64
    var pageSize: Int

    func check() throws(PatternError) {
        func require(_ holds: Bool, _ what: String, _ hint: String) throws(PatternError) {
            guard holds else { throw PatternError(.invalidArgument, what, hint: hint) }
        }
        let longest = Int64(100 * 365 * 86_400) * 1000
        try require((1...longest).contains(period), "A period is too short or too long.", "1 ms to 100 years.")
        try require((0...longest).contains(grace), "The grace is too short or too long.", "0 to 100 years.")
        try require((0...longest).contains(skew), "The skew is too short or too long.", "0 to 100 years.")
        try require((3...longest).contains(lease), "The lease is too short or too long.", "3 ms to 100 years.")
        try require((0...longest).contains(retention), "The retention is too short or too long.", "0 to 100 years.")
        try require((1...1000).contains(shards), "There are too few shards or too many.", "1 to 1,000.")
        try require((1...10_000).contains(pageSize), "The page is too small or too large.", "1 to 10,000.")
    }

    /// Until when a bucket's members are kept, and members may still come.
    func expiry(of bucket: TimeBucket) -> Int64 { bucket.endMilliseconds + grace + retention }

    /// From when on members and what they leave behind may be deleted, in seconds: an hour later than they are needed,
    /// for those whose clocks are behind.
    func memberTimeToLive(_ bucket: TimeBucket) -> Int64 { expiry(of: bucket) / 1000 + 3600 }

    /// From when on what keeps late members out may be deleted, in seconds: a day later than anybody tries to come in.
    func closingTimeToLive(_ bucket: TimeBucket) -> Int64 { expiry(of: bucket) / 1000 + 86_400 }
}
