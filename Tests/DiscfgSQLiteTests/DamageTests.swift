import DiscfgCore
import DiscfgSQLite
import GRDB
import Testing

@Suite("A damaged store says so, and never stops the process")
struct DamageTests {
    private let folder: TemporaryFolder
    private let engine: SQLiteEngine
    private let key: Key

    init() async throws {
        folder = try TemporaryFolder()
        engine = try SQLiteEngine(path: folder.file())
        key = try Key(path: "/a")
        try await engine.createConfig(.default, settings: ConfigSettings(), first: .first)
        var previous: Item?
        for revision: Revision in 2...4 {
            let time = Timestamp(milliseconds: revision)
            let value = Value(bytes: Array(repeating: UInt8(revision), count: 100_000), contentType: Value.octets)
            let item = Item(key: key, value: value, created: 2, modified: revision, modifiedAt: time)
            let change = Change.set(item, previous: previous)
            let commit = Commit(revision: revision, time: time, author: "", message: "", changes: [change])
            _ = try await engine.append([commit], to: .default)
            previous = item
        }
    }

    private func damage(_ sql: String) throws {
        try DatabaseQueue(path: folder.file()).writeWithoutTransaction { try $0.execute(sql: sql) }
    }

    private func expectDamage(_ what: String, _ body: () async throws -> Any?) async {
        let error = await #expect(throws: DiscfgError.self) { _ = try await body() }
        #expect(error?.code == .storeUnusable, "\(what): \(error?.message ?? "")")
        #expect(error?.message.contains(folder.file()) == true, "\(what): \(error?.message ?? "")")
    }

    @Test("A large value that is missing")
    func missingValue() async throws {
        try damage("DELETE FROM blobs")
        await expectDamage("item") { try await engine.items([key], in: .default, consistency: .strong) }
        await expectDamage("page") {
            try await engine.items(.all, in: .default, limit: 10, values: true, consistency: .strong)
        }
        await expectDamage("log") { try await engine.entries(of: .default, after: 1, limit: 10) }
        await expectDamage("change") { try await engine.firstChange(to: key, in: .default, after: 2) }
        let page = try await engine.items(.all, in: .default, limit: 10, values: false, consistency: .strong)
        #expect(page.items.map(\.key) == [key], "what does not need the value can be read")
    }

    @Test("A revision that is missing", arguments: [2, 3, 4])
    func missingRevision(_ revision: Int) async throws {
        try damage("DELETE FROM log WHERE revision = \(revision)")
        await expectDamage("log") { try await engine.entries(of: .default, after: 1, limit: 10) }
        await expectDamage("history") {
            try await engine.history(of: .default, selection: .all, .through(10), limit: 10)
        }
        await expectDamage("history of a key") {
            try await engine.history(of: .default, selection: .key(key), .through(10), limit: 10)
        }
    }

    @Test(
        "A row that no discfg would write",
        arguments: [
            "UPDATE changes SET kind = 'burn'", "UPDATE changes SET kind = 'delete'",
            "UPDATE changes SET version = NULL",
            "UPDATE changes SET key = x''", "UPDATE changes SET key = zeroblob(2000)",
            "UPDATE changes SET digest = NULL",
            "DROP TABLE changes",
        ])
    func strangeChange(_ sql: String) async throws {
        try damage("\(sql) \(sql.hasPrefix("UPDATE") ? "WHERE revision = 3" : "")")
        await expectDamage(sql) { try await engine.entries(of: .default, after: 1, limit: 10) }
    }

    @Test("Settings that cannot be read", arguments: ["", "{", "[]", #"{"unknown":1}"#])
    func strangeSettings(_ settings: String) async throws {
        try damage("UPDATE configs SET settings = '\(settings)'")
        await expectDamage(settings) { try await engine.config(.default) }
    }

    @Test("A log that contradicts its tail is not written over")
    func contradiction() async throws {
        try damage("UPDATE configs SET tail = 3")
        let time = Timestamp(milliseconds: 9)
        let commit = Commit(revision: 4, time: time, author: "", message: "", changes: [])
        await expectDamage("append") { try await engine.append([commit], to: .default) }
    }
}
