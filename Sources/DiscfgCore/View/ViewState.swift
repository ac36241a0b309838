/// One config as it stands at a revision of its log, as far as it is known.
///
/// What is known of the items is exact at `tail`: all items of the ranges in `ranges`, all in `items`, and that the keys in
/// `absent` have none. A commit moves all of it to the next revision.
struct ViewState: Sendable {
    /// The end of the log up to which commits were applied.
    private(set) var tail: LogTail
    private(set) var items = SortedItems()
    private var absent: Set<Key> = []
    /// Ranges of which every item is in `items`.
    private var ranges: [KeyRange] = []
    /// The keys of `items` that end, with their ends, and a time before which none ends.
    private var expiries: [Key: Timestamp] = [:]
    private var earliestExpiry: Timestamp?
    /// Whether the key that ended first is gone, so that `earliestExpiry` is to be found again.
    private var lostEarliestExpiry = false
    /// The newest commits up to `tail`.
    private(set) var window = CommitWindow()
    /// The bytes of the keys and values in `items` and `absent`, with what the memory around them takes.
    private(set) var itemWeight = 0

    /// The most ranges that are remembered: each look at a key goes through them.
    private static let maximumRanges = 64
    /// What an item takes in memory beside its key and value, about.
    private static let overhead = 200

    /// A log of which only the end is known; `previous` is what was known before, and is given up.
    init(tail: LogTail, after previous: ViewState? = nil) {
        self.tail = tail
        if let previous { window = CommitWindow(replacing: previous.window) }
    }

    /// The bytes that it takes in memory, about.
    var weight: Int { itemWeight + window.bytes }

    /// The number of keys that are known, with those that are known to be absent.
    var knownCount: Int { items.count + absent.count }

    /// Whether every item of the config is known.
    var isComplete: Bool { covers(.all) }

    /// Whether every item of a range is known.
    func covers(_ range: KeyRange) -> Bool { ranges.contains { $0.covers(range) } }

    /// The item of a key; the inner `nil` if it is known to be absent, the outer one if it is not known.
    func known(_ key: Key) -> Item?? {
        if let item = items[key] { return .some(item) }
        return absent.contains(key) || ranges.contains { $0.contains(key) } ? .some(nil) : nil
    }

    /// The keys whose time is over, in no order.
    func overdueKeys(at now: Timestamp) -> [Key] {
        guard let earliestExpiry, earliestExpiry <= now else { return [] }
        return expiries.filter { $0.value <= now }.map(\.key)
    }

    /// Applies the commits that follow `tail`, in their order; others are skipped.
    ///
    /// - Returns: Whether any was applied.
    @discardableResult
    mutating func apply(_ commits: some Sequence<Commit>, at instant: ContinuousClock.Instant) -> Bool {
        let before = tail.revision
        for commit in commits {
            guard commit.revision == tail.revision + 1 else { continue }
            for change in commit.changes where !isPlanted(.learnsTailOnly) { apply(change) }
            if isPlanted(.appliesTwice), let before = window.last { before.changes.forEach { apply($0) } }
            window.append(commit, at: instant)
            (tail.revision, tail.time) = (commit.revision, commit.time)
        }
        findEarliestExpiry()
        return tail.revision != before
    }

    /// Keys that are not known stay unknown, so that a view of a few keys does not grow by what others write.
    private mutating func apply(_ change: Change) {
        guard known(change.key) != nil else { return }
        note(change.item, of: change.key)
    }

    /// Takes over items as they stand at `tail`; a `nil` is known to be absent.
    mutating func learn(_ items: [Key: Item?], ranges: some Collection<KeyRange>) {
        for (key, item) in items { note(item, of: key) }
        for range in ranges where !covers(range) && (self.ranges.count < Self.maximumRanges || range == .all) {
            self.ranges.removeAll { range.covers($0) }
            self.ranges.append(range)
        }
        findEarliestExpiry()
    }

    /// Takes over all items of the config, as they stand at `tail`.
    mutating func complete(with loaded: ViewState) {
        (items, absent, ranges, itemWeight) = (loaded.items, [], [.all], loaded.itemWeight)
        (expiries, earliestExpiry) = (loaded.expiries, loaded.earliestExpiry)
    }

    /// Forgets the items, and keeps the newest commits.
    mutating func forgetItems() {
        (items, absent, ranges, itemWeight) = (SortedItems(), [], [], 0)
        (expiries, earliestExpiry) = ([:], nil)
    }

    /// Takes over the first revision that can be read.
    mutating func noteTrimmed(_ revision: Revision) { tail.trimmed = max(tail.trimmed, revision) }

    /// Sets or removes an item.
    private mutating func note(_ item: Item?, of key: Key) {
        let old = item.map { items.set($0) } ?? items.remove(key)
        itemWeight += (item.map(Self.weight) ?? 0) - (old.map(Self.weight) ?? 0)
        if item?.expiry != nil || old?.expiry != nil { note(item?.expiry, of: key) }
        if item != nil {
            if absent.remove(key) != nil { itemWeight -= Self.weight(ofAbsent: key) }
        } else if !ranges.contains(where: { $0.contains(key) }), absent.insert(key).inserted {
            itemWeight += Self.weight(ofAbsent: key)
        }
    }

    private mutating func note(_ expiry: Timestamp?, of key: Key) {
        let old = expiries.removeValue(forKey: key)
        expiries[key] = expiry
        if old != nil, old == earliestExpiry { lostEarliestExpiry = true }
        if let expiry { earliestExpiry = min(earliestExpiry ?? expiry, expiry) }
    }

    /// Once for all changes, because it looks at every key that ends.
    private mutating func findEarliestExpiry() {
        guard lostEarliestExpiry else { return }
        earliestExpiry = expiries.values.min()
        lostEarliestExpiry = false
    }

    /// The bytes that an item takes, about.
    static func weight(_ item: Item) -> Int { item.weight + overhead }

    private static func weight(ofAbsent key: Key) -> Int { key.bytes.count + overhead / 4 }
}

extension LogTail {
    /// Whether nothing was appended between the two.
    func isSamePlace(as other: LogTail) -> Bool { revision == other.revision && incarnation == other.incarnation }
}
