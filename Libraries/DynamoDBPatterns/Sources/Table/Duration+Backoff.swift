extension Duration {
    /// How long to wait before a try, counted from 1: by chance, up to 10 ms and twice that for each try, at most 1 s.
    static func conflictBackoff(_ attempt: Int, _ clock: PatternClock) -> Duration {
        .milliseconds(Int64(clock.random() % UInt64(min(10 << min(attempt, 10), 1000))))
    }
}
