/// Reads the items of a range as they stood at one revision, on an engine that keeps only the current ones.
///
/// A page that was read at a later revision is put back with the log: the first change to a key since then has kept what the
/// key was. So listings of many pages hold at one revision, however much is written meanwhile.
struct SnapshotReader {
    let engine: any StorageEngine
    let config: ConfigName
    let values: Bool
    let now: Timestamp

    /// Some items of a range, and where to go on.
    struct Page {
        var items: [Item]
        var revision: Revision
        /// What is left of the range; `nil` when nothing is.
        var rest: KeyRange?
    }

    /// One page, at a revision or at the current one.
    ///
    /// What is overdue is absent from the current state; the past is as the log has it.
    func page(of range: KeyRange, at revision: Revision?, limit: Int) async throws -> Page {
        let current = try await engine.items(range, in: config, limit: limit, values: values, consistency: .strong)
        let rest = current.hasMore ? current.items.last.map { range.after($0.key) } : nil
        let scanned = KeyRange(from: range.lower, to: rest?.lower ?? range.upper)
        guard let revision, revision != current.tail.revision else {
            let items = current.items.filter { !$0.isExpired(at: now) }
            return Page(items: items, revision: current.tail.revision, rest: rest)
        }
        try current.tail.checkReadable(after: revision)
        let items = try await put(current, back: scanned, to: revision)
        return Page(items: items, revision: revision, rest: rest)
    }

    private func put(_ page: ItemPage, back range: KeyRange, to revision: Revision) async throws -> [Item] {
        var earlier: [Key: Item?] = [:]
        var position = revision
        while position < page.tail.revision {
            let commits = try await engine.entries(of: config, after: position, limit: 1000)
            for change in commits.lazy.filter({ $0.revision <= page.tail.revision }).flatMap(\.changes)
            where range.contains(change.key) && earlier[change.key] == nil {
                earlier[change.key] = .some(values ? change.previous : change.previous?.withoutValue)
            }
            guard let last = commits.last else { break }
            position = last.revision
        }
        if earlier.isEmpty { return page.items }
        let unchanged = page.items.filter { earlier[$0.key] == nil }
        return (unchanged + earlier.values.compactMap { $0 }).sorted { $0.key < $1.key }
    }

    /// Up to `limit` items of a range.
    func listing(of range: KeyRange, at revision: Revision?, limit: Int) async throws -> Listing {
        var items: [Item] = []
        var revision = revision
        var rest: KeyRange? = range
        var weight = 0
        while let range = rest, items.count < limit, weight < ListQuery.maximumBytes {
            let page = try await page(of: range, at: revision, limit: limit - items.count)
            items += page.items
            weight += page.items.reduce(0) { $0 + $1.value.bytes.count }
            (revision, rest) = (page.revision, page.rest)
        }
        let hasMore = rest != nil || items.count > limit
        let entries = items.prefix(limit).map { Listing.Entry.item($0) }
        return Listing(
            entries: entries, revision: revision ?? 0, next: hasMore ? entries.last.map(ListCursor.text(after:)) : nil)
    }

    /// Up to `limit` entries of one level: keys, and directories in place of what is below them.
    ///
    /// A directory costs one more read, not one for each key in it: the reader seeks beyond it.
    func level(of range: KeyRange, below prefix: [UInt8], at revision: Revision?, limit: Int) async throws -> Listing {
        var entries: [Listing.Entry] = []
        var revision = revision
        var rest: KeyRange? = range
        while let range = rest, entries.count <= limit {
            let page = try await page(of: range, at: revision, limit: min(limit - entries.count + 1, 100))
            (revision, rest) = (page.revision, page.rest)
            for item in page.items where entries.count <= limit {
                guard let directory = item.key.directory(below: prefix) else {
                    entries.append(.item(item))
                    continue
                }
                let entry = Listing.Entry.directory(String(decoding: directory, as: UTF8.self))
                // By bytes: texts that Unicode calls equivalent are different keys.
                if entries.last.map({ $0.name.utf8.elementsEqual(entry.name.utf8) }) != true { entries.append(entry) }
            }
            // The page may end inside a directory: what else is in there is not worth reading.
            if let end = page.items.last?.key.directory(below: prefix)?.prefixEnd, let remaining = rest,
                remaining.lower.lexicographicallyPrecedes(end)
            {
                rest = KeyRange(from: end, to: remaining.upper)
            }
        }
        let page = entries.prefix(limit)
        let next = entries.count > limit || rest != nil ? page.last.map(ListCursor.text(after:)) : nil
        return Listing(entries: Array(page), revision: revision ?? 0, next: next)
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
