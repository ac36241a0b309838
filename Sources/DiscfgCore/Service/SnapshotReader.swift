/// Reads the items of a range as they stood at one revision, on an engine that keeps only the current ones.
///
/// A page that was read at a later revision is put back with the log: the first change to a key since then has kept what the
/// key was. So listings of many pages hold at one revision, however much is written meanwhile.
package struct SnapshotReader {
    /// What the log beyond the revision says of the range, as far as it was read.
    private struct Suffix {
        /// What keys were at the revision, if they changed since.
        var earlier: [Key: Item?] = [:]
        /// The keys that were looked for.
        let range: KeyRange
        /// The revision that is read at; the log was read from here on.
        let start: Revision
        /// The log was read up to here.
        var end: Revision
        var weight = 0
        /// Whether only the keys of one page are kept, because all would take too much memory.
        var isOfOnePage = false

        mutating func note(_ change: Change, values: Bool) {
            let item = values ? change.previous : change.previous?.withoutValue
            earlier[change.key] = .some(item)
            weight += change.key.bytes.count + (item?.weight ?? 0)
        }
    }

    /// The most bytes of earlier items that are kept from one page to the next.
    private static let maximumSuffix = 32 << 20

    private var suffix: Suffix?
    package let engine: any StorageEngine
    let config: ConfigName
    var values: Bool
    let now: Timestamp
    /// Whether everything must be of one moment.
    ///
    /// Stores that tell the tail of each read give that for nothing.
    let isSnapshot: Bool
    /// How a read that need not be of one moment is done.
    let freshness: Consistency

    /// Some items of a range, and where to go on.
    package struct Page {
        package var items: [Item]
        /// `nil` where the items are not of one moment.
        package var revision: Revision?
        /// What is left of the range; `nil` when nothing is.
        package var rest: KeyRange?
    }

    /// Whether something was read at the revision before, so that commits are enough that are kept for watchers.
    private let goesOn: Bool

    package init(
        engine: any StorageEngine, config: ConfigName, values: Bool, now: Timestamp, isSnapshot: Bool,
        goesOn: Bool = false, freshness: Consistency
    ) {
        self.engine = engine
        self.config = config
        self.values = values
        self.now = now
        self.isSnapshot = isSnapshot
        self.goesOn = goesOn
        self.freshness = freshness
    }

    /// One page, at a revision or at the current one; pages of one revision are read in the order of their keys.
    ///
    /// What is overdue is absent from the current state, also if it is read in pages; the past is as the log has it. The log is read
    /// once for all pages, as far as the store has not moved on between them.
    package mutating func page(
        of range: KeyRange, at revision: Revision?, isPaging: Bool = false, limit: Int
    ) async throws -> Page {
        let isRemote = !engine.traits.readsTellTail
        let isLoose = isRemote && !isSnapshot && revision == nil
        // Before the page, so that no item of it is older.
        let before = try await isRemote && !isLoose && revision == nil ? engine.tail(of: config) : nil
        let current = try await engine.items(
            range, in: config, limit: limit, values: values, consistency: isLoose ? freshness : .strong)
        let rest = current.hasMore ? current.items.last.map { range.after($0.key) } : nil
        guard let wanted = revision ?? (current.tail ?? before)?.revision else {
            return Page(items: current.items.filter { !$0.isExpired(at: now) }, revision: nil, rest: rest)
        }
        if !goesOn { try current.tail?.checkReadable(after: wanted) }
        let scanned = KeyRange(from: range.lower, to: rest?.lower ?? range.upper)
        let suffix = try await suffix(of: range, page: scanned, after: wanted, through: current.tail?.revision)
        let earlier = suffix.earlier.filter { scanned.contains($0.key) }
        let unchanged = current.items.filter { earlier[$0.key] == nil }
        let items =
            earlier.isEmpty ? unchanged : (unchanged + earlier.values.compactMap { $0 }).sorted { $0.key < $1.key }
        let isHistory = revision != nil && suffix.end > wanted && !isPaging
        return Page(items: isHistory ? items : items.filter { !$0.isExpired(at: now) }, revision: wanted, rest: rest)
    }

    /// What the keys of a range that changed after a revision were at that revision.
    ///
    /// If the moment of the reading is not known, everything up to now may be in what was read.
    private mutating func suffix(
        of range: KeyRange, page: KeyRange, after revision: Revision, through last: Revision?
    ) async throws -> Suffix {
        let known = suffix.flatMap { $0.start == revision && $0.range.covers(range) ? $0 : nil }
        var suffix = known ?? Suffix(range: range, start: revision, end: revision)
        while suffix.end < last ?? .max {
            let commits = try await commits(after: suffix.end)
            for change in commits.lazy.filter({ $0.revision <= last ?? .max }).flatMap(\.changes)
            where (suffix.isOfOnePage ? page : suffix.range).contains(change.key)
                && suffix.earlier[change.key] == nil
            {
                suffix.note(change, values: values)
            }
            if suffix.weight > Self.maximumSuffix, !suffix.isOfOnePage {
                suffix.earlier = suffix.earlier.filter { page.contains($0.key) }
                suffix.isOfOnePage = true
            }
            guard let newest = commits.last else { break }
            suffix.end = min(newest.revision, last ?? .max)
        }
        self.suffix = suffix.isOfOnePage ? nil : suffix
        return suffix
    }

    /// The commits after a revision; if something was read before, also those that are kept for watchers only.
    private func commits(after revision: Revision) async throws -> [Commit] {
        do {
            return try await engine.entries(of: config, after: revision, limit: 1000)
        } catch let error as DiscfgError where error.code == .compacted && goesOn {
            let log = try await engine.tail(of: config).incarnation
            return try await engine.log(
                of: config, after: revision, limit: 1000, incarnation: log, consistency: .strong
            ).commits
        }
    }

    /// Up to `limit` items of some ranges, without those that stand for directories.
    mutating func listing(of ranges: [KeyRange], at revision: Revision?, limit: Int) async throws -> Listing {
        var items: [Item] = []
        let isCurrent = revision == nil
        var revision = revision
        var (rest, next) = (ranges.first, ranges.dropFirst())
        var weight = 0
        while let range = rest, items.count < limit, weight < ListQuery.maximumBytes {
            let page = try await page(of: range, at: revision, isPaging: isCurrent, limit: limit - items.count)
            items += page.items.filter { !$0.isDirectory }
            weight += page.items.reduce(0) { $0 + $1.value.bytes.count }
            (revision, rest) = (page.revision, page.rest ?? next.popFirst())
        }
        let hasMore = rest != nil || items.count > limit
        let entries = items.prefix(limit).map { Listing.Entry.item($0) }
        return Listing(
            entries: entries, revision: revision, next: hasMore ? entries.last.map(ListCursor.text(after:)) : nil)
    }

    /// Up to `limit` entries of one level: keys, and directories in place of what is below them.
    ///
    /// A directory costs one more read, not one for each key in it: the reader seeks beyond it.
    mutating func level(
        of ranges: [KeyRange], below prefix: [UInt8], at revision: Revision?, limit: Int
    ) async throws -> Listing {
        var entries: [Listing.Entry] = []
        let isCurrent = revision == nil
        var revision = revision
        var (rest, further) = (ranges.first, ranges.dropFirst())
        while let range = rest, entries.count <= limit {
            let page = try await page(
                of: range, at: revision, isPaging: isCurrent,
                limit: min(limit - entries.count + 1, engine.traits.pageLength))
            (revision, rest) = (page.revision, page.rest)
            // The directory itself is not in it.
            for item in page.items where entries.count <= limit && !(item.isDirectory && item.key.bytes == prefix) {
                guard let directory = item.key.directory(below: prefix) else {
                    entries.append(.item(item))
                    continue
                }
                let entry = Listing.Entry.directory(Array(directory))
                if entries.last != entry { entries.append(entry) }
            }
            // The page may end inside a directory: what else is in there is not worth reading.
            if let end = page.items.last?.key.directory(below: prefix)?.prefixEnd, let remaining = rest,
                remaining.lower.lexicographicallyPrecedes(end)
            {
                rest = KeyRange(from: end, to: remaining.upper)
            }
            if rest == nil { rest = further.popFirst() }
        }
        let page = entries.prefix(limit)
        let next = entries.count > limit || rest != nil ? page.last.map(ListCursor.text(after:)) : nil
        return Listing(entries: Array(page), revision: revision, next: next)
    }
}

