import DiscfgCore
@testable import DiscfgSQLite
import DiscfgTestSupport
import Foundation
import GRDB
import Testing

@Suite("A file that is moved, removed or replaced takes no more writes")
struct MovedFileTests {
    private let folder: TemporaryFolder
    private let engine: SQLiteEngine
    private let key: Key
    private let log = LogCapture()

    init() async throws {
        folder = try TemporaryFolder()
        engine = try SQLiteEngine(path: folder.file(), logger: log.logger)
        key = try Key(path: "/a")
        try await engine.createConfig(.default, settings: ConfigSettings(), first: .first)
        #expect(try await append(2) == .appended)
    }

    /// What somebody does to the three files of a running store.
    enum Accident: CaseIterable {
        case moveAll, moveDatabase, removeAll, removeDatabase, replace, restoreBackup, removeLog, removeLogIndex
    }

    private static let suffixes = ["", "-wal", "-shm"]

    private func append(_ revision: Revision) async throws -> AppendOutcome {
        let time = Timestamp(milliseconds: revision)
        let item = Item(key: key, value: Value("\(revision)"), created: 2, modified: revision, modifiedAt: time)
        let commit = Commit(
            revision: revision, time: time, author: "", message: "", changes: [.set(item, previous: nil)])
        return try await engine.append([commit], to: .default)
    }

    private func cause(_ accident: Accident) throws {
        let manager = FileManager.default
        let backup = folder.file("backup.db")
        if accident == .replace || accident == .restoreBackup {
            try DatabaseQueue(path: folder.file()).writeWithoutTransaction {
                try $0.execute(sql: "VACUUM INTO ?", arguments: [backup])
            }
        }
        let (moved, removed): ([String], [String]) =
            switch accident {
            case .moveAll: (Self.suffixes, [])
            case .moveDatabase: ([""], [])
            case .removeAll: ([], Self.suffixes)
            case .removeDatabase: ([], [""])
            case .replace: ([], [])
            case .restoreBackup: ([], ["-wal", "-shm"])
            case .removeLog: ([], ["-wal"])
            case .removeLogIndex: ([], ["-shm"])
            }
        for suffix in moved {
            try manager.moveItem(atPath: folder.file() + suffix, toPath: folder.file("moved.db") + suffix)
        }
        if accident == .replace || accident == .restoreBackup {
            #expect(rename(backup, folder.file()) == 0)
        }
        for suffix in removed { try manager.removeItem(atPath: folder.file() + suffix) }
    }

    private func expectRefusal(_ what: String, _ body: () async throws -> Any?) async {
        let error = await #expect(throws: DiscfgError.self, "\(what)") { _ = try await body() }
        #expect(error?.code == .storeUnusable, "\(what): \(error?.message ?? "")")
        #expect(error?.message.contains("moved, removed or replaced") == true, "\(what): \(error?.message ?? "")")
        #expect(error?.hint != nil)
    }

    @Test("Writes and reads get 302, it is logged once, and nothing more is written", arguments: Accident.allCases)
    func accident(_ accident: Accident) async throws {
        // A reader that is kept, as a server has some.
        #expect(try await engine.tail(of: .default).revision == 2)
        try cause(accident)
        await expectRefusal("append") { try await append(3) }
        await expectRefusal("tail") { try await engine.tail(of: .default) }
        await expectRefusal("items") { try await engine.items([key], in: .default, consistency: .strong) }
        await expectRefusal("history") {
            try await engine.history(of: .default, selection: .all, .through(2), limit: 10)
        }
        await expectRefusal("create") {
            try await engine.createConfig(try ConfigName("b"), settings: ConfigSettings(), first: .first)
        }
        #expect(log.lines.count == 1)
        #expect(log.lines.first.map { "\($0.level)" } == "critical")
    }

    @Test("A read alone notices it, also one that opens a new connection", arguments: [false, true])
    func reading(_ hasKeptReader: Bool) async throws {
        if hasKeptReader { _ = try await engine.tail(of: .default) }
        try cause(.restoreBackup)
        await expectRefusal("tail") { try await engine.tail(of: .default) }
    }

    @Test("A store that was opened by a symbolic link notices where the link leads, and what lies there")
    func link() async throws {
        let link = folder.file("link.db")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "store.db")
        for (name, accident) in [("other.db", nil), ("store.db", Accident.removeLog)] {
            let engine = try SQLiteEngine(path: link)
            #expect(try await engine.tail(of: .default).revision == 2)
            if let accident {
                try cause(accident)
            } else {
                try FileManager.default.removeItem(atPath: link)
                try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: name)
            }
            await expectRefusal(name) {
                try await engine.createConfig(try ConfigName("b"), settings: ConfigSettings(), first: .first)
            }
            try FileManager.default.removeItem(atPath: link)
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "store.db")
        }
    }

    @Test("Files that come back are not used until the store is opened again")
    func comeback() async throws {
        try cause(.moveAll)
        await expectRefusal("append") { try await append(3) }
        for suffix in Self.suffixes {
            try FileManager.default.moveItem(
                atPath: folder.file("moved.db") + suffix, toPath: folder.file() + suffix)
        }
        await expectRefusal("append after it came back") { try await append(3) }
        await expectRefusal("tail after it came back") { try await engine.tail(of: .default) }
        #expect(log.lines.count == 1)
        let again = try SQLiteEngine(path: folder.file())
        #expect(try await again.tail(of: .default).revision == 2, "what was acknowledged is there")
    }

    @Test("A move between the check and the commit leaves the outcome unknown, not acknowledged")
    func race() async throws {
        let error = await #expect(throws: DiscfgError.self) {
            try await engine.connections.write { [self] db in
                // Runs when the checks before the commit are done.
                db.add(transactionObserver: MoveAtCommit { try? cause(.moveAll) }, extent: .nextTransaction)
                try db.execute(sql: "UPDATE configs SET tail_time = 5")
            }
        }
        #expect(error?.code == .outcomeUnknown)
        await expectRefusal("the next append") { try await append(3) }
    }

    @Test("A store that nobody moved notices nothing, whatever other connections open and close")
    func undisturbed() async throws {
        for revision: Revision in 3...20 {
            #expect(try await append(revision) == .appended)
            let other = try SQLiteEngine(path: folder.file())
            #expect(try await other.tail(of: .default).revision == revision)
            _ = try await DatabaseQueue(path: folder.file()).writeWithoutTransaction { try $0.checkpoint(.truncate) }
        }
        #expect(log.lines.isEmpty)
    }
}

/// Does something when a transaction is about to be committed.
private final class MoveAtCommit: TransactionObserver {
    private let move: () -> Void

    init(_ move: @escaping () -> Void) { self.move = move }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseWillCommit() throws { move() }
    func databaseDidCommit(_ db: Database) {}
    func databaseDidRollback(_ db: Database) {}
}
