import ArgumentParser
import DiscfgCore
import DiscfgFormats
import Testing

@testable import discfg

@Suite("The author of a command's commits")
struct CallerTests {
    private func settings(_ arguments: [String], _ environment: [String: String]) throws -> Settings {
        try Settings(
            try GlobalOptions.parse(["--store", "memory:"] + arguments),
            environment: ["HOME": "/h"].merging(environment) { $1 }, directory: "/")
    }

    @Test(
        "is the name of the local user, which --author and DISCFG_AUTHOR choose",
        arguments: [
            (["--author", "ann"], ["DISCFG_AUTHOR": "bob", "LOGNAME": "eve"], "ann"),
            ([], ["DISCFG_AUTHOR": "bob", "LOGNAME": "eve"], "bob"), ([], ["LOGNAME": "eve"], "eve"),
        ])
    func names(arguments: [String], environment: [String: String], author: String) async throws {
        let settings = try settings(arguments, environment)
        #expect(settings.caller == Caller(author, provenBy: .localUser))
        try await Session.with(settings, expiry: .left) { session in
            let key = try Key(path: "/a")
            let first = try await session.commit([.set(key, Value("1"), expiry: .never)], message: nil).revision
            _ = try await session.commit([.set(key, Value("2"), expiry: .never)], message: nil)
            _ = try await session.store.rollback(RollbackRequest(to: first), in: .default)
            let leaves = try await ConfigFormat.json.leaves(of: Array(#"{"b":1}"#.utf8), yaml: nil)
            _ = try await session.store.importLeaves(leaves, as: ImportRequest(), in: .default)
            let team = try ConfigName("team")
            _ = try await session.store.createConfig(team, settings: ConfigSettings())
            var commits = try await session.store.changes(ChangesQuery(after: 1), in: .default).commits
            commits += try await session.store.changes(ChangesQuery(after: 0), in: team).commits
            #expect(commits.map(\.author) == Array(repeating: author, count: 5))
        }
    }

    @Test("is not that of a server's requests")
    func server() async throws {
        try await Session.with(try settings(["--author", "ann"], [:]), expiry: .left) { session in
            let set = Transaction(then: [.set(try Key(path: "/a"), Value("1"))])
            _ = try await session.opened.store.acting(as: .claiming("bob")).commit(set, to: .default)
            #expect(try await session.store.get(Key(path: "/a"), in: .default).item.author == "bob")
        }
    }
}
