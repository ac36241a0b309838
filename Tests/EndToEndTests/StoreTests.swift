import Foundation
import Testing

/// Every command does the same on a file and on a server.
@Suite("Stores")
struct StoreTests {
    /// What is done, one command after the other; what it prints must not depend on where the store is.
    static let script: [[String]] = [
        ["set", "/db/host", "h", "-m", "first"], ["set", "/db/port", "5432", "--type", "number"], ["get", "/db/host"],
        ["set", "/db/host", "i", "--if-version", "9"], ["set", "/db/host", "i", "--if-value", "h"],
        ["get", "/db/host", "--rev", "2"],
        ["ls"], ["ls", "-r"], ["ls", "/none"], ["get", "/none"],
        ["get", "/db"], ["delete", "/db"], ["get", "/a//b"], ["diff", "2"], ["diff", "4", "4"],
        ["rollback", "--to", "3", "--dry-run"], ["rollback", "--to", "3", "-m", "undo"], ["delete", "/db/port"],
        ["export", "--as", "json"], ["export", "/db", "--as", "env"], ["env", "/db"],
        ["exec", "/db", "--", "sh", "-c", "echo $HOST; exit 7"],
        ["create", "prod", "{\"retention\":{\"age\":\"7d\"}}"], ["create", "prod"], ["set", "prod", "/a", "x"],
        ["get", "prod", "/a"],
        ["cfg", "delete", "prod", "--yes"], ["get", "prod", "/a"], ["watch", "--after", "1", "--count", "2"],
        ["history", "/none"], ["compact", "--to", "3"], ["get", "/db/host", "--rev", "2"],
        ["get", "/db/host", "--rev", "99"],
        ["set", "/db/host", "x", "--ttl", "0s"], ["txn", "txn.json"],
        ["import", "list.json", "--split-arrays", "--prefix", "/l"],
        ["import", "list.json", "--split-arrays", "--prefix", "/l"],
        ["export", "/l", "--as", "yaml"], ["delete", "--prefix", "/l"], ["delete", "--prefix", "/l"],
        ["set", "bare:app/name", "svc"], ["get", "bare:app/name"], ["ls"], ["ls", "bare:app"], ["ls", "-r"],
        ["history", "bare:app/name"], ["diff", "3", "--prefix", "bare:app"], ["export"], ["export", "bare:app"],
        ["import", "list.json", "--split-arrays", "--prefix", "bare:app", "--prune"],
        ["delete", "--prefix", "bare:app"],
        ["set", "bytes://%FF/x%2F", "b"], ["get", "bytes://%FF/x%2F"], ["get", "bytes://%FF/x%2F", "--detailed"],
        ["ls", "-l"],
        ["ls", "bare:"], ["ls", "-r", "bytes://%FF/"], ["export", "--strict"], ["export", "bare:", "--strict"], ["env"],
        ["diff", "--prefix", "bytes://%FF", "-f", "json"], ["delete", "bytes://%FF/"],
        ["delete", "--prefix", "bytes://%FF"],
    ]

