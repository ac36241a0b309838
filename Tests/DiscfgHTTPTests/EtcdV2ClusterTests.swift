import DiscfgCore
import DiscfgHTTP
import HTTPTypes
import Testing

@Suite("etcd v2 beside the keys")
struct EtcdV2ClusterTests {
    @Test("Other methods are refused as Go refuses them, and other paths are not found")
    func methods() async throws {
        try await EtcdV2Fixture.with { etcd in
            for (method, path, allowed) in [
                (HTTPRequest.Method.patch, "/v2/keys/a", "HEAD,GET,PUT,POST,DELETE"), (.put, "/v2/stats/self", "GET"),
                (.head, "/v2/stats/store", "GET"), (.post, "/v2/machines", "GET,HEAD"), (.delete, "/version", "GET"),
                (.patch, "/v2/members", "GET,POST,DELETE,PUT"), (.post, "/v2/auth/enable", "GET,PUT,DELETE"),
            ] {
                let answer = try await etcd.send(method, path)
                #expect(answer.status == 405 && answer.header("allow") == allowed, "\(method) \(path)")
                #expect(method == .head || answer.text == "Method Not Allowed\n")
            }
            for path in ["/v2", "/v2/", "/v2/keysfoo", "/v2/nothing", "/v2/auth", "/v2/stats", "/default/v2/x"] {
                let answer = try await etcd.send(.get, path)
                #expect(answer.status == 404 && answer.text == "404 page not found\n", "\(path)")
            }
            #expect(try await etcd.send(.get, "/v2x/keys").errorCode == 113)
        }
    }

    @Test("Every answer may be read by any page, but a page that was not named gets none")
    func access() async throws {
        try await EtcdV2Fixture.with { etcd in
            for path in ["/v2/keys", "/v2/keys/none", "/v2/nothing", "/v2/keys//a", "/version"] {
                let answer = try await etcd.send(.get, path)
                #expect(answer.header("access-control-allow-origin") == "*", "\(path)")
                #expect(answer.header("access-control-allow-headers") == "accept, content-type, authorization")
            }
            let asked = try await etcd.send(.options, "/v2/keys/a")
            #expect(asked.status == 200 && asked.text.isEmpty && asked.header("access-control-allow-origin") == "*")
        }
        let access = AccessPolicy(listeningOn: "127.0.0.1", corsOrigins: ["https://admin.example.com"])
        try await EtcdV2Fixture.with(.socket, access: access) { etcd in
            let foreign = try await etcd.send(
                .put, "/v2/keys/a", "value=1", headers: ["Origin": "https://evil.example.com"])
            #expect(foreign.status == 403 && foreign.header("access-control-allow-origin") == nil)
            #expect(try await etcd.service.revision(of: .default) == 1)
            let named = try await etcd.send(.get, "/v2/keys", headers: ["Origin": "https://admin.example.com"])
            #expect(named.status == 200 && named.header("access-control-allow-origin") == "https://admin.example.com")
        }
    }

    @Test("The one member is reached where the client reached it")
    func members() async throws {
        try await EtcdV2Fixture.with(.socket) { etcd in
            let url = "http://localhost:\(try etcd.port)"
            let members = try await etcd.send(.get, "/v2/members")
            #expect(members.json["members"]?.array?.first?["clientURLs"]?.text == "[\"\(url)\"]", "\(members.text)")
            let id = try #require(members.json["members"]?.array?.first?["id"]?.string)
            let number = try #require(UInt64(id, radix: 16))
            let v3 = try await etcd.rest.send(.post, "/v3/cluster/member/list", "{}")
            #expect(v3.json["members"]?.array?.first?["ID"]?.string == String(number), "the same by both APIs")
            #expect(try await etcd.send(.get, "/v2/members/leader").json["id"]?.string == id)
            #expect(try await etcd.send(.get, "/v2/stats/leader").text == #"{"leader":"\#(id)","followers":{}}"#)
            #expect(try await etcd.send(.get, "/v2/machines").text == url)
            #expect(try await etcd.send(.get, "/v2/members/1").status == 404)
            let added = try await etcd.rest.send(.post, "/v2/members", #"{"peerURLs":["http://x"]}"#)
            #expect(added.status == 501 && added.json["message"]?.string?.contains("members") == true)
            #expect(try await etcd.send(.get, "/version").text == #"{"etcdserver":"3.4.23","etcdcluster":"3.4.0"}"#)
        }
    }

    @Test("Authentication is disabled, and stays so")
    func authentication() async throws {
        try await EtcdV2Fixture.with { etcd in
            for (path, text) in [
                ("enable", #"{"enabled":false}"#), ("users", #"{"users":null}"#),
                ("roles", #"{"roles":[{"role":"root","permissions":{"kv":{"read":["/*"],"write":["/*"]}}}]}"#),
                ("users/x", #"{"message":"auth: User x does not exist."}"#),
            ] { #expect(try await etcd.send(.get, "/v2/auth/\(path)").text == text + "\n") }
            for path in ["enable", "users/root", "roles/r"] {
                let refused = try await etcd.rest.send(.put, "/v2/auth/\(path)", #"{"user":"root","password":"p"}"#)
                #expect(refused.status == 501 && refused.json["message"]?.string?.contains("discfg") == true)
            }
            #expect(try await etcd.send(.delete, "/v2/auth/enable").status == 409)
            #expect(try await etcd.send(.get, "/v2/auth/enable").json["enabled"] == false)
        }
    }

    @Test("The statistics count what was done and what was refused, as etcd counts it")
    func statistics() async throws {
        try await EtcdV2Fixture.with { etcd in
            let before = try await etcd.send(.get, "/v2/stats/store").json
            _ = try await etcd.send(.put, "/v2/keys/a", "value=1")
            _ = try await etcd.send(.put, "/v2/keys/a/b", "value=1")
            _ = try await etcd.send(.post, "/v2/keys/a", "value=1")
            _ = try await etcd.send(.get, "/v2/keys/none")
            _ = try await etcd.send(.delete, "/v2/keys/a?prevValue=x")
            _ = try await etcd.send(.put, "/v2/keys/a", "value=1&ttl=bad")
            let after = try await etcd.send(.get, "/v2/stats/store").json
            var changes: [String: Int64] = [:]
            for (name, count) in after.object ?? JSONObject() {
                let change = (count.integer ?? 0) - (before[name]?.integer ?? 0)
                if change != 0 { changes[name] = change }
            }
            #expect(
                changes == [
                    "setsSuccess": 1, "setsFail": 2, "createFail": 1, "getsFail": 1, "compareAndDeleteSuccess": 1,
                ])
            let own = try await etcd.send(.get, "/v2/stats/self").json
            #expect(own["state"] == "StateLeader" && own["leaderInfo"]?["uptime"] == "0.000s")
            #expect(own["startTime"] == "2026-01-01T00:00:00.000Z")
        }
    }
}
