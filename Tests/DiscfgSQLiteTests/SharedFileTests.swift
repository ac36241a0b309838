import DiscfgCore
@testable import DiscfgSQLite
import DiscfgTestSupport
import Foundation
import GRDB
import Testing

@Suite("Several engines share one file")
struct SharedFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func commit(_ revision: Revision, _ items: [Item] = [], previous: Item? = nil) -> Commit {
        Commit(
            revision: revision, time: Timestamp(milliseconds: revision), author: "", message: "",
            changes: items.map { .set($0, previous: previous) })
    }

    private func item(_ path: String, _ value: Value, at revision: Revision) throws -> Item {
        Item(
            key: try Key(path: path), value: value, created: revision, modified: revision,
            modifiedAt: Timestamp(milliseconds: revision))
    }

    private func count(_ sql: String) throws -> Int? {
        try DatabaseQueue(path: folder.file()).read { try Int.fetchOne($0, sql: sql) }
    }

    @Test("Many can open the same new file at the same moment")
    func openTogether() async throws {
        let path = folder.file()
        try await withThrowingTaskGroup(of: SQLiteEngine.self) { group in
            for _ in 0..<8 { group.addTask { try SQLiteEngine(path: path) } }
            for try await engine in group { #expect(try await engine.configNames(after: nil, limit: 1).isEmpty) }
        }
        try checkIntegrity(of: path)
    }

    @Test("What one has written the other reads at once, also after both have been closed")
    func freshness() async throws {
        do {
            let (one, two) = (try SQLiteEngine(path: folder.file()), try SQLiteEngine(path: folder.file()))
            try await one.createConfig(.default, settings: ConfigSettings(), first: .first)
            for revision: Revision in 2...50 {
                let (writer, reader) = revision % 2 == 0 ? (one, two) : (two, one)
                let item = try item("/a", Value("\(revision)"), at: revision)
                #expect(try await writer.append([commit(revision, [item])], to: .default) == .appended)
                let batch = try await reader.items([item.key], in: .default, consistency: .strong)
                #expect(batch.items[item.key] == item)
                #expect(try await reader.tail(of: .default).revision == revision)
            }
        }
        let again = try SQLiteEngine(path: folder.file())
        #expect(try await again.entries(of: .default, after: 0, limit: 100).count == 50)
        try checkIntegrity(of: folder.file())
    }

    @Test("An append is on the disk when it returns: the journal and its mode are those that survive a loss of power")
    func durability() async throws {
        let engine = try SQLiteEngine(path: folder.file())
        let settings = try await engine.connections.write { db in
            try ["journal_mode", "synchronous", "fullfsync"].map { try String.fetchOne(db, sql: "PRAGMA \($0)") }
        }
        #expect(settings == ["wal", "2", "1"])
    }

    @Test("A file that another process holds is busy, not damaged, and nothing is written")
    func busy() async throws {
        let engine = try SQLiteEngine(path: folder.file())
        try await engine.createConfig(.default, settings: ConfigSettings(), first: .first)
        // Not to wait the five seconds.
        try await engine.connections.write { try $0.execute(sql: "PRAGMA busy_timeout = 1") }
        let first = commit(2)
        let lock = try Lock(path: folder.file())
        let error = await #expect(throws: DiscfgError.self) { try await engine.append([first], to: .default) }
        #expect(error?.code == .storeUnavailable)
        #expect(try await engine.tail(of: .default).revision == 1, "readers do not wait for writers")
        try lock.release()
        #expect(try await engine.append([first], to: .default) == .appended)
    }

    @Test("A full disk takes no write, loses nothing, and writing goes on when there is room")
    func full() async throws {
        let engine = try SQLiteEngine(path: folder.file())
        try await engine.createConfig(.default, settings: ConfigSettings(), first: .first)
        let pages = try await engine.connections.write { try Int.fetchOne($0, sql: "PRAGMA page_count") ?? 0 }
        try await engine.connections.write { try $0.execute(sql: "PRAGMA max_page_count = \(pages + 10)") }
        let large = Value(bytes: Array(repeating: 1, count: 1_000_000), contentType: Value.octets)
        let commit = commit(2, [try item("/large", large, at: 2)])
        let error = await #expect(throws: DiscfgError.self) { try await engine.append([commit], to: .default) }
        #expect(error?.code == .storeNotWritable)
        #expect(try await engine.tail(of: .default).revision == 1)
        try await engine.connections.write { try $0.execute(sql: "PRAGMA max_page_count = 1000000") }
        #expect(try await engine.append([commit], to: .default) == .appended)
        try checkIntegrity(of: folder.file())
    }

    @Test("A large value is stored once, and removed when nothing refers to it any more")
    func blobs() async throws {
        let engine = try SQLiteEngine(path: folder.file())
        try await engine.createConfig(.default, settings: ConfigSettings(), first: .first)
        let large = Value(bytes: Array(repeating: 1, count: 40_000), contentType: Value.octets)
        let one = try item("/one", large, at: 2)
        _ = try await engine.append([commit(2, [one, try item("/two", large, at: 2)])], to: .default)
        #expect(try count("SELECT count(*) FROM blobs") == 1)
        let small = try item("/one", Value("small"), at: 3)
        _ = try await engine.append([commit(3, [small], previous: one)], to: .default)
        while try await !engine.trim(.default, through: 3) {}
        #expect(try count("SELECT count(*) FROM blobs") == 1, "the other key refers to it")
        let gone = try item("/two", large, at: 2)
        let removal = Commit(
            revision: 4, time: Timestamp(milliseconds: 4), author: "", message: "", changes: [.removed(gone)])
        _ = try await engine.append([removal], to: .default)
        #expect(try count("SELECT count(*) FROM blobs") == 1, "the log refers to it")
        while try await !engine.trim(.default, through: 4) {}
        #expect(try count("SELECT count(*) FROM blobs") == 0)
    }

    @Test("A removed config leaves nothing behind, and many rows go in several steps")
    func removal() async throws {
        let engine = try SQLiteEngine(path: folder.file())
        let name = try ConfigName("large")
        try await engine.createConfig(name, settings: ConfigSettings(), first: .first)
        let items = try (0..<2500).map { try item("/\($0)", Value("x"), at: 2) }.sorted { $0.key < $1.key }
        _ = try await engine.append([commit(2, items)], to: name)
        #expect(try await engine.trim(name, through: 2) == false, "2,500 changes are more than one step")
        for id: Int64 in 1...3 {
            let lease = Lease(id: id, ttl: .seconds(10), expiry: Timestamp(milliseconds: 1))
            #expect(try await engine.createLease(lease, in: name))
        }
        #expect(try await engine.removeConfig(name))
        for table in ["configs", "removed_configs", "log", "changes", "items", "blobs", "leases"] {
            #expect(try count("SELECT count(*) FROM \(table)") == 0, "\(table)")
        }
    }

    @Test("A removal succeeds although its clean-up fails, and maintenance finishes it")
    func interruptedRemoval() async throws {
        let engine = try SQLiteEngine(path: folder.file())
        let name = try ConfigName("temporary")
        try await engine.createConfig(name, settings: ConfigSettings(), first: .first)
        let items = try (0..<1500).map { try item("/\($0)", Value("x"), at: 2) }.sorted { $0.key < $1.key }
        _ = try await engine.append([commit(2, items)], to: name)
        try await engine.connections.write {
            try $0.execute(
                sql: "CREATE TRIGGER stop BEFORE DELETE ON items BEGIN SELECT RAISE(ABORT, 'stopped'); END")
        }
        #expect(try await engine.removeConfig(name))
        #expect(try await engine.config(name) == nil)
        #expect(try await engine.removeConfig(name) == false)
        try await engine.createConfig(.default, settings: ConfigSettings(), first: .first)
        let moment = Timestamp(milliseconds: .max)
        #expect(try await engine.trim(.default, through: 1, keepingSince: moment), "another config's rest is not of it")
        await #expect(throws: DiscfgError.self) { try await engine.maintain() }
        try await engine.connections.write { try $0.execute(sql: "DROP TRIGGER stop") }
        try await engine.maintain()
        for table in ["removed_configs", "changes", "items"] {
            #expect(try count("SELECT count(*) FROM \(table)") == 0, "\(table)")
        }
    }

    @Test("The description names the absolute path, and the status sizes and format")
    func status() async throws {
        let link = folder.file("link.db")
        do { _ = try SQLiteEngine(path: folder.file()) }
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "store.db")
        let engine = try SQLiteEngine(path: link)
        try await engine.createConfig(.default, settings: ConfigSettings(), first: .first)
        let path = try #require(realpath(folder.file(), nil))
        defer { free(path) }
        #expect(engine.description.options == ["path": String(cString: path)])
        let direct = ConfigService(engine: try SQLiteEngine(path: folder.file()), logger: LogCapture().logger)
        let linked = ConfigService(engine: engine, logger: LogCapture().logger)
        #expect(direct.storeName == linked.storeName, "one cluster to etcd's clients")
        let options = try await engine.status().options
        #expect(options["format"] == "\(Schema.version)")
        #expect(options["size"].flatMap { Int($0) } ?? 0 >= 512)
        #expect(options["walSize"].flatMap { Int($0) } ?? 0 > 0)
        let sizes = ["size", "walSize"].compactMap { options[$0].flatMap { Int64($0) } }
        #expect(engine.size == sizes.reduce(0, +), "the log is next to the file to which the link leads")
    }

    @Test("A file is created when it is opened; discfg refuses to destroy it, and properties that it cannot have")
    func administration() async throws {
        let engine = try SQLiteEngine(path: folder.file())
        #expect(try await engine.create(StoreProperties()) == [])
        for call in [
            { _ = try await engine.create(StoreProperties(isProtected: true)) },
            { _ = try await engine.create(StoreProperties(settings: ["BillingMode": .string("PAY_PER_REQUEST")])) },
            { try await engine.destroy() },
        ] as [@Sendable () async throws -> Void] {
            let error = await #expect(throws: DiscfgError.self) { try await call() }
            #expect(error?.code == .unsupported && error?.message.contains("store.db") == true)
        }
        #expect(engine.subject == nil)
        #expect(FileManager.default.fileExists(atPath: folder.file()))
    }

    /// Waits until the last connection has merged its log into the file: engines close when their last task has let go of them.
    private func untilClosed() async {
        while FileManager.default.fileExists(atPath: folder.file() + "-wal") { await Task.yield() }
    }

    @Test("A store can be read where it cannot be written")
    func readOnly() async throws {
        let key = try Key(path: "/a")
        do {
            let engine = try SQLiteEngine(path: folder.file())
            try await engine.createConfig(.default, settings: ConfigSettings(), first: .first)
            _ = try await engine.append([commit(2, [try item("/a", Value("x"), at: 2)])], to: .default)
        }
        await untilClosed()
        let engine = try SQLiteEngine(path: folder.file(), readOnly: true)
        #expect(try await engine.items([key], in: .default, consistency: .strong).items[key]?.value.text == "x")
        let error = await #expect(throws: DiscfgError.self) { try await engine.append([commit(3)], to: .default) }
        #expect(error?.code == .storeNotWritable)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["store.db"], "no file beside it")
    }

    @Test(
        "A read-only folder and a read-only file can be read",
        .disabled(if: geteuid() == 0, "the permissions of files do not bind root"), arguments: [0o555, 0o755])
    func permissions(_ mode: Int) async throws {
        do {
            let engine = try SQLiteEngine(path: folder.file())
            try await engine.createConfig(.default, settings: ConfigSettings(), first: .first)
        }
        await untilClosed()
        let manager = FileManager.default
        try manager.setAttributes([.posixPermissions: 0o400], ofItemAtPath: folder.file())
        try manager.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.path)
        defer { try? manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path) }
        let engine = try SQLiteEngine(path: folder.file())
        #expect(try await engine.tail(of: .default).revision == 1)
        let error = await #expect(throws: DiscfgError.self) { try await engine.append([commit(2)], to: .default) }
        #expect(error?.code == .storeNotWritable)
        guard mode == 0o555 else { return }
        let failure = #expect(throws: DiscfgError.self) { try SQLiteEngine(path: folder.file("new.db")) }
        #expect(failure?.code == .storeNotWritable)
    }

    @Test(
        "Errors of SQLite mean what their codes say, and only a failed commit leaves a doubt",
        arguments: [
            (.SQLITE_BUSY, .storeUnavailable, .storeUnavailable), (.SQLITE_FULL, .storeNotWritable, .storeNotWritable),
            (.SQLITE_IOERR_FSYNC, .storeUnavailable, .outcomeUnknown),
            (.SQLITE_READONLY, .storeNotWritable, .storeNotWritable),
            (.SQLITE_CORRUPT, .storeUnusable, .storeUnusable), (.SQLITE_NOTADB, .storeUnusable, .storeUnusable),
        ] as [(ResultCode, DiscfgError.Code, DiscfgError.Code)])
    func errors(_ code: ResultCode, before: DiscfgError.Code, atCommit: DiscfgError.Code) throws {
        let translator = ErrorTranslator(path: "/p")
        let error = DatabaseError(resultCode: code, message: "x")
        #expect((translator(error) as? DiscfgError)?.code == before)
        #expect((translator(CommitFailure(cause: error)) as? DiscfgError)?.code == atCommit)
    }

    @Test("A file that cannot be opened is explained by the system, not by SQLite's number")
    func unreachable() throws {
        let error = DatabaseError(resultCode: .SQLITE_CANTOPEN)
        let missing = ErrorTranslator(path: folder.file("nowhere/store.db"))(error) as? DiscfgError
        #expect(missing?.message.contains("No such file or directory") == true, "\(missing?.message ?? "")")
        #expect(missing?.message.contains("(14") == false)
        _ = try SQLiteEngine(path: folder.file())
        let other = ErrorTranslator(path: folder.file())(error) as? DiscfgError
        #expect(other?.message.contains("(14") == true, "the system names no cause: \(other?.message ?? "")")
    }
}

/// A write lock on a file, as another process may hold it.
private final class Lock {
    private let queue: DatabaseQueue

    init(path: String) throws {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
    }

    func release() throws { try queue.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") } }
}
