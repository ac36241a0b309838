/// The newest commits of one log, without gaps, as many as fit.
struct CommitWindow: Sendable {
    private static let maximumCount = 4096
    private static let maximumBytes = 8 << 20
    /// How long after a write the eventual reads of a store may still show what was there before it.
    private static let settlingTime: Duration = .seconds(60)

    private struct Entry: Sendable {
        let commit: Commit
        /// When this process learned of it.
        let learned: ContinuousClock.Instant
    }

    private var entries: ArraySlice<Entry> = []
    /// The bytes of keys and values in the commits.
    private(set) var bytes = 0
    /// The bytes of commits that were dropped, and whose memory may not be free yet.
    private var droppedBytes = 0
    /// When this process learned of the newest commit that no longer fits; `nil` if there is none.
    private var newestDropped: ContinuousClock.Instant?

    init() {}

    /// Begins again; that this process knew newer commits than an eventual read may show is kept.
    init(replacing old: CommitWindow) { newestDropped = old.entries.last?.learned ?? old.newestDropped }

    /// The oldest revision that is here; `nil` if there is none.
    var first: Revision? { entries.first?.commit.revision }

    /// The newest commit; `nil` if the window is empty.
    var last: Commit? { entries.last?.commit }

    /// Adds the commit that follows the newest one.
    mutating func append(_ commit: Commit, at instant: ContinuousClock.Instant) {
        entries.append(Entry(commit: commit, learned: instant))
        bytes += commit.weight
        while entries.count > Self.maximumCount || bytes > Self.maximumBytes, let first = entries.popFirst() {
            bytes -= first.commit.weight
            droppedBytes += first.commit.weight
            newestDropped = first.learned
        }
        // What was dropped stays in the memory of the slice until that is copied.
        if entries.startIndex > entries.count || droppedBytes > Self.maximumBytes {
            entries = ArraySlice(Array(entries))
            droppedBytes = 0
        }
    }

    /// The commits beyond a revision; `nil` if not all of them are here, given the revision of the newest.
    func commits(after revision: Revision, through tail: Revision, limit: Int = .max) -> [Commit]? {
        guard revision < tail else { return revision == tail ? [] : nil }
        guard let first, first <= revision + 1 else { return nil }
        let start = entries.endIndex - Int(clamping: tail - revision)
        return entries[start...].prefix(limit).map(\.commit)
    }

    /// Whether an eventual read of these keys may be older than a commit that this process knows.
    func isUnsettled(_ range: KeyRange, at now: ContinuousClock.Instant) -> Bool {
        if isPlanted(.forgetsOwnWrites) { return false }
        let isRecent = { (learned: ContinuousClock.Instant) in now - learned <= Self.settlingTime }
        if let newestDropped, isRecent(newestDropped) { return true }
        return entries.reversed().lazy.prefix { isRecent($0.learned) }
            .contains { entry in entry.commit.changes.contains { range.contains($0.key) } }
    }
}