    @Test(
        "Every command prints and returns the same on a file as on a server, and on an agent of it",
        arguments: [false, true])
    func same(throughAgent: Bool) async throws {
        try await Sandbox.with { sandbox in
            try sandbox.write("txn.json", #"{"if":[{"key":"/db/host","exists":true}],"then":[{"set":"/t","value":1}]}"#)
            try sandbox.write("list.json", #"[{"name":"a","tags":["x"]},{"name":"b","tags":[]}]"#)
            let other = sandbox.on("sqlite:\(sandbox.folder.path)/other.db")
            try await Self.serving(other, throughAgent: throughAgent) { url in
                let remote = sandbox.on(url)
                for arguments in Self.script {
                    let (here, there) = (try await sandbox.run(arguments), try await remote.run(arguments))
                    let step = arguments.joined(separator: " ")
                    #expect(here.status == there.status, "\(step): \(here.error)\(there.error)")
                    #expect(Self.withoutTimes(here.output) == Self.withoutTimes(there.output), "\(step)")
                    #expect(here.error == there.error, "\(step)")
                }
            }
        }
    }

    /// Runs a test beside a server, with the server's URL or with that of a server whose store it is.
    static func serving(
        _ sandbox: Sandbox, throughAgent: Bool, _ body: @escaping @Sendable (String) async throws -> Void
    ) async throws {
        _ = try await TestServer.with(sandbox) { server in
            guard throughAgent else { return try await body(server.url) }
            _ = try await TestServer.with(sandbox.on(server.url)) { try await body($0.url) }
        }
    }

    /// Times differ from run to run; nothing else may.
    static func withoutTimes(_ text: String) -> String {
        text.replacing(/[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.]+Z/, with: "TIME")
    }

    @Test("Commands in many processes on one file leave no gap and lose nothing")
    func processes() async throws {
        try await Sandbox.with { sandbox in
            try await withThrowingTaskGroup { group in
                for writer in 0..<8 {
                    group.addTask {
                        for number in 0..<5 {
                            let result = try await sandbox.discfg("set", "/w/\(writer)/\(number)", "x")
                            #expect(result.status == 0, "\(result.error)")
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await sandbox.discfg("ls", "-r").output.split(separator: "\n").count == 40)
            #expect(
                try await sandbox.bash("discfg info -f json | grep -o '\"cfgVersion\":[0-9]*'").line
                    == "\"cfgVersion\":41")
        }
    }

    @Test("A watch goes on after its server was killed and started again, and misses nothing")
    func watchReconnects() async throws {
        try await Sandbox.with { sandbox in
            let port = try await sandbox.bash(
                "python3 -c 'import socket; s = socket.socket(); s.bind((\"127.0.0.1\", 0)); print(s.getsockname()[1])'"
            ).line
            let script = """
                export DISCFG_STORE=sqlite:w.db url=http://127.0.0.1:\(port)
                serve() { discfg serve --listen 127.0.0.1:\(port) > /dev/null 2>&1 & server=$!; curl -s --retry 50 --retry-delay 0 --retry-connrefused $url/ready > /dev/null; }
                serve
                discfg set /k 1 > /dev/null
                discfg --store $url watch --after 1 --count 3 > seen.txt 2> notes.txt & watch=$!
                until grep -q '= 1' seen.txt; do :; done
                kill -9 $server; wait $server 2> /dev/null
                discfg set /k 2 > /dev/null
                serve
                discfg --store $url set /k 3 > /dev/null
                wait $watch; echo "watch ended with $?"
                kill $server; wait $server; echo "server ended with $?"
                cut -d' ' -f1 seen.txt | tr '\\n' ' '
                """
            #expect(try await sandbox.bash(script).output == "watch ended with 0\nserver ended with 0\n2 3 4 ")
        }
    }

    @Test("exec hands signals to its command, and returns its status")
    func exec() async throws {
        try await Sandbox.with { sandbox in
            try await sandbox.discfg("set", "/app/pool-size", "5")
            let script = """
                discfg exec /app -- bash -c 'trap "echo caught; exit 9" TERM; echo "ready $POOL_SIZE" > ready; while :; do sleep 0.01; done' &
                until [ -s ready ]; do :; done
                kill -TERM $!; wait $!; echo "$? $(cat ready)"
                """
            #expect(try await sandbox.bash(script).output == "caught\n9 ready 5\n")
        }
    }

    @Test(
        "Configuration files come back as the same data",
        arguments: ["gateway.yaml", "service.toml", "app.env", "server.properties", "catalog.json"])
    func files(name: String) async throws {
        try await Sandbox.with { sandbox in
            let fixture = Sandbox.checkout.appending(path: "Tests/DiscfgFormatsTests/Fixtures/\(name)").path
            try await TestServer.with(sandbox) { server in
                let remote = sandbox.on(server.url)
                let format =
                    ["yaml": "yaml", "toml": "toml", "env": "env", "properties": "properties", "json": "json"][
                        name.split(separator: ".").last.map(String.init) ?? ""] ?? ""
                #expect(try await remote.discfg("import", fixture, "--prefix", "/f").status == 0)
                let seen = try await remote.discfg("watch", "/f", "--after", "1", "--count", "1", "-f", "json")
                #expect(seen.output.contains("\"revision\":2"))
                let exported = try await remote.discfg("export", "/f", "--as", format)
                #expect(exported.status == 0 && !exported.output.isEmpty)
                try sandbox.write("again.\(format)", exported.output)
                let again = try await remote.discfg(
                    "import", "again.\(format)", "--as", format, "--prefix", "/f", "--prune", "-f", "json")
                #expect(
                    again.output.contains("\"added\":0,\"changed\":0,\"removed\":0"), "\(again.output)\(again.error)")
            }
        }
    }
}
