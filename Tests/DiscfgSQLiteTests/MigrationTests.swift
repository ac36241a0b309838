import DiscfgCore
@testable import DiscfgSQLite
import Foundation
import GRDB
import Logging
import Testing

@Suite("A file of an older format is brought up to date")
struct MigrationTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Makes a file as the first format had it: a config with two commits, and a key that names a lease.
    private func makeFirstFormat() throws {
        try DatabaseQueue(path: folder.file()).writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA application_id = \(Schema.applicationID); PRAGMA journal_mode = WAL")
            try db.execute(sql: Schema.migrations[0] + "PRAGMA user_version = 1;")
            try db.execute(
                sql: """
                    INSERT INTO configs VALUES(1, 'default', '\(ConfigSettings().json.text)', 1000, 2, 2000, 0);
                    INSERT INTO log VALUES(1, 1, 'a', 1000, '', 'created'), (1, 2, 'b', 2000, 'me', 'why');
                    INSERT INTO changes(config, revision, key, kind, value, content_type, version, created, modified, modified_at,
                        author, lease) VALUES(1, 2, CAST('/a' AS BLOB), 'set', CAST('1' AS BLOB), 'text/plain', 1, 2, 2, 2000, 'me', 7);
                    INSERT INTO items(config, key, value, content_type, version, created, modified, modified_at, author, lease)
                        VALUES(1, CAST('/a' AS BLOB), CAST('1' AS BLOB), 'text/plain', 1, 2, 2, 2000, 'me', 7);
                    """)
        }
    }

    private func schema(of name: String) throws -> [String] {
        try DatabaseQueue(path: folder.file(name)).read {
            let version = try Int.fetchOne($0, sql: "PRAGMA user_version") ?? 0
            return try String.fetchAll($0, sql: "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")
                + ["\(version)"]
        }
    }

    @Test("The first format keeps what it holds, and gets leases")
    func first() async throws {
        try makeFirstFormat()
        let engine = try SQLiteEngine(path: folder.file())
        let item = Item(
            key: try Key(path: "/a"), value: Value("1"), created: 2, modified: 2,
            modifiedAt: Timestamp(milliseconds: 2000), author: "me", lease: 7)
        let change = Change.set(item, previous: nil)
        let commit = Commit(
            id: "b", revision: 2, time: Timestamp(milliseconds: 2000), author: "me", message: "why", changes: [change])
        #expect(try await engine.entries(of: .default, after: 1, limit: 10) == [commit])
        #expect(try await engine.items([item.key], in: .default, consistency: .strong).items == [item.key: item])
        let lease = Lease(id: 7, ttl: .seconds(10), expiry: Timestamp(milliseconds: 9000))
        #expect(try await engine.createLease(lease, in: .default))
        #expect(try await engine.keys(of: 7, in: .default) == [item.key], "what was there before is in the index")
        #expect(try await SQLiteEngine(path: folder.file()).lease(7, in: .default) == lease)
        _ = try SQLiteEngine(path: folder.file("new.db"))
        #expect(try schema(of: "store.db") == schema(of: "new.db"))
        try checkIntegrity(of: folder.file())
    }

    @Test("What an older discfg left of a trimmed log is not taken for kept commits")
    func interruptedTrim() async throws {
        let path = folder.file()
        let engine = try SQLiteEngine(path: path)
        let service = ConfigService(engine: engine, logger: Logger(label: "test"))
        let keys = try (0..<3).map { try Key(path: "/\($0)") }
        _ = try await service.commit(Transaction(then: keys.map { .set($0, Value("1")) }), to: .default)
        let tail = try await engine.tail(of: .default)
        // Its trim removed changes first, and was killed.
        try await DatabaseQueue(path: path).writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    UPDATE configs SET trimmed = tail;
                    DELETE FROM changes WHERE key = CAST('/1' AS BLOB);
                    ALTER TABLE leases DROP COLUMN version;
                    PRAGMA user_version = 4;
                    """)
        }
        let later = try SQLiteEngine(path: path)
        let error = await #expect(throws: DiscfgError.self) {
            try await later.log(
                of: .default, after: tail.revision - 1, limit: 10, incarnation: tail.incarnation, consistency: .strong)
        }
        #expect(error?.code == .compacted)
        while try await !later.trim(.default, through: tail.revision, keepingSince: Timestamp(milliseconds: 0)) {}
        try checkIntegrity(of: path)
    }

    @Test("Many can bring the same file up to date at the same moment")
    func together() async throws {
        try makeFirstFormat()
        let path = folder.file()
        try await withThrowingTaskGroup(of: SQLiteEngine.self) { group in
            for _ in 0..<8 { group.addTask { try SQLiteEngine(path: path) } }
            for try await engine in group { #expect(try await engine.tail(of: .default).revision == 2) }
        }
        try checkIntegrity(of: path)
    }

    @Test("Where it cannot be written, an older format is refused and left as it is")
    func readOnly() throws {
        try makeFirstFormat()
        let error = #expect(throws: DiscfgError.self) { try SQLiteEngine(path: folder.file(), readOnly: true) }
        #expect(error?.code == .storeNotWritable)
        #expect(try schema(of: "store.db").last == "1")
    }
}
