public import DiscfgCore
import GRDB

extension SQLiteEngine {
    /// Reads the selected leases as of one moment.
    public func leases(_ selection: LeaseSelection, of config: ConfigName) async throws -> [StoredLease] {
        let body = { @Sendable (db: Database) in
            try db.reading { try db.leases(selection, of: db.head(of: config).id) }
        }
        // A lease can have any number of keys.
        if case .withKeys = selection { return try await readApart(body) }
        return try await read(body)
    }

    /// Changes a lease in one transaction, which is on the disk when the call returns.
    public func changeLease(_ change: LeaseChange, in config: ConfigName) async throws -> StoredLease? {
        try await write { db in try db.change(change, of: db.head(of: config).id) }
    }
}

extension StoredLease {
    fileprivate static let columns = "id, ttl, expiry, ending, version, generation"
    fileprivate static let selection = "SELECT \(columns) FROM leases WHERE config = ?"

    fileprivate init(_ row: Query) {
        self.init(
            Lease(
                id: row.integer(0), ttl: .milliseconds(row.integer(1)), expiry: Timestamp(milliseconds: row.integer(2)),
                isEnding: row.integer(3) != 0, version: row.integer(4)),
            generation: row.text(5))
    }
}

extension Database {
    func lease(_ id: Int64, of config: Int64) throws -> StoredLease? {
        var query = try query("\(StoredLease.selection) AND id = ?")
        query.bind(config)
        query.bind(id)
        return try query.first { StoredLease($0) }
    }

    fileprivate func leases(_ selection: LeaseSelection, of config: Int64) throws -> [StoredLease] {
        switch selection {
        case .one(let id): return try lease(id, of: config).map { [$0] } ?? []
        case .withKeys(let id, let generation):
            guard var found = try lease(id, of: config), generation ?? found.generation == found.generation else {
                return []
            }
            let most = isPlanted(.endsLeasesHalfway) ? " LIMIT 1" : ""
            var query = try query("SELECT key FROM items WHERE config = ? AND lease = ?\(most)")
            query.bind(config)
            query.bind(id)
            found.keys = try query.all { try ItemColumns.key($0, 0) }
            return [found]
        case .all(let after, let limit):
            var query = try query("\(StoredLease.selection) AND id > ? ORDER BY id LIMIT ?")
            query.bind(config)
            query.bind(after ?? .min)
            query.bind(Int64(clamping: limit))
            return try query.all { StoredLease($0) }
        case .overdue(let now):
            // The same expression as in the index.
            var query = try query("\(StoredLease.selection) AND iif(ending, 0, expiry) <= ?")
            query.bind(config)
            query.bind(now.milliseconds)
            return try query.all { StoredLease($0) }
        }
    }

    fileprivate func change(_ change: LeaseChange, of config: Int64) throws -> StoredLease? {
        var query: Query
        switch change {
        case .create(let lease):
            query = try self.query(
                """
                INSERT INTO leases(config, \(StoredLease.columns)) VALUES(?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT DO NOTHING RETURNING \(StoredLease.columns)
                """)
            query.bind(config)
            query.bind(lease.id)
            query.bind(lease.ttl.milliseconds)
            query.bind(lease.expiry.milliseconds)
            query.bind(Int64(lease.isEnding ? 1 : 0))
            query.bind(lease.version)
            query.bind(UniqueID.next())
        case .renew(let id, let now):
            query = try self.query(
                """
                UPDATE leases SET expiry = ttl + ?, version = version + 1 WHERE config = ? AND id = ? AND NOT ending
                RETURNING \(StoredLease.columns)
                """)
            query.bind(now.milliseconds)
            query.bind(config)
            query.bind(id)
        case .end(let id, let known):
            let condition = known == nil ? "" : "AND (ending OR expiry = ? AND version = ?)"
            query = try self.query(
                """
                UPDATE leases SET ending = 1 WHERE config = ? AND id = ? \(condition) RETURNING \(StoredLease.columns)
                """)
            query.bind(config)
            query.bind(id)
            if let known {
                query.bind(known.expiry.milliseconds)
                query.bind(known.version)
            }
        case .remove(let id, let generation):
            let condition = generation == nil ? "" : "AND generation = ?"
            query = try self.query("DELETE FROM leases WHERE config = ? AND id = ? AND ending \(condition)")
            query.bind(config)
            query.bind(id)
            if let generation { query.bind(generation) }
        }
        return try query.first { StoredLease($0) }
    }
}

extension Query {
    /// The results of `body` for all rows.
    func all<Result>(_ body: (Query) throws -> Result) throws -> [Result] {
        var results: [Result] = []
        try forEach { row in
            results.append(try body(row))
            return true
        }
        return results
    }
}
