public import DiscfgCore
import GRDB

extension SQLiteEngine {
    /// The cells whose names are in the range, in the order of their names.
    public func cells(
        of config: ConfigName, from first: String, through last: String, limit: Int
    ) async throws -> [Cell] {
        try await read { db in
            try db.reading {
                var query = try db.query(
                    """
                    SELECT name, value, version FROM notes
                    WHERE config = ? AND name >= ? AND name <= ? ORDER BY name LIMIT ?
                    """)
                query.bind(try db.head(of: config).id)
                query.bind(first)
                query.bind(last)
                query.bind(Int64(clamping: limit))
                return try query.all { Cell(name: $0.text(0), bytes: $0.bytes(1), version: $0.integer(2)) }
            }
        }
    }

    /// Compares the version and writes the row in one transaction.
    public func replaceCell(
        _ name: String, with bytes: [UInt8]?, version: Int64, in config: ConfigName
    ) async throws -> Bool {
        try await write { db in
            let head = try db.head(of: config)
            var current = try db.query("SELECT version FROM notes WHERE config = ? AND name = ?")
            current.bind(head.id)
            current.bind(name)
            guard try current.first({ $0.integer(0) }) ?? 0 == version else { return false }
            var query = try db.query(
                bytes == nil
                    ? "DELETE FROM notes WHERE config = ? AND name = ?"
                    : """
                    INSERT INTO notes(config, name, value, version) VALUES(?, ?, ?, ?)
                    ON CONFLICT DO UPDATE SET value = excluded.value, version = excluded.version
                    """)
            query.bind(head.id)
            query.bind(name)
            if let bytes {
                query.bind(bytes)
                query.bind(version + 1)
            }
            try query.run()
            return true
        }
    }
}