extension SnapshotReader {
    /// How often a read of the current state starts again because compaction overtook it.
    private static let maximumRestarts = 5

    /// Reads several pages of one revision; from the start again if that revision is compacted meanwhile and the caller named none.
    ///
    /// - Throws: `compacted` if it is overtaken each time, or if the caller named a revision that is gone.
    package static func read<Result>(
        at revision: Revision?, _ body: () async throws -> Result
    ) async throws -> Result {
        if revision == nil {
            for _ in 0..<maximumRestarts {
                do {
                    return try await body()
                } catch let error as DiscfgError where error.code == .compacted {
                    try Task.checkCancellation()
                }
            }
        }
        return try await body()
    }
}

extension Key {
    /// The path, with its trailing `/`, of the directory right below the prefix that the key is in; `nil` when it is in none.
    fileprivate func directory(below prefix: [UInt8]) -> ArraySlice<UInt8>? {
        // The root of paths is their leading slash.
        let start = prefix.isEmpty && bytes.first == UInt8(ascii: "/") ? 1 : prefix.count
        return bytes[start...].firstIndex(of: UInt8(ascii: "/")).map { bytes[...$0] }
    }
}

extension ArraySlice<UInt8> {
    fileprivate var prefixEnd: [UInt8]? { Array(self).prefixEnd }
}
