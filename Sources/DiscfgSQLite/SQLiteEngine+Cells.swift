public import DiscfgCore
import GRDB

extension SQLiteEngine {
    /// One row, by its primary key.
    public func cell(_ name: String, in config: ConfigName) async throws -> Cell? {
        try await read { db in
            try db.reading {
                var query = try db.query("\(Cell.selection) WHERE config = ? AND name = ?")
                query.bind(try db.head(of: config).id)
                query.bind(name)
                return try query.first { Cell($0) }
            }
        }
    }

    /// A range of rows, in the order of their names.
    public func cells(of config: ConfigName, prefix: String, after: String?, limit: Int) async throws -> [Cell] {
        try await read { db in
            try db.reading {
                // Names are ASCII without 0x7F, so every name that begins with the prefix is before the prefix followed
                // by that byte.
                var query = try db.query(
                    "\(Cell.selection) WHERE config = ? AND name > ? AND name >= ? AND name < ? ORDER BY name LIMIT ?")
                query.bind(try db.head(of: config).id)
                query.bind(after ?? "")
                query.bind(prefix)
                query.bind(prefix + "\u{7F}")
                query.bind(Int64(clamping: limit))
                return try query.all { Cell($0) }
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

extension Cell {
    fileprivate static let selection = "SELECT name, value, version FROM notes"

    fileprivate init(_ row: Query) { self.init(name: row.text(0), bytes: row.bytes(1), version: row.integer(2)) }
}
