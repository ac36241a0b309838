import DiscfgCore
import DiscfgSQLite
import Foundation
import GRDB
import Testing

@Suite("A file that is not discfg's is refused and left as it is")
struct ForeignFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Opens the file, and checks that it fails so and changes nothing, not even a file beside it.
    private func expectRefused(_ name: String, _ part: String, code: DiscfgError.Code = .storeUnusable) throws {
        let before = try contents()
        let error = #expect(throws: DiscfgError.self) { try SQLiteEngine(path: folder.file(name)) }
        #expect(error?.code == code)
        #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains(folder.file(name)) == true, "the message names the file")
        #expect(error?.hint != nil)
        #expect(try contents() == before)
    }

    private func contents() throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        return try Dictionary(
            uniqueKeysWithValues: names.compactMap { name in
                var isFolder: ObjCBool = false
                let path = folder.file(name)
                guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue else {
                    return nil
                }
                return (name, try Data(contentsOf: URL(fileURLWithPath: path)))
            })
    }

    @Test("Text is not an SQLite database", arguments: ["x", String(repeating: "no database ", count: 1000)])
    func text(_ text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder.file()))
        try expectRefused("store.db", "is not an SQLite database")
    }

    @Test("The database of another program", arguments: ["delete", "wal"])
    func foreign(_ mode: String) throws {
        try DatabaseQueue(path: folder.file()).writeWithoutTransaction { db in
            try db.execute(
                sql: "PRAGMA journal_mode = \(mode); CREATE TABLE configs(id); INSERT INTO configs VALUES(1)")
        }
        try expectRefused("store.db", "is the database of another program")
    }

    @Test("A database of another program without tables, by its application id")
    func foreignByIdentity() throws {
        try DatabaseQueue(path: folder.file()).writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA application_id = 7")
        }
        try expectRefused("store.db", "is the database of another program")
    }

    @Test("A format of a newer discfg")
    func newer() throws {
        _ = try SQLiteEngine(path: folder.file())
        try DatabaseQueue(path: folder.file()).writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA user_version = 99")
        }
        try expectRefused("store.db", "has format 99")
    }

    @Test("A pipe, which would be waited for")
    func pipe() throws {
        #expect(mkfifo(folder.file(), 0o600) == 0)
        for readOnly in [false, true] {
            let error = #expect(throws: DiscfgError.self) {
                try SQLiteEngine(path: folder.file(), readOnly: readOnly)
            }
            #expect(error?.code == .storeUnusable && error?.message.contains("is not a regular file") == true)
        }
    }

    @Test("A missing file whose write-ahead log is still there")
    func orphanedLog() throws {
        try Data("left".utf8).write(to: URL(fileURLWithPath: folder.file("store.db-wal")))
        try expectRefused("store.db", "is missing, while its write-ahead log")
    }

    @Test("A folder")
    func isFolder() throws {
        try FileManager.default.createDirectory(atPath: folder.file("folder"), withIntermediateDirectories: true)
        try expectRefused("folder", "is a folder")
    }

    @Test("A path below a file")
    func belowFile() throws {
        try Data("x".utf8).write(to: URL(fileURLWithPath: folder.file("plain")))
        try expectRefused("plain/store.db", "cannot be created")
    }

    @Test("An empty file becomes a store")
    func emptyFile() async throws {
        try Data().write(to: URL(fileURLWithPath: folder.file()))
        let engine = try SQLiteEngine(path: folder.file())
        try await engine.createConfig(.default, settings: ConfigSettings(), first: .first)
        #expect(try await engine.tail(of: .default).revision == 1)
    }

    @Test("A file whose making was cut short becomes a store")
    func halfMade() async throws {
        try await DatabaseQueue(path: folder.file()).writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA application_id = 1684235879")
        }
        let engine = try SQLiteEngine(path: folder.file())
        #expect(try await engine.configNames(after: nil, limit: 10) == [])
    }

    @Test("A new file and its folders are the owner's alone")
    func permissions() async throws {
        let path = folder.file("a/b/store.db")
        let engine = try SQLiteEngine(path: path)
        try await engine.createConfig(.default, settings: ConfigSettings(), first: .first)
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode(folder.file("a")) == 0o700)
        #expect(try mode(folder.file("a/b")) == 0o700)
        for suffix in ["", "-wal", "-shm"] { #expect(try mode(path + suffix) == 0o600) }
    }

    @Test("Strange names are names", arguments: ["a b?c#d%41.db", "file:x.db", "größe.db"])
    func strangeNames(_ name: String) async throws {
        let engine = try SQLiteEngine(path: folder.file(name))
        try await engine.createConfig(.default, settings: ConfigSettings(), first: .first)
        #expect(FileManager.default.fileExists(atPath: folder.file(name)))
        #expect(try await SQLiteEngine(path: folder.file(name)).config(.default) != nil)
    }
}
