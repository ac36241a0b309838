import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Subprocess
import Testing

/// The running server, over real sockets.
@Suite("Server")
struct ServerTests {
    @Test("A server that is asked to stop answers those who wait, and ends well")
    func gracefulShutdown() async throws {
        try await Sandbox.with { sandbox in
            let status = try await TestServer.with(sandbox) { server in
                _ = try await server.send(.PUT, "/v1/default/keys/k", "1")
                async let poll = server.send(.GET, "/v1/default/changes?after=2&wait=60s")
                var request = HTTPClientRequest(url: server.url + "/v1/default/changes?after=1")
                request.headers.add(name: "Accept", value: "text/event-stream")
                let stream = try await TestServer.client.execute(request, timeout: .hours(1))
                // The poll has been let in when it is one of two requests under way: the other is this one.
                while try await !server.send(.GET, "/metrics").body.contains("http_requests_active 2.0") {}
                server.signal(SIGTERM)
                #expect(try await poll.status == 200)
                #expect(String(buffer: try await stream.body.collect(upTo: 1 << 20)).contains("id: 2-"))
            }
            #expect(status == .exited(0))
        }
    }

    @Test("An event stream goes on behind the last event that its reader saw")
    func eventStream() async throws {
        try await Sandbox.with { sandbox in
            try await TestServer.with(sandbox) { server in
                for value in ["a", "b", "c"] { _ = try await server.send(.PUT, "/v1/default/keys/k", value) }
                var request = HTTPClientRequest(url: server.url + "/v1/default/changes")
                request.headers.add(name: "Accept", value: "text/event-stream")
                request.headers.add(name: "Last-Event-ID", value: "2")
                let response = try await TestServer.client.execute(request, timeout: .hours(1))
                #expect(response.headers.first(name: "content-type") == "text/event-stream")
                var text = ""
                for try await part in response.body {
                    text += String(buffer: part)
                    if text.contains("id: 4-"), !text.contains("id: 5-") {
                        _ = try await server.send(.PUT, "/v1/default/keys/k", "d")
                    }
                    if text.contains("id: 5-") { break }
                }
                #expect(text.contains("id: 3-") && !text.contains("id: 2-"))
            }
        }
    }

    @Test("A server on a store that cannot be used listens, and reports what is wrong")
    func unusableStore() async throws {
        try await Sandbox.with { sandbox in
            let result = try await sandbox.bash(
                """
                discfg --store http://127.0.0.1:1 serve --listen 127.0.0.1:0 >out 2>err & server=$!
                until grep -q 'tries again' err && grep -q 'Stop it' out; do kill -0 $server || exit 9; sleep 0.05; done
                kill $server; wait $server; status=$?; cat err; exit $status
                """)
            #expect(result.status == 0)
            #expect(result.output.contains("warning: the store http://127.0.0.1:1 cannot be used now: "), "\(result)")
        }
    }

    @Test("A body that stops halfway changes nothing, and the server stays up")
    func halfBody() async throws {
        try await Sandbox.with { sandbox in
            try await TestServer.with(sandbox) { server in
                let port = try #require(server.url.split(separator: ":").last)
                let script = """
                    exec 3<>/dev/tcp/127.0.0.1/\(port)
                    printf 'PUT /v1/default/keys/half HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nContent-Length: 100\\r\\n\\r\\nonly this' >&3
                    exec 3>&-
                    """
                #expect(try await sandbox.bash(script).status == 0)
                #expect(try await server.send(.GET, "/v1/default/keys/half").status == 404)
                #expect(try await server.send(.GET, "/v1/default/cfg").body.contains("\"cfgVersion\":1,"))
            }
        }
    }

    @Test("A request for a host that the server does not go by is refused")
    func host() async throws {
        try await Sandbox.with { sandbox in
            try await TestServer.with(sandbox, ["--allowed-host", "config.internal"]) { server in
                for (host, status) in [
                    ("evil.example.com", "403"), ("localhost", "200"), ("config.internal:8899", "200"),
                    ("127.0.0.1.evil.example.com", "403"),
                ] {
                    let command = "curl -s -o /dev/null -w '%{http_code}' -H 'Host: \(host)' \(server.url)/health"
                    let answer = try await sandbox.bash(command)
                    #expect(answer.output == status, "\(host)")
                }
            }
        }
    }

    @Test("An address that other machines reach is refused, unless that is meant")
    func listenAddress() async throws {
        try await Sandbox.with { sandbox in
            let refused = try await sandbox.discfg("serve", "--listen", "0.0.0.0:0")
            #expect(refused.status == 2 && refused.error.contains("--insecure"))
            try await TestServer.with(sandbox) { server in
                let taken = try await sandbox.discfg("serve", "--listen", String(server.url.dropFirst(7)))
                #expect(taken.status == 3 && taken.error.contains("--listen"), "\(taken.error)")
            }
        }
    }

    @Test("Servers of one file are one cluster to etcd's clients, however its URL is written")
    func clusterID() async throws {
        try await Sandbox.with { sandbox in
            try await TestServer.with(sandbox) { first in
                try await TestServer.with(sandbox.on("sqlite:./store.db")) { second in
                    let path = "/v2/keys/"
                    let one = try await first.send(.GET, path).headers.first(name: "X-Etcd-Cluster-Id")
                    let other = try await second.send(.GET, path).headers.first(name: "X-Etcd-Cluster-Id")
                    #expect(one != nil && one == other)
                }
            }
        }
    }

