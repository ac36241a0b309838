import DiscfgCore
import DiscfgSQLite
import Foundation
import GRDB
import NIOHTTP1
import Subprocess
import Synchronization
import Testing

/// `kill -9` at any moment loses nothing that was acknowledged.
@Suite("Kill")
struct KillTests {
    /// What writers were told is stored: the value by key, with its revision.
    private final class Acknowledged: Sendable {
        let writes = Mutex<[String: Int64]>([:])
        var count: Int { writes.withLock { $0.count } }
    }

    @Test("Of writes by several processes on one file, 50 of them killed, every acknowledged one is there")
    func killed() async throws {
        try await Sandbox.with { sandbox in
            let acknowledged = Acknowledged()
            try await withThrowingTaskGroup { group in
                for process in 0..<2 {
                    group.addTask {
                        for round in 0..<25 {
                            try await Self.writeUntilKilled(sandbox, "\(process)-\(round)", acknowledged)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(acknowledged.count >= 50 * 20)
            try await Self.verify(sandbox, acknowledged.writes.withLock { $0 })
        }
    }

    /// Writes through one server until it has acknowledged some, and kills it while others are under way.
    private static func writeUntilKilled(_ sandbox: Sandbox, _ name: String, _ acknowledged: Acknowledged) async throws
    {
        let status = try await TestServer.with(sandbox) { server in
            let own = Acknowledged()
            let enough = 20 + Int.random(in: 0..<20)
            await withTaskGroup { group in
                for writer in 0..<8 {
                    group.addTask {
                        var number = 0
                        while true {
                            let key = "/w/\(name)/\(writer)/\(number)"
                            // An error is the kill; what it hit may or may not be stored, and is not asked for.
                            guard let answer = try? await server.send(.PUT, "/v1/default/keys\(key)", key) else {
                                return
                            }
                            // The other server holds the file for long on a slow disk.
                            if answer.status == 503 { continue }
                            guard answer.status == 201,
                                let json = try? JSONValue(parsing: answer.body),
                                let revision = json["cfgVersion"]?.integer
                            else { return }
                            acknowledged.writes.withLock { $0[key] = revision }
                            own.writes.withLock { $0[key] = revision }
                            if own.count >= enough { server.signal(SIGKILL) }
                            number += 1
                        }
                    }
                }
            }
        }
        #expect(status == .signaled(SIGKILL))
    }

    private static func verify(_ sandbox: Sandbox, _ writes: [String: Int64]) async throws {
        let path = sandbox.folder.path + "/store.db"
        let engine = try SQLiteEngine(path: path)
        var commits: [Commit] = []
        while true {
            let page = try await engine.entries(of: .default, after: commits.last?.revision ?? 1, limit: 1000)
            if page.isEmpty { break }
            commits += page
        }
        #expect(commits.map(\.revision) == Array(2..<(2 + Int64(commits.count))), "revisions have a gap")
        let stored = Dictionary(
            commits.flatMap { commit in commit.changes.map { ($0.key.description, commit.revision) } }
        ) { first, _ in first }
        for (key, revision) in writes {
            #expect(stored[key] == revision, "\(key) was acknowledged as revision \(revision)")
        }
        let items = try await engine.items(writes.keys.map { try Key(path: $0) }, in: .default, consistency: .strong)
        #expect(items.items.count == writes.count)
        let check = try await DatabaseQueue(path: path).read { try String.fetchAll($0, sql: "PRAGMA integrity_check") }
        #expect(check == ["ok"])
    }
}
