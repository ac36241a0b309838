public import DiscfgCore
import GRDB

extension SQLiteEngine {
    /// Hides the history at once, and removes its rows in steps; returns whether everything is removed.
    public func trim(_ config: ConfigName, through: Revision, keepingSince moment: Timestamp) async throws -> Bool {
        let remains = try await write { db in
            let head = try db.head(of: config)
            let revision = max(head.tail.trimmed, min(through, head.tail.revision))
            if revision > head.tail.trimmed {
                // The config is gone for readers at once; its rows are removed in steps.
                var query = try db.query("UPDATE configs SET trimmed = ? WHERE id = ?")
                query.bind(revision)
                query.bind(head.id)
                try query.run()
            }
            let last = try db.lastRevision(of: head.id, through: revision, before: moment)
            return try db.removeStep(of: .log(through: last), config: head.id)
        }
        if remains { return false }
        // What a removed config has left is not part of this: if it cannot be removed now, maintenance removes it.
        return (try? await purge()) != true
    }

    /// Removes the config for every reader at once, and its rows in steps.
    public func removeConfig(_ name: ConfigName) async throws -> Bool {
        let isRemoved = try await write { db in
            var query = try db.query("DELETE FROM configs WHERE name = ? RETURNING id")
            query.bind(name.description)
            guard let id = try query.first({ $0.integer(0) }) else { return false }
            // From here on the config is gone for everyone. Its contents are removed in steps, by maintenance if this
            // process ends.
            var mark = try db.query("INSERT INTO removed_configs(id) VALUES(?)")
            mark.bind(id)
            try mark.run()
            return true
        }
        // No reader sees the rest: if it cannot be removed now, maintenance removes it.
        do { while try await purge() {} } catch { return isRemoved }
        return isRemoved
    }

    /// The maximum number of steps in one call of `maintain`: other regular work follows it.
    private static let maintenanceSteps = 100

    /// Removes what interrupted removals of configs have left, in small steps with time for writers between them.
    public func maintain() async throws {
        for _ in 0..<Self.maintenanceSteps {
            guard try await purge() else { return }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    /// Removes some of the remaining rows of removed configs.
    ///
    /// - Returns: Whether there may be more.
    private func purge() async throws -> Bool {
        guard try await read({ try $0.removedConfig() }) != nil else { return false }
        return try await write { db in
            guard let id = try db.removedConfig() else { return false }
            if try db.removeStep(of: .log(through: .max), config: id) { return true }
            if try db.removeStep(of: .items, config: id) { return true }
            if try db.removeStep(of: .leases, config: id) { return true }
            if try db.removeStep(of: .cells, config: id) { return true }
            var query = try db.query("DELETE FROM removed_configs WHERE id = ?")
            query.bind(id)
            try query.run()
            return true
        }
    }
}

/// The rows to remove in steps.
private enum Removal {
    case log(through: Revision)
    case items
    case leases
    case cells
}

extension Database {
    /// The maximum number of rows that one transaction removes from one table, so that writers never wait long.
    private static var step: Int64 { 1000 }

    fileprivate func removedConfig() throws -> Int64? {
        try query("SELECT id FROM removed_configs LIMIT 1").first { $0.integer(0) }
    }

    /// The last revision, at most `through`, that was committed before a moment or whose entry is gone.
    fileprivate func lastRevision(of config: Int64, through: Revision, before moment: Timestamp) throws -> Revision {
        var query = try query(
            """
            SELECT coalesce(
                (SELECT revision FROM log WHERE config = ?1 AND revision <= ?2 AND time < ?3 ORDER BY revision DESC LIMIT 1),
                (SELECT min(revision) - 1 FROM log WHERE config = ?1 AND revision <= ?2), ?2)
            """)
        query.bind(config)
        query.bind(through)
        query.bind(moment.milliseconds)
        return try query.first { $0.integer(0) } ?? 0
    }

    /// - Returns: Whether there may be more to remove.
    fileprivate func removeStep(of removal: Removal, config: Int64) throws -> Bool {
        switch removal {
        case .log(let revision):
            // Entries first, from the oldest on: if an entry exists, it and all later entries have all their changes.
            let entries = try remove(
                rows: "SELECT revision FROM log WHERE config = ?1 AND revision <= ?2 ORDER BY revision LIMIT ?3",
                from: "log", key: "revision", digests: "NULL, NULL", config: config, through: revision)
            if entries { return true }
            return try remove(
                rows: "SELECT revision, key FROM changes WHERE config = ?1 AND revision <= ?2 LIMIT ?3",
                from: "changes", key: "(revision, key)", digests: "digest, previous_digest", config: config,
                through: revision)
        case .items:
            return try remove(
                rows: "SELECT key FROM items WHERE config = ?1 AND ?2 = ?2 LIMIT ?3",
                from: "items", key: "key", digests: "digest, NULL", config: config, through: 0)
        case .leases:
            return try remove(
                rows: "SELECT id FROM leases WHERE config = ?1 AND ?2 = ?2 LIMIT ?3",
                from: "leases", key: "id", digests: "NULL, NULL", config: config, through: 0)
        case .cells:
            return try remove(
                rows: "SELECT name FROM notes WHERE config = ?1 AND ?2 = ?2 LIMIT ?3",
                from: "notes", key: "name", digests: "NULL, NULL", config: config, through: 0)
        }
    }

    private func remove(
        rows: String, from table: String, key: String, digests: String, config: Int64, through: Revision
    ) throws -> Bool {
        var query = try query("DELETE FROM \(table) WHERE config = ?1 AND \(key) IN (\(rows)) RETURNING \(digests)")
        query.bind(config)
        query.bind(through)
        query.bind(Self.step)
        var count: Int64 = 0
        var released: Set<[UInt8]> = []
        try query.forEach { row in
            count += 1
            if let digest = row.optionalBytes(0) { released.insert(digest) }
            if let digest = row.optionalBytes(1) { released.insert(digest) }
            return true
        }
        try collect(released)
        return count == Self.step
    }
}