    @Test("A server of which the file was removed is not ready, and refuses reads and writes with 302")
    func removedFile() async throws {
        try await Sandbox.with { sandbox in
            try await TestServer.with(sandbox) { server in
                #expect(try await server.send(.PUT, "/v1/default/keys/k", "1").status == 201)
                #expect(try await server.send(.GET, "/ready").status == 200)
                for name in ["store.db", "store.db-wal", "store.db-shm"] {
                    try FileManager.default.removeItem(at: sandbox.folder.appending(path: name))
                }
                for (method, path) in [
                    (.GET, "/ready"), (.PUT, "/v1/default/keys/k"), (.GET, "/v1/default/keys/k"),
                ] as [(HTTPMethod, String)] {
                    let answer = try await server.send(method, path, method == .PUT ? "2" : nil)
                    #expect(answer.status == 500 && answer.body.contains("\"errorCode\":302"), "\(path): \(answer)")
                }
                #expect(try await server.send(.GET, "/health").status == 200)
                #expect(!FileManager.default.fileExists(atPath: sandbox.folder.path + "/store.db"))
            }
        }
    }

    #if os(Linux)
    @Test("Connections for which there are no descriptors wait, and cost no processor time")
    func waitingConnections() async throws {
        try await Sandbox.with { sandbox in
            let script = #"""
                (ulimit -n 64; exec discfg --store memory: serve --listen 127.0.0.1:0 --etcd-listen 127.0.0.1:0 \
                    >said 2>errors) & server=$!
                until grep -q 'Stop it with' said; do kill -0 $server || exit 1; sleep 0.05; done
                url=$(grep -o 'http://127\.0\.0\.1:[0-9]*' said | head -n 1)
                exec {http}<>"/dev/tcp/127.0.0.1/${url##*:}"
                for port in $(grep -o '127\.0\.0\.1:[0-9]*' said | cut -d: -f2 | sort -u); do
                    for _ in {1..60}; do
                        exec {other}<>"/dev/tcp/127.0.0.1/$port" || exit 2
                        others+=("$other")
                    done
                done
                ticks() { read -r -a stat </proc/$server/stat; echo $((stat[13] + stat[14])); }
                before=$(ticks)
                # Nothing is waited for: it is the time in which the processor time is measured.
                sleep 1
                echo "ticks $(($(ticks) - before)) of ${#others[@]}"
                printf 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n' >&"$http"
                read -r -u "$http" line && echo "first $line"
                for other in "$http" "${others[@]}"; do exec {other}>&-; done
                curl -s -o /dev/null -w 'after %{http_code}\n' "$url/health"
                kill $server; wait $server
                """#
            let result = try await sandbox.bash(script)
            #expect(result.status == 0, "\(result.output)\(result.error)")
            let ticks = result.output.firstMatch(of: /ticks ([0-9]+) of 120/).flatMap { Int($0.1) } ?? .max
            #expect(ticks < 50, "\(result.output)")
            #expect(result.output.contains("first HTTP/1.1 200") && result.output.contains("after 200"))
        }
    }

    @Test("The server raises the limit of open files, which shells set low")
    func openFiles() async throws {
        try await Sandbox.with { sandbox in
            let script = """
                ulimit -S -n 128
                discfg serve --listen 127.0.0.1:0 >said & server=$!
                until grep -q 'Stop it with' said; do kill -0 $server || exit 1; sleep 0.05; done
                grep 'Max open files' /proc/$server/limits
                kill $server; wait $server
                """
            let result = try await sandbox.bash(script)
            let limits = result.output.split { $0.isWhitespace }.compactMap { Int($0) }
            #expect(result.status == 0 && limits.count == 2, "\(result.output)\(result.error)")
            #expect(limits.first == limits.last.map { min($0, 1 << 20) }, "\(result.output)")
        }
    }
    #endif

    @Test("Another program's database is refused, and not touched")
    func foreignFile() async throws {
        try await Sandbox.with { sandbox in
            try sandbox.write(
                "store.db", "this is no database, but somebody's notes, and long enough to be read as a header of one\n"
            )
            let before = try Data(contentsOf: sandbox.folder.appending(path: "store.db"))
            let refused = try await sandbox.discfg("get", "/a")
            #expect(refused.status == 3 && refused.error.contains("store.db"), "\(refused.error)")
            #expect(try Data(contentsOf: sandbox.folder.appending(path: "store.db")) == before)
        }
    }

    @Test("The API is what its description says it is: schemathesis finds no difference")
    func schemathesis() async throws {
        try await Sandbox.with { sandbox in
            try await TestServer.with(sandbox.on("memory:")) { server in
                let script = Sandbox.checkout.appending(path: "Scripts/schemathesis.sh").path
                let venv = ProcessInfo.processInfo.environment["DISCFG_TEST_VENV"] ?? Sandbox.checkout.path + "/.venv"
                let result = try await sandbox.bash("DISCFG_TEST_VENV='\(venv)' '\(script)' \(server.url)")
                #expect(result.status == 0, "\(result.output)\n\(result.error)")
                #expect(try await server.send(.GET, "/ready").status == 200)
            }
        }
    }
}
