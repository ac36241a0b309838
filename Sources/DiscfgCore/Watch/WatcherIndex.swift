/// Finds the watchers that a commit concerns, without a look at the others.
///
/// Watchers of one key are found by the key, those of a range in a tree of the ranges that anyone watches.
struct WatcherIndex: Sendable {
    private var everything: Set<Int> = []
    private var byKey: [Key: Set<Int>] = [:]
    private var byRange: [KeyRange: Set<Int>] = [:]
    /// The keys of `byRange`.
    private var ranges = RangeTree()

    /// Adds a watcher of some keys.
    mutating func insert(_ id: Int, of selection: KeySelection) {
        if selection == .all {
            everything.insert(id)
            return
        }
        for range in selection.ranges {
            if let key = range.onlyKey {
                byKey[key, default: []].insert(id)
            } else {
                if byRange[range] == nil { ranges.insert(range) }
                byRange[range, default: []].insert(id)
            }
        }
    }

    /// Removes a watcher of some keys.
    mutating func remove(_ id: Int, of selection: KeySelection) {
        if selection == .all {
            everything.remove(id)
            return
        }
        for range in selection.ranges {
            if let key = range.onlyKey {
                byKey[key]?.remove(id)
                if byKey[key]?.isEmpty == true { byKey[key] = nil }
            } else {
                byRange[range]?.remove(id)
                if byRange[range]?.isEmpty == true {
                    byRange[range] = nil
                    ranges.remove(range)
                }
            }
        }
    }

    /// Calls `body` with the watchers that a commit concerns, in no order; with some of them more than once.
    func forEach(concernedBy commit: Commit, _ body: (Int) -> Void) {
        // Also by a commit without changes, such as the first one.
        everything.forEach(body)
        for key in commit.changes.lazy.map(\.key) {
            byKey[key]?.forEach(body)
            ranges.forEach(around: key) { byRange[$0]?.forEach(body) }
        }
    }
}
