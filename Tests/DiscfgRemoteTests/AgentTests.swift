import AsyncHTTPClient
import DiscfgCore
import DiscfgRemote
import DiscfgTestSupport
import NIOCore
import NIOHTTP1
import Testing

/// A server whose store is another server, with every API.
@Suite("Agents")
struct AgentTests {
    /// An agent's HTTP API.
    struct Door: Sendable {
        let port: Int

        func send(
            _ method: HTTPMethod, _ path: String, _ body: String? = nil
        ) async throws -> (status: UInt, headers: HTTPHeaders, body: String) {
            let response = try await HTTPClient.shared.execute(request(method, path, body), timeout: .hours(1))
            let bytes = try await response.body.collect(upTo: 1 << 20)
            return (response.status.code, response.headers, String(buffer: bytes))
        }

        func request(_ method: HTTPMethod, _ path: String, _ body: String? = nil) -> HTTPClientRequest {
            var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(path)")
            request.method = method
            if let body { request.body = .bytes(ByteBuffer(string: body)) }
            return request
        }
    }

    /// Runs `body` beside an agent of a server on an empty store.
    static func with(
        _ body: @escaping @Sendable (_ agent: Door, _ server: ConfigService) async throws -> Void
    ) async throws {
        try await RemoteFixture.serving(MemoryEngine()) { port, server in
            try await RemoteFixture.remote(port) { engine in
                try await RemoteFixture.serving(RemoteFixture.agent(engine)) { port in
                    try await body(Door(port: port), server)
                }
            }
        }
    }

