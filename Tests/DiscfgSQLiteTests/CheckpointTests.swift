import DiscfgCore
import DiscfgSQLite
import Foundation
import GRDB
import Testing

@Suite("Checkpoint")
struct CheckpointTests {
    @Test("A checkpoint that was cut short is no damage: the log has it all")
    func interrupted() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "discfg-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (path, copy) = (folder.appending(path: "a.db").path, folder.appending(path: "b.db").path)
        let engine = try SQLiteEngine(path: path)
        let time = Timestamp(milliseconds: 1)
        let first = Commit(revision: 1, time: time, author: "", message: "", changes: [])
        try await engine.createConfig(.default, settings: ConfigSettings(), first: first)
        let value = Value(String(repeating: "x", count: 4000))
        let changes = try (0..<100).map { number in
            let key = try Key(path: "/k/\(number)")
            return Change.set(Item(key: key, value: value, created: 2, modified: 2, modifiedAt: time), previous: nil)
        }
        let commit = Commit(
            revision: 2, time: time, author: "", message: "", changes: changes.sorted { $0.key < $1.key })
        #expect(try await engine.append([commit], to: .default) == .appended)
        // What a process leaves that ended when the first page was in the file, and the pages behind it were not yet.
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        try FileManager.default.copyItem(atPath: path + "-wal", toPath: copy + "-wal")
        let database = try DatabaseQueue(path: path)
        try await database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(PASSIVE)") }
        let page = try #require(try FileHandle(forReadingFrom: URL(filePath: path)).read(upToCount: 4096))
        let file = try FileHandle(forWritingTo: URL(filePath: copy))
        try file.write(contentsOf: page)
        try file.close()

        let reopened = try SQLiteEngine(path: copy)
        let found = try await reopened.items(.all, in: .default, limit: 200, values: true, consistency: .strong)
        #expect(found.items.count == 100 && found.tail?.revision == 2)
    }
}
