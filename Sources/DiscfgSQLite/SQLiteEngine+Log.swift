public import DiscfgCore
import GRDB

extension SQLiteEngine {
    /// One transaction, which is on the disk when the call returns.
    public func append(_ commits: [Commit], to config: ConfigName, incarnation: String?) async throws -> AppendOutcome {
        try await write { db in
            let head = try db.head(of: config)
            guard incarnation == nil || incarnation == head.tail.incarnation else { return .replaced }
            let known = (commits.first?.revision ?? 1) - 1
            guard !commits.isEmpty, known == head.tail.revision else {
                try head.tail.checkReadable(after: known)
                return .conflict(newer: try db.commits(of: head, after: known, limit: 1000))
            }
            for id in commits.flatMap(\.newLeases) where try db.lease(id, of: head.id)?.lease.isEnding != false {
                return .leaseNotFound(id)
            }
            try db.write(commits, config: head.id)
            return .appended
        }
    }

    /// Reads the entries in their order as of one moment, on the caller's thread.
    public func log(
        of config: ConfigName, after: Revision, limit: Int, incarnation: String?, consistency: Consistency
    ) async throws -> LogPage {
        try await read { db in
            try db.reading {
                var head = try db.head(of: config)
                if after < head.tail.trimmed, incarnation == head.tail.incarnation {
                    // Commits that are kept can be read by callers that name the incarnation.
                    head.tail.trimmed = min(head.tail.trimmed, try db.firstRevision(of: head) - 1)
                }
                try head.tail.checkReadable(after: after, incarnation: incarnation)
                return LogPage(
                    commits: try db.commits(of: head, after: after, limit: limit), tail: head.tail.revision,
                    incarnation: head.tail.incarnation)
            }
        }
    }

    /// Reads the log backwards, or the index of changes by key if keys are selected; on another thread.
    public func history(
        of config: ConfigName, selection: KeySelection, _ part: LogPart, limit: Int
    ) async throws -> HistoryPage {
        let body = { @Sendable (db: Database) in
            try db.reading { try db.history(of: selection, in: db.head(of: config), part, limit: limit) }
        }
        // The commits after a revision are usually few, and those of a key are in an index.
        if case .after = part { return try await read(body) }
        return try await readApart(body)
    }

    /// Finds the revision by a binary search in the log.
    public func lastRevision(of config: ConfigName, before time: Timestamp) async throws -> Revision {
        try await read { db in
            try db.reading {
                let tail = try db.head(of: config)
                // The times of a log never decrease, so a binary search finds the revision.
                var (low, high) = (tail.tail.trimmed, tail.tail.revision)
                while low < high {
                    let middle = low + (high - low + 1) / 2
                    var query = try db.query("SELECT time FROM log WHERE config = ? AND revision = ?")
                    query.bind(tail.id)
                    query.bind(middle)
                    guard let found = try query.first({ $0.integer(0) }) else {
                        throw DamagedRow(what: "revision \(middle) is missing")
                    }
                    if found < time.milliseconds { low = middle } else { high = middle - 1 }
                }
                return low > tail.tail.trimmed ? low : 0
            }
        }
    }
}

extension Database {
    /// The oldest revision whose entry exists.
    fileprivate func firstRevision(of config: ConfigHead) throws -> Revision {
        var query = try query("SELECT min(revision) FROM log WHERE config = ?")
        query.bind(config.id)
        return try query.first { $0.isNull(0) ? .max : $0.integer(0) } ?? .max
    }

    /// Writes commits that follow the tail, and the items that they imply.
    func write(_ commits: [Commit], config: Int64) throws {
        guard let last = commits.last else { return }
        for commit in commits {
            var entry = try query(
                "INSERT INTO log(config, revision, id, time, author, message) VALUES(?, ?, ?, ?, ?, ?)")
            entry.bind(config)
            entry.bind(commit.revision)
            entry.bind(commit.id)
            entry.bind(commit.time.milliseconds)
            entry.bind(commit.author)
            entry.bind(commit.message)
            try entry.run()
            for change in commit.changes { try write(change, revision: commit.revision, config: config) }
        }
        var tail = try query("UPDATE configs SET tail = ?, tail_time = ? WHERE id = ?")
        tail.bind(last.revision)
        tail.bind(last.time.milliseconds)
        tail.bind(config)
        try tail.run()
    }

    private func write(_ change: Change, revision: Revision, config: Int64) throws {
        let digest = BlobStore.digest(of: change.item)
        let previousDigest = BlobStore.digest(of: change.previous)
        try store(change.item, digest: digest)
        try store(change.previous, digest: previousDigest)
        var row = try query(ChangeColumns.insertion)
        row.bind(config)
        row.bind(revision)
        row.bind(change.key.bytes)
        row.bind(change.kind.rawValue)
        row.bind(change.item, digest: digest)
        row.bind(change.previous, digest: previousDigest)
        try row.run()
        guard let item = change.item else {
            var removal = try query("DELETE FROM items WHERE config = ? AND key = ?")
            removal.bind(config)
            removal.bind(change.key.bytes)
            return try removal.run()
        }
        var current = try query(
            """
            INSERT OR REPLACE INTO items(config, key, value, content_type, version, created, modified, modified_at, author, expiry,
            lease, digest) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        current.bind(config)
        current.bind(change.key.bytes)
        current.bind(item, digest: digest)
        try current.run()
    }
}
