import DiscfgCore
import GRDB

/// The columns of a change in a row of `changes`.
enum ChangeColumns {
    /// Key, kind, the item after the change and the item before.
    static let selection =
        "c.key, c.kind, " + ItemColumns.selection(of: "c", blobs: "b") + ", "
        + ItemColumns.selection(of: "c", prefix: "previous_", blobs: "p")

    static let insertion: String = {
        let names = ItemColumns.names + ItemColumns.names.map { "previous_" + $0 }
        let marks = Array(repeating: "?", count: names.count + 4).joined(separator: ", ")
        return "INSERT INTO changes(config, revision, key, kind, \(names.joined(separator: ", "))) VALUES(\(marks))"
    }()

    static let blobs = "LEFT JOIN blobs b ON b.digest = c.digest LEFT JOIN blobs p ON p.digest = c.previous_digest"

    static func source(indexedBy index: String) -> String { "changes c INDEXED BY \(index) \(blobs)" }

    static func read(_ row: Query, from start: Int32) throws -> Change {
        let key = try ItemColumns.key(row, start)
        guard let kind = Change.Kind(rawValue: row.text(start + 1)) else {
            throw DamagedRow(what: "a change of key “\(key)” is of no known kind")
        }
        let item = try ItemColumns.read(row, from: start + 2, key: key)
        guard (item != nil) == (kind == .set) else {
            throw DamagedRow(what: "a change of key “\(key)” has no item, or one too many")
        }
        let previous = try ItemColumns.read(row, from: start + 2 + ItemColumns.count, key: key)
        return Change(kind: kind, key: key, item: item, previous: previous)
    }
}

extension Database {
    /// A page of commits ends when it has this many bytes of keys and values.
    private static var pageBytes: Int { LogPage.maximumBytes }

    private static let logColumns = "l.revision, l.id, l.time, l.author, l.message"

    private static let commits = """
        SELECT \(logColumns), \(ChangeColumns.selection)
        FROM log l LEFT JOIN changes c ON c.config = l.config AND c.revision = l.revision \(ChangeColumns.blobs)
        WHERE l.config = ? AND l.revision > ? AND l.revision <= ?
        """
    private static let oldestFirst = commits + " ORDER BY l.revision, c.key"
    private static let newestFirst = commits + " ORDER BY l.revision DESC, c.key"

    /// The commits after a revision, oldest first: at least one, if there is any.
    func commits(of config: ConfigHead, after: Revision, limit: Int) throws -> [Commit] {
        let last = min(config.tail.revision, after.addingReportingOverflow(Int64(clamping: limit)).partialValue)
        guard limit > 0, after < last else { return [] }
        var query = try query(Self.oldestFirst)
        query.bind(config.id)
        query.bind(after)
        query.bind(last)
        return try collect(query, expecting: after + 1, step: 1, through: last)
    }

    /// The commits from one revision down to another, which is not included.
    func commits(of config: ConfigHead, newest: Revision, downTo oldest: Revision) throws -> [Commit] {
        var query = try query(Self.newestFirst)
        query.bind(config.id)
        query.bind(oldest)
        query.bind(newest)
        return try collect(query, expecting: newest, step: -1, through: oldest + 1)
    }

    /// The commits that changed a selected key, newest first, with those changes alone.
    func history(
        of selection: KeySelection, in config: ConfigHead, through: Revision, limit: Int
    ) throws -> HistoryPage {
        // Each range has its newest commits, so that the newest of all of them are among these.
        let candidates = try selection.ranges.flatMap {
            try self.revisions(of: $0, in: config, through: through, limit: limit)
        }
        let newest = Set(candidates).sorted(by: >).prefix(limit)
        var commits: [Commit] = []
        var weight = 0
        for revision in newest where weight < Self.pageBytes {
            let commit = try self.commit(revision, of: config, selection: selection)
            weight += commit.weight
            commits.append(commit)
        }
        let isLast = commits.count == newest.count && commits.count < limit
        return HistoryPage(commits, isLast: isLast, trimmed: config.tail.trimmed)
    }

    /// Of a range, the newest commits are looked through before the index: a range that changes often has most of the
    /// index, which is in the order of the keys.
    private static var newestCount: Int64 { 256 }

