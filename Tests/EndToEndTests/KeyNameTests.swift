import Foundation
import NIOHTTP1
import Testing

/// Keys that etcd's clients write, each by its one name in every command, on a file and on a server.
@Suite("Names of keys")
struct KeyNameTests {
    /// Keys as etcd's clients put them, and their names.
    static let keys: [(bytes: [UInt8], name: String)] = [
        (Array("app/name".utf8), "bare:app/name"), ([0xFF, 0, 0x2F, 0x61], "bytes://%FF%00/a"),
        (Array("/b/".utf8), "bytes:///b%2F"), (Array("/b//c".utf8), "bytes:///b/%2Fc"), (Array("/db".utf8), "/db"),
        (Array("/d\nb".utf8), "bytes:///d%0Ab"), (Array("bare:x".utf8), "bare:bare:x"),
    ]

    /// Puts the keys through etcd's v3 API, with their names as values.
    private static func fill(_ server: TestServer) async throws {
        for (bytes, name) in keys {
            let body = [Data(bytes), Data(name.utf8)].map { $0.base64EncodedString() }
            let put = try await server.send(.POST, "/v3/kv/put", #"{"key":"\#(body[0])","value":"\#(body[1])"}"#)
            #expect(put.status == 200, "\(put.body)")
        }
    }

    /// Runs a test on the filled store, as a file and as a server.
    private static func with(
        isRemote: Bool, _ body: @escaping @Sendable (Sandbox, TestServer) async throws -> Void
    ) async throws {
        try await Sandbox.with { sandbox in
            try await TestServer.with(sandbox) { server in
                try await fill(server)
                try await body(isRemote ? sandbox.on(server.url) : sandbox, server)
            }
        }
    }

    @Test("Every command takes the name that “ls -r” prints", arguments: [false, true])
    func commands(isRemote: Bool) async throws {
        try await Self.with(isRemote: isRemote) { sandbox, _ in
            let names = try await sandbox.discfg("ls", "-r").output.split(separator: "\n").map(String.init)
            #expect(Set(names) == Set(Self.keys.map(\.name)) && names.count == Self.keys.count)
            for name in names {
                #expect(try await sandbox.discfg("get", name).output == name + "\n")
                let set = try await sandbox.discfg("set", name, "new", "--if-version", "1")
                #expect(set.output.hasPrefix("set \(name)  "), "\(set.error)")
                let since = try await sandbox.discfg("diff", "--prefix", name)
                #expect(since.status == 1 && since.output.contains("- \(name) = \(name)\n+ \(name) = new"), "\(since)")
                let history = try await sandbox.discfg("history", name)
                #expect(history.output.contains("set    \(name) = new"), "\(name): \(history.error)")
                try sandbox.write("txn.json", #"{"if":[{"key":"\#(name)","version":2}],"then":[{"get":"\#(name)"}]}"#)
                #expect(try await sandbox.discfg("txn", "txn.json").output.contains("    \(name) = new  version 2"))
                let deleted = try await sandbox.discfg("delete", name)
                #expect(deleted.status == 0 && deleted.output.hasPrefix("deleted 1 key"), "\(name): \(deleted.error)")
                #expect(try await sandbox.discfg("get", name).status == 1)
            }
            let past = "\(Self.keys.count + 1)"
            #expect(try await sandbox.discfg("rollback", "--to", past, "bytes:///b%2F").status == 0)
            #expect(try await sandbox.discfg("ls", "-r").output == "bytes:///b%2F\nbytes:///b/%2Fc\n")
        }
    }

    @Test("“ls” leads to every key, level by level", arguments: [false, true])
    func levels(isRemote: Bool) async throws {
        try await Self.with(isRemote: isRemote) { sandbox, _ in
            var found: [String] = []
            var directories = ["/"]
            while let directory = directories.popLast() {
                for line in try await sandbox.discfg("ls", directory).output.split(separator: "\n").map(String.init) {
                    if line.hasSuffix("/") { directories.append(line) } else { found.append(line) }
                }
            }
            #expect(found.sorted() == Self.keys.map(\.name).sorted())
            let bare = try await sandbox.discfg("ls", "bare:")
            #expect(bare.output == "bare:app/\nbare:bare:x\nbytes://%FF%00/\n", "\(bare.error)")
        }
    }

    @Test("An export leaves no key out without saying so, and its files come back", arguments: [false, true])
    func files(isRemote: Bool) async throws {
        try await Self.with(isRemote: isRemote) { sandbox, _ in
            let all = try await sandbox.discfg("export")
            #expect(all.status == 0 && all.output == "{\n  \"d\\nb\": \"bytes:///d%0Ab\",\n  \"db\": \"/db\"\n}\n")
            #expect(
                all.error.contains("2 keys without a leading “/” left out, such as “bare:app/name”"), "\(all.error)")
            #expect(all.error.contains("3 keys that no file has a place for left out, such as “bytes:///b%2F”"))
            let strict = try await sandbox.discfg("export", "--strict", "-o", "all.json")
            #expect(strict.status == 2 && !FileManager.default.fileExists(atPath: sandbox.folder.path + "/all.json"))
            let bare = try await sandbox.discfg("export", "bare:", "-o", "bare.json")
            #expect(
                bare.status == 0 && bare.error.contains("1 key that no file has a place for left out"), "\(bare.error)")
            #expect(try await sandbox.discfg("delete", "bare:app/name").status == 0)
            let back = try await sandbox.discfg("import", "bare.json", "--prefix", "bare:")
            #expect(back.output.hasPrefix("1 added, 0 changed, 0 removed, 1 unchanged"), "\(back.error)")
            #expect(try await sandbox.discfg("get", "bare:app/name").output == "bare:app/name\n")
            let pruned = try await sandbox.discfg("import", "bare.json", "--prefix", "bare:", "--prune", "--dry-run")
            #expect(pruned.output.contains("- bytes://%FF%00/a\n"), "\(pruned.output)")
            let variables = try await sandbox.discfg("env", "bare:")
            #expect(variables.output.contains("APP_NAME=bare:app/name\n"), "\(variables.error)")
            #expect(try await sandbox.discfg("delete", "--prefix", "bare:").output.hasPrefix("deleted 3 keys"))
            let empty = try await sandbox.discfg("ls", "bare:")
            #expect(empty.status == 0 && empty.output.isEmpty, "\(empty.error)")
        }
    }

    @Test("REST names every key by the same name, and says it")
    func rest() async throws {
        try await Self.with(isRemote: false) { _, server in
            for (_, name) in Self.keys {
                let escaped = name.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
                let read = try await server.send(.GET, "/v1/default/keys?key=\(escaped)")
                #expect(read.status == 200 && read.body.contains(#""value":"\#(name)""#), "\(name): \(read.body)")
                #expect(read.body.contains(#""name":""#) == (name != "/db" && name != "bytes:///d%0Ab"), "\(read.body)")
                let changes = try await server.send(.GET, "/v1/default/changes?after=1&prefix=\(escaped)")
                #expect(changes.body.contains(#""value":"\#(name)""#), "\(name): \(changes.body)")
                #expect(try await server.send(.DELETE, "/v1/default/keys?key=\(escaped)").status == 200)
            }
            #expect(try await server.send(.GET, "/v1/default/keys?recursive").body.contains(#""items":[]"#))
        }
    }
}
