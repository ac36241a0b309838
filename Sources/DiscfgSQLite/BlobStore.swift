import Crypto
import DiscfgCore
import GRDB

/// Large values, each stored once and named by its SHA-256 digest.
enum BlobStore {
    /// The maximum number of bytes of a value that is stored in the rows that use it.
    static let inlineLimit = 32 << 10

    /// The name of a value, or `nil` if it is small.
    static func digest(of item: Item?) -> [UInt8]? {
        guard let bytes = item?.value.bytes, bytes.count > inlineLimit else { return nil }
        return Array(SHA256.hash(data: bytes))
    }
}

extension Database {
    /// Stores a value under its digest, if it is not stored yet.
    func store(_ item: Item?, digest: [UInt8]?) throws {
        guard let item, let digest else { return }
        var query = try query("INSERT INTO blobs(digest, value) VALUES(?, ?) ON CONFLICT DO NOTHING")
        query.bind(digest)
        query.bind(item.value.bytes)
        try query.run()
    }

    /// Removes those of the values to which nothing refers.
    func collect(_ digests: Set<[UInt8]>) throws {
        for digest in digests {
            var query = try query(
                """
                DELETE FROM blobs WHERE digest = ?1
                AND NOT EXISTS(SELECT 1 FROM items WHERE digest = ?1)
                AND NOT EXISTS(SELECT 1 FROM changes WHERE digest = ?1)
                AND NOT EXISTS(SELECT 1 FROM changes WHERE previous_digest = ?1)
                """)
            query.bind(digest)
            try query.run()
        }
    }
}