    /// The newest revisions that changed a key of a range.
    private func revisions(
        of range: KeyRange, in config: ConfigHead, through: Revision, limit: Int
    ) throws -> [Revision] {
        let trimmed = config.tail.trimmed
        if range.onlyKey == nil {
            let oldest = max(trimmed, through - max(Self.newestCount, Int64(clamping: limit)))
            let newest = try revisions(
                of: range, in: config, beyond: oldest, through: through, limit: limit, byKey: false)
            if newest.count == limit || oldest == trimmed { return newest }
        }
        return try revisions(of: range, in: config, beyond: trimmed, through: through, limit: limit, byKey: true)
    }

    private func revisions(
        of range: KeyRange, in config: ConfigHead, beyond oldest: Revision, through newest: Revision, limit: Int,
        byKey: Bool
    ) throws -> [Revision] {
        // The sign keeps SQLite from using an index for the key.
        var query = try query(
            """
            SELECT DISTINCT revision FROM changes \(byKey ? "INDEXED BY changes_by_key" : "")
            WHERE config = ? AND revision > ? AND revision <= ? AND \(range.condition(byKey ? "key" : "+key"))
            ORDER BY revision DESC LIMIT ?
            """)
        query.bind(config.id)
        query.bind(oldest)
        query.bind(newest)
        query.bind(range)
        query.bind(Int64(clamping: limit))
        var found: [Revision] = []
        try query.forEach { row in
            found.append(row.integer(0))
            return true
        }
        return found
    }

    /// One commit with its changes of selected keys.
    private func commit(_ revision: Revision, of config: ConfigHead, selection: KeySelection) throws -> Commit {
        var found: Commit?
        for range in selection.ranges {
            var query = try query(
                """
                SELECT \(Self.logColumns), \(ChangeColumns.selection)
                FROM log l JOIN changes c ON c.config = l.config AND c.revision = l.revision \(ChangeColumns.blobs)
                WHERE l.config = ? AND l.revision = ? AND \(range.condition("c.key")) ORDER BY c.key
                """)
            query.bind(config.id)
            query.bind(revision)
            query.bind(range)
            guard let part = try collect(query, expecting: nil, step: 0, through: 0).first else { continue }
            if found == nil { found = part } else { found?.changes += part.changes }
        }
        guard let found else { throw DamagedRow(what: "revision \(revision) is missing") }
        return found
    }

    /// Builds commits from rows, each of which has a log entry and one of its changes.
    ///
    /// With `expecting`, the first revision, every revision up to `through` must exist; with `nil`, there may be gaps.
    private func collect(_ query: Query, expecting first: Revision?, step: Int64, through last: Revision) throws
        -> [Commit]
    {
        var commits: [Commit] = []
        var weight = 0
        try query.forEach { row in
            let revision = row.integer(0)
            if revision != commits.last?.revision {
                if weight >= Self.pageBytes { return false }
                if let first, revision != first + step * Int64(commits.count) {
                    throw DamagedRow(what: "revision \(first + step * Int64(commits.count)) is missing")
                }
                commits.append(
                    Commit(
                        id: row.text(1), revision: revision, time: Timestamp(milliseconds: row.integer(2)),
                        author: row.text(3),
                        message: row.text(4), changes: []))
            }
            if !row.isNull(5) {
                let change = try ChangeColumns.read(row, from: 5)
                weight +=
                    change.key.bytes.count + (change.item?.value.bytes.count ?? 0)
                    + (change.previous?.value.bytes.count ?? 0)
                commits[commits.count - 1].changes.append(change)
            }
            return true
        }
        if first != nil, weight < Self.pageBytes, commits.last?.revision != last {
            throw DamagedRow(what: "a revision before \(last) is missing")
        }
        return commits
    }
}

extension KeyRange {
    /// The condition that a key is in the range; `Query.bind` has its values.
    fileprivate func condition(_ key: String) -> String {
        if onlyKey != nil { return "\(key) = ?" }
        return upper == nil ? "\(key) >= ?" : "\(key) >= ? AND \(key) < ?"
    }
}

extension Query {
    fileprivate mutating func bind(_ range: KeyRange) {
        bind(range.lower)
        if range.onlyKey == nil, let upper = range.upper { bind(upper) }
    }
}