    @Test("etcd's v3 API works on an agent: keys of any bytes, ranges, transactions and leases")
    func v3() async throws {
        try await Self.with { agent, server in
            // The key is FF 00, the value is 00.
            let put = try await agent.send(.POST, "/v3/kv/put", #"{"key":"/wA=","value":"AA=="}"#)
            #expect(put.status == 200 && put.body.contains(#""revision":"2""#))
            let key = try Key(bytes: [0xFF, 0])
            let item = try await server.get(key, in: .default, at: nil, consistency: .strong).item
            #expect(item.value.bytes == [0] && item.version == 1)
            let range = try await agent.send(.POST, "/v3/kv/range", #"{"key":"/wA=","range_end":"/wE="}"#)
            #expect(range.body.contains(#""value":"AA==""#) && range.body.contains(#""count":"1""#))
            let lease = try await agent.send(.POST, "/v3/lease/grant", #"{"ID":7,"TTL":600}"#)
            #expect(lease.status == 200)
            let attached = try await agent.send(.POST, "/v3/kv/put", #"{"key":"bA==","value":"YQ==","lease":7}"#)
            #expect(attached.status == 200)
            let leased = try Key(bytes: Array("l".utf8))
            #expect(try await server.keys(attachedTo: 7, in: .default) == [leased])
            // A value that is compared and replaced with its lease kept.
            let swapped = try await agent.send(
                .POST, "/v3/kv/txn",
                #"""
                {"compare":[{"key":"bA==","target":"VALUE","result":"EQUAL","value":"YQ=="}],
                "success":[{"request_put":{"key":"bA==","value":"Yg==","ignore_lease":true}}],
                "failure":[{"request_delete_range":{"key":"AA==","range_end":"AA=="}}]}
                """#)
            #expect(swapped.body.contains(#""succeeded":true"#), "\(swapped)")
            let kept = try await server.get(leased, in: .default, at: nil, consistency: .strong)
            #expect(kept.item.lease == 7 && kept.item.value == Value("b"))
            let renewed = try await agent.send(.POST, "/v3/lease/keepalive", #"{"ID":7}"#)
            #expect(renewed.body.contains(#""TTL":"600""#))
            let revoked = try await agent.send(.POST, "/v3/lease/revoke", #"{"ID":7}"#)
            #expect(revoked.status == 200)
            let gone = await #expect(throws: DiscfgError.self) {
                try await server.get(leased, in: .default, at: nil, consistency: .strong)
            }
            #expect(gone?.code == .keyNotFound)
        }
    }

    @Test("A watch on an agent sees what the server and other agents write, each commit once and in order")
    func watch() async throws {
        try await Self.with { agent, server in
            let create = #"{"create_request":{"key":"aw==","range_end":"bA==","start_revision":2}}"#
            let response = try await HTTPClient.shared.execute(
                agent.request(.POST, "/v3/watch", create), timeout: .hours(1))
            var chunks = response.body.makeAsyncIterator()
            var text = ""
            while !text.contains(#""created":true"#) {
                text += String(buffer: try #require(try await chunks.next()))
            }
            for value in ["1", "2", "3"] {
                let key = try Key(bytes: Array("k\(value)".utf8))
                if value == "2" {
                    let put = try await agent.send(.POST, "/v3/kv/put", #"{"key":"azI=","value":"Mg=="}"#)
                    #expect(put.status == 200)
                } else {
                    _ = try await server.commit(Transaction(then: [.set(key, Value(value))]), to: .default)
                }
            }
            while !text.contains(#""key":"azM=""#) {
                text += String(buffer: try #require(try await chunks.next()))
            }
            let keys = text.matches(of: /"key":"(az[^"]*)"/).map { String($0.1) }
            #expect(keys == ["azE=", "azI=", "azM="])
        }
    }

    @Test("etcd's v2 API works on an agent, directories included")
    func v2() async throws {
        try await Self.with { agent, server in
            let made = try await agent.send(.PUT, "/v2/keys/dir/a?value=1")
            #expect(made.status == 201, "\(made)")
            let listed = try await agent.send(.GET, "/v2/keys/dir?recursive=true")
            #expect(listed.body.contains(#""key":"/dir/a""#) && listed.body.contains(#""dir":true"#))
            let swapped = try await agent.send(.PUT, "/v2/keys/dir/a?value=2&prevValue=1")
            #expect(swapped.status == 200)
            let item = try await server.get(Key(path: "/dir/a"), in: .default, at: nil, consistency: .strong).item
            #expect(item.value == Value("2"))
            let removed = try await agent.send(.DELETE, "/v2/keys/dir?recursive=true")
            #expect(removed.status == 200)
        }
    }

    @Test("An agent of an agent has the same store")
    func chain() async throws {
        try await Self.with { first, server in
            try await RemoteFixture.remote(first.port) { engine in
                try await RemoteFixture.serving(RemoteFixture.agent(engine)) { port in
                    let second = Door(port: port)
                    let made = try await second.send(.PUT, "/v1/default/keys/a", "x")
                    #expect(made.status == 201)
                    let item = try await server.get(Key(path: "/a"), in: .default, at: nil).item
                    #expect(item.value == Value("x"))
                    let (far, near) = (
                        try await second.send(.GET, "/v1/default/keys/a?consistent=true"),
                        try await first.send(.GET, "/v1/default/keys/a?consistent=true")
                    )
                    #expect(far.body == near.body && far.headers["ETag"] == near.headers["ETag"])
                    let (described, original) = (
                        try await second.send(.GET, "/v1/default/cfg"), try await first.send(.GET, "/v1/default/cfg")
                    )
                    #expect(described.body == original.body && described.body.contains(#""memory""#))
                }
            }
        }
    }

    @Test("An agent answers gets with their age while its server is down, and refuses everything else")
    func outage() async throws {
        let store = MemoryEngine()
        let (ports, found) = AsyncStream.makeStream(of: Int.self)
        try await RemoteFixture.serving(store) { port, service in
            _ = try await service.commit(Transaction(then: [.set(Key(path: "/k"), Value("1"))]), to: .default)
            found.yield(port)
        }
        let port = try #require(await ports.first { _ in true })
        try await RemoteFixture.remote(port) { engine in
            let clock = TestClock()
            let service = RemoteFixture.agent(engine, clock)
            try await RemoteFixture.serving(store, port: port) { _, _ in try await service.loadNow(.default) }
            try await RemoteFixture.serving(service) { agentPort in
                let agent = Door(port: agentPort)
                clock.advance(by: .seconds(90))
                let reading = try await agent.send(.GET, "/v1/default/keys/k")
                #expect(reading.status == 200 && reading.headers["Age"] == ["90"], "\(reading)")
                let listing = try await agent.send(.GET, "/v1/default/keys/?recursive=true")
                #expect(listing.status == 200 && listing.headers["Age"] == ["90"], "\(listing)")
                for (method, path, body) in [
                    (HTTPMethod.GET, "/v1/default/keys/k?consistent=true", nil), (.PUT, "/v1/default/keys/k", "2"),
                    (.POST, "/v3/kv/range", #"{"key":"L2s="}"#), (.GET, "/ready", nil),
                ] {
                    let refused = try await agent.send(method, path, body)
                    #expect(refused.status == 503, "\(path): \(refused)")
                }
                try await RemoteFixture.serving(store, port: port) { _, _ in
                    let after = try await agent.send(.GET, "/v1/default/keys/k?consistent=true")
                    #expect(after.status == 200 && after.headers["Age"].isEmpty && after.body.contains(#""1""#))
                    let written = try await agent.send(.PUT, "/v1/default/keys/k", "2")
                    #expect(written.status == 200)
                    let eventual = try await agent.send(.GET, "/v1/default/keys/k")
                    #expect(eventual.headers["Age"].isEmpty && eventual.body.contains(#""2""#))
                }
            }
        }
    }
}
