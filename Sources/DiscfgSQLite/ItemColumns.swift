import DiscfgCore

/// The ten columns of an item, in `items` or on either side of `changes`.
enum ItemColumns {
    static let count: Int32 = 10
    static let names = [
        "value", "content_type", "version", "created", "modified", "modified_at", "author", "expiry", "lease", "digest",
    ]

    /// The columns to select from a table, with the values from `blobs` in place of their digests.
    static func selection(of table: String, prefix: String = "", blobs: String) -> String {
        (["coalesce(\(table).\(prefix)value, \(blobs).value)"] + names.dropFirst().map { "\(table).\(prefix)\($0)" })
            .joined(separator: ", ")
    }

    /// All columns but the first, of a table named `i`.
    static let namesWithoutValue = names.dropFirst().map { "i.\($0)" }.joined(separator: ", ")

    /// The item in the columns from `start` on, or `nil` if they are empty.
    static func read(_ row: Query, from start: Int32, key: @autoclosure () throws -> Key, values: Bool = true) throws
        -> Item?
    {
        if row.isNull(start + 2) { return nil }
        let key = try key()
        let bytes: [UInt8]
        if !values {
            bytes = []
        } else if let stored = row.optionalBytes(start) {
            bytes = stored
        } else {
            throw DamagedRow(what: "the value of key “\(key)” is missing")
        }
        return Item(
            key: key, value: Value(bytes: bytes, contentType: row.text(start + 1)), version: row.integer(start + 2),
            created: row.integer(start + 3), modified: row.integer(start + 4),
            modifiedAt: Timestamp(milliseconds: row.integer(start + 5)), author: row.text(start + 6),
            expiry: row.optionalInteger(start + 7).map { Timestamp(milliseconds: $0) },
            lease: row.optionalInteger(start + 8))
    }

    /// The key in a column.
    static func key(_ row: Query, _ column: Int32) throws -> Key {
        do {
            return try Key(bytes: row.bytes(column))
        } catch {
            throw DamagedRow(what: "a key is empty or too long")
        }
    }
}

extension Query {
    /// Binds the ten columns of an item; `digest` names its value in `blobs`.
    mutating func bind(_ item: Item?, digest: [UInt8]?) {
        guard let item else { return bindNull(ItemColumns.count) }
        bind(digest == nil ? item.value.bytes : nil)
        bind(item.value.contentType)
        bind(item.version)
        bind(item.created)
        bind(item.modified)
        bind(item.modifiedAt.milliseconds)
        bind(item.author)
        bind(item.expiry?.milliseconds)
        bind(item.lease)
        bind(digest)
    }
}
