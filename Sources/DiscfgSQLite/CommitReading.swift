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

    /// The commits of a part of the log that changed a selected key, with those changes alone.
    func history(
        of selection: KeySelection, in config: ConfigHead, _ part: LogPart, limit: Int
    ) throws -> HistoryPage {
        let span = try LogSpan(part, of: config.tail)
        guard limit > 0, span.oldest < span.newest else { return HistoryPage(commits: [], next: nil) }
        if selection == .all {
            let commits = try commits(of: config, in: span.first(limit))
            return HistoryPage(commits, of: part, isLast: false, tail: config.tail)
        }
        if let key = selection.onlyKey {
            let commits = try commits(of: config, changing: key, in: span, limit: limit)
            let isCut = commits.reduce(0) { $0 + $1.weight } >= Self.pageBytes
            return HistoryPage(commits, of: part, isLast: commits.count < limit && !isCut, tail: config.tail)
        }
        // Each range has its first commits, so that the first of all of them are among these.
        let candidates = try selection.ranges.flatMap {
            try self.revisions(of: $0, in: config, span, limit: limit)
        }
        let first = Set(candidates).sorted(by: span.isBackward ? { $0 > $1 } : { $0 < $1 }).prefix(limit)
        var commits: [Commit] = []
        var weight = 0
        for revision in first where weight <= Self.pageBytes {
            let commit = try self.commit(revision, of: config, selection: selection)
            weight += commit.weight
            commits.append(commit)
        }
        let isLast = commits.count == first.count && commits.count < limit
        return HistoryPage(commits, of: part, isLast: isLast, tail: config.tail)
    }

    private func commits(of config: ConfigHead, in span: LogSpan) throws -> [Commit] {
        if !span.isBackward {
            return try commits(of: config, after: span.oldest, limit: Int(clamping: span.newest - span.oldest))
        }
        var query = try query(Self.newestFirst)
        query.bind(config.id)
        query.bind(span.oldest)
        query.bind(span.newest)
        return try collect(query, expecting: span.newest, step: -1, through: span.oldest + 1)
    }

    private func commits(of config: ConfigHead, changing key: Key, in span: LogSpan, limit: Int) throws -> [Commit] {
        var query = try query(
            """
            SELECT \(Self.logColumns), \(ChangeColumns.selection)
            FROM \(ChangeColumns.source(indexedBy: "changes_by_key"))
            LEFT JOIN log l ON l.config = c.config AND l.revision = c.revision
            WHERE c.config = ? AND c.key = ? AND c.revision > ? AND c.revision <= ?
            ORDER BY c.revision \(span.order) LIMIT ?
            """)
        query.bind(config.id)
        query.bind(key.bytes)
        query.bind(span.oldest)
        query.bind(span.newest)
        query.bind(Int64(clamping: limit))
        return try collect(query, expecting: nil, step: 0, through: 0)
    }

    /// Of a range, the first commits are looked through before the index: a range that changes often has most of the
    /// index, which is in the order of the keys.
    private static var firstCount: Int { 256 }

    /// The first revisions that changed a key of a range.
    private func revisions(of range: KeyRange, in config: ConfigHead, _ span: LogSpan, limit: Int) throws -> [Revision]
    {
        if range.onlyKey == nil {
            let first = span.first(max(Self.firstCount, limit))
            let found = try revisions(of: range, in: config, first, limit: limit, byKey: false)
            if found.count == limit || first == span { return found }
        }
        return try revisions(of: range, in: config, span, limit: limit, byKey: true)
    }

    private func revisions(
        of range: KeyRange, in config: ConfigHead, _ span: LogSpan, limit: Int, byKey: Bool
    ) throws -> [Revision] {
        // The sign keeps SQLite from using an index for the key.
        var query = try query(
            """
            SELECT DISTINCT revision FROM changes \(byKey ? "INDEXED BY changes_by_key" : "")
            WHERE config = ? AND revision > ? AND revision <= ? AND \(range.condition(byKey ? "key" : "+key"))
            ORDER BY revision \(span.order) LIMIT ?
            """)
        query.bind(config.id)
        query.bind(span.oldest)
        query.bind(span.newest)
        query.bind(range)
        query.bind(Int64(clamping: limit))
        return try query.all { $0.integer(0) }
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
            // A change without an entry in the log.
            if row.isNull(0) { throw DamagedRow(what: "a revision is missing") }
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

/// The revisions of a part of a log, as far as they exist.
private struct LogSpan: Equatable {
    /// The revision before the first that is included.
    var oldest: Revision
    /// The last revision that is included.
    var newest: Revision
    /// Whether the newest is read first.
    var isBackward: Bool

    /// - Throws: `compacted` or `futureRevision` if the commits after a revision cannot be read.
    init(_ part: LogPart, of tail: LogTail) throws(DiscfgError) {
        switch part {
        case .through(let last): (oldest, newest, isBackward) = (tail.trimmed, min(last, tail.revision), true)
        case .after(let revision):
            try tail.checkReadable(after: revision)
            (oldest, newest, isBackward) = (revision, tail.revision, false)
        }
    }

    var order: String { isBackward ? "DESC" : "ASC" }

    /// As many revisions as given, in the order of the part; there is at least one.
    func first(_ count: Int) -> LogSpan {
        let count = min(Int64(clamping: count), newest - oldest)
        var first = self
        if isBackward { first.oldest = newest - count } else { first.newest = oldest + count }
        return first
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
