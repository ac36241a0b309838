public import DiscfgCore
import GRDB

extension SQLiteEngine {
    /// One statement for one key; several keys are read as of one moment, with the tail.
    public func items(_ keys: [Key], in config: ConfigName, consistency: Consistency) async throws -> ItemBatch {
        if keys.count == 1 { return try await read { try $0.item(keys[0], in: config) } }
        return try await read { db in
            try db.reading {
                let head = try db.head(of: config)
                var items: [Key: Item] = [:]
                items.reserveCapacity(keys.count)
                for key in keys {
                    var query = try db.query(Database.itemOfMany)
                    query.bind(head.id)
                    query.bind(key.bytes)
                    items[key] = try query.first { try ItemColumns.read($0, from: 0, key: key) } ?? nil
                }
                return ItemBatch(items: items, tail: head.tail)
            }
        }
    }

    /// A range of rows as of one moment; a page ends at 8 MiB, and one of more than 128 items is read on another
    /// thread.
    public func items(
        _ range: KeyRange, in config: ConfigName, limit: Int, values: Bool, consistency: Consistency
    ) async throws -> ItemPage {
        let body: @Sendable (Database) throws -> ItemPage = { db in
            try db.reading { try db.items(range, in: db.head(of: config), limit: limit, values: values) }
        }
        return limit <= Self.shortPage ? try await read(body) : try await readApart(body)
    }

    /// The maximum number of items of a page that is read on the caller's thread.
    private static var shortPage: Int { 128 }

    /// Reads the index of times at which keys expire.
    public func overdueKeys(in config: ConfigName, at now: Timestamp, limit: Int) async throws -> [Key] {
        try await read { db in
            try db.reading {
                var query = try db.query(
                    "SELECT key FROM items WHERE config = ? AND expiry <= ? ORDER BY expiry, key LIMIT ?")
                query.bind(try db.head(of: config).id)
                query.bind(now.milliseconds)
                query.bind(Int64(clamping: limit))
                var keys: [Key] = []
                try query.forEach { row in
                    keys.append(try ItemColumns.key(row, 0))
                    return true
                }
                return keys
            }
        }
    }
}

extension Database {
    /// A page of items ends when it has this many bytes of keys and values.
    private static var pageBytes: Int { 8 << 20 }

    /// The text of frequent statements is built once: building it takes longer than SQLite's answer.
    fileprivate static let itemOfMany =
        "SELECT " + ItemColumns.selection(of: "i", blobs: "b")
        + " FROM items i LEFT JOIN blobs b ON b.digest = i.digest WHERE i.config = ? AND i.key = ?"

    private static let oneItem =
        "SELECT c.id, c.tail, c.tail_time, c.trimmed, " + ItemColumns.selection(of: "i", blobs: "b")
        + " FROM configs c LEFT JOIN items i ON i.config = c.id AND i.key = ? LEFT JOIN blobs b ON b.digest = i.digest"
        + " WHERE c.name = ?"

    /// One item and the tail in one statement, which sees one moment without a transaction: the most frequent of all
    /// reads.
    func item(_ key: Key, in config: ConfigName) throws -> ItemBatch {
        var query = try query(Self.oneItem)
        query.bind(key.bytes)
        query.bind(config.description)
        let batch = try query.first { row in
            let item = try ItemColumns.read(row, from: 4, key: key)
            return ItemBatch(items: item.map { [key: $0] } ?? [:], tail: LogTail(row))
        }
        guard let batch else { throw DiscfgError.noConfig(config) }
        return batch
    }

    func items(_ range: KeyRange, in config: ConfigHead, limit: Int, values: Bool) throws -> ItemPage {
        let selection = values ? ItemColumns.selection(of: "i", blobs: "b") : "NULL, " + ItemColumns.namesWithoutValue
        var query = try query(
            """
            SELECT i.key, \(selection) FROM items i \(values ? "LEFT JOIN blobs b ON b.digest = i.digest" : "")
            WHERE i.config = ? AND i.key >= ? \(range.upper == nil ? "" : "AND i.key < ?") ORDER BY i.key LIMIT ?
            """)
        query.bind(config.id)
        query.bind(range.lower)
        if let upper = range.upper { query.bind(upper) }
        query.bind(Int64(clamping: limit) &+ 1)
        var page = ItemPage(items: [], hasMore: false, tail: config.tail)
        var weight = 0
        try query.forEach { row in
            if page.items.count >= limit || weight > Self.pageBytes {
                page.hasMore = true
                return false
            }
            let item = try ItemColumns.read(row, from: 1, key: try ItemColumns.key(row, 0), values: values)
            guard let item else { throw DamagedRow(what: "an item has no version") }
            weight += item.key.bytes.count + item.value.bytes.count
            page.items.append(item)
            return true
        }
        return page
    }
}
