public import DiscfgCore
import GRDB

extension SQLiteEngine {
    /// Inserts a row with a new generation, unless a lease of this id exists.
    public func createLease(_ lease: Lease, in config: ConfigName) async throws -> Bool {
        try await write { db in
            let head = try db.head(of: config)
            var query = try db.query(
                """
                INSERT INTO leases(config, id, ttl, expiry, ending, generation, version) VALUES(?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT DO NOTHING RETURNING 1
                """)
            query.bind(head.id)
            query.bind(lease.id)
            query.bind(lease.ttl.milliseconds)
            query.bind(lease.expiry.milliseconds)
            query.bind(Int64(lease.isEnding ? 1 : 0))
            query.bind(UniqueID.next())
            query.bind(lease.version)
            return try query.first { _ in true } ?? false
        }
    }

    /// One row, by its primary key.
    public func lease(_ id: Int64, in config: ConfigName) async throws -> Lease? {
        try await read { db in try db.reading { try db.lease(id, of: db.head(of: config).id) } }
    }

    /// A range of rows, in the order of their ids.
    public func leases(of config: ConfigName, after: Int64?, limit: Int) async throws -> [Lease] {
        try await read { db in
            try db.reading {
                var query = try db.query("\(Lease.selection) WHERE config = ? AND id > ? ORDER BY id LIMIT ?")
                query.bind(try db.head(of: config).id)
                query.bind(after ?? .min)
                query.bind(Int64(clamping: limit))
                return try query.all { Lease($0) }
            }
        }
    }

    /// Moves the expiry and raises the version in one transaction.
    public func renewLease(_ id: Int64, in config: ConfigName, at now: Timestamp) async throws -> Lease? {
        try await write { db in
            let head = try db.head(of: config)
            guard var lease = try db.lease(id, of: head.id), !lease.isEnding else { return nil }
            lease.expiry = now + lease.ttl
            lease.version += 1
            var query = try db.query("UPDATE leases SET expiry = ?, version = ? WHERE config = ? AND id = ?")
            query.bind(lease.expiry.milliseconds)
            query.bind(lease.version)
            query.bind(head.id)
            query.bind(id)
            try query.run()
            return lease
        }
    }

    /// Marks the row, if the lease is unchanged or already ending.
    public func endLease(_ id: Int64, in config: ConfigName, ifUnchanged lease: Lease?) async throws -> String? {
        try await write { db in
            let condition = lease == nil ? "" : " AND (ending OR expiry = ? AND version = ?)"
            var query = try db.query(
                "UPDATE leases SET ending = 1 WHERE config = ? AND id = ?\(condition) RETURNING generation")
            query.bind(try db.head(of: config).id)
            query.bind(id)
            if let lease {
                query.bind(lease.expiry.milliseconds)
                query.bind(lease.version)
            }
            return try query.first { $0.text(0) }
        }
    }

    /// Reads the index of items by lease, on another thread.
    public func keys(of lease: Int64, generation: String?, in config: ConfigName) async throws -> [Key]? {
        // A lease can have any number of keys.
        try await readApart { db in
            try db.reading {
                let head = try db.head(of: config)
                if let generation {
                    var found = try db.query("SELECT 1 FROM leases WHERE config = ? AND id = ? AND generation = ?")
                    found.bind(head.id)
                    found.bind(lease)
                    found.bind(generation)
                    guard try found.first({ _ in true }) != nil else { return nil }
                }
                let most = isPlanted(.endsLeasesHalfway) ? " LIMIT 1" : ""
                var query = try db.query("SELECT key FROM items WHERE config = ? AND lease = ?\(most)")
                query.bind(head.id)
                query.bind(lease)
                return try query.all { try ItemColumns.key($0, 0) }
            }
        }
    }

    /// Deletes the row, if the lease is ending.
    public func removeLease(_ id: Int64, generation: String?, in config: ConfigName) async throws {
        try await write { db in
            let condition = generation == nil ? "" : " AND generation = ?"
            var query = try db.query("DELETE FROM leases WHERE config = ? AND id = ? AND ending\(condition)")
            query.bind(try db.head(of: config).id)
            query.bind(id)
            if let generation { query.bind(generation) }
            try query.run()
        }
    }

    /// Reads the index of leases by expiry, in which ending leases are first.
    public func overdueLeases(in config: ConfigName, at now: Timestamp) async throws -> [Lease] {
        try await read { db in
            try db.reading {
                // The same expression as in the index.
                var query = try db.query("\(Lease.selection) WHERE config = ? AND iif(ending, 0, expiry) <= ?")
                query.bind(try db.head(of: config).id)
                query.bind(now.milliseconds)
                return try query.all { Lease($0) }
            }
        }
    }
}

extension Lease {
    fileprivate static let selection = "SELECT id, ttl, expiry, ending, version FROM leases"

    fileprivate init(_ row: Query) {
        self.init(
            id: row.integer(0), ttl: .milliseconds(row.integer(1)), expiry: Timestamp(milliseconds: row.integer(2)),
            isEnding: row.integer(3) != 0, version: row.integer(4))
    }
}

extension Database {
    func lease(_ id: Int64, of config: Int64) throws -> Lease? {
        var query = try query("\(Lease.selection) WHERE config = ? AND id = ?")
        query.bind(config)
        query.bind(id)
        return try query.first { Lease($0) }
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
