import DiscfgCore
import HTTPTypes
import Testing

@Suite("etcd v3 routes")
struct EtcdV3RouteTests {
    struct Refusal: Sendable, CustomTestStringConvertible {
        let path: String
        let body: String
        let status: Int
        let code: Int64
        let message: String
        var testDescription: String { path }

        init(_ path: String, _ body: String, _ status: Int, _ code: Int64, _ message: String) {
            (self.path, self.body, self.status, self.code, self.message) = (path, body, status, code, message)
        }
    }

    static let refusals: [Refusal] = [
        Refusal("kv/range", "{}", 400, 3, "etcdserver: key is not provided"),
        Refusal(
            "kv/range", #"{"key":"YQ==","revision":9}"#, 400, 11,
            "etcdserver: mvcc: required revision is a future revision"),
        Refusal("kv/put", #"{"key":"YQ==","lease":9}"#, 404, 5, "etcdserver: requested lease not found"),
        Refusal(
            "kv/compaction", #"{"revision":9}"#, 400, 11, "etcdserver: mvcc: required revision is a future revision"),
        Refusal("lease/grant", #"{"ID":7,"TTL":60}"#, 412, 9, "etcdserver: lease already exists"),
        Refusal("lease/grant", #"{"TTL":9000000001}"#, 400, 11, "etcdserver: too large lease TTL"),
        Refusal("lease/revoke", #"{"ID":9}"#, 404, 5, "etcdserver: requested lease not found"),
        Refusal("lock/lock", #"{"name":"bA==","lease":9}"#, 500, 2, "etcdserver: requested lease not found"),
        Refusal("election/leader", #"{"name":"ZQ=="}"#, 500, 2, "election: no leader"),
        Refusal("election/proclaim", "{}", 500, 2, #""leader" field must be provided"#),
        Refusal("election/resign", "{}", 500, 2, #""leader" field must be provided"#),
        Refusal("cluster/member/remove", #"{"ID":1}"#, 404, 5, "etcdserver: member not found"),
        Refusal(
            "maintenance/transfer-leadership", #"{"targetID":1}"#, 412, 9, "etcdserver: bad leader transferee"),
        Refusal("auth/enable", "{}", 412, 9, "etcdserver: root user does not exist"),
        Refusal("auth/authenticate", #"{"name":"a"}"#, 412, 9, "etcdserver: authentication is not enabled"),
        Refusal("auth/user/add", "{}", 400, 3, "etcdserver: user name is empty"),
        Refusal("auth/role/get", #"{"role":"r"}"#, 412, 9, "etcdserver: role name not found"),
    ]

    @Test("An error has its code, its text twice, and the status of its code", arguments: refusals)
    func errors(_ test: Refusal) async throws {
        try await EtcdV2Fixture.with { etcd in
            try await etcd.grant(7)
            let refused = try await etcd.call(test.path, test.body)
            #expect(refused.status == test.status && refused.header("content-type") == "application/json")
            let message = JSONValue.string(test.message).text
            #expect(refused.text == #"{"error":\#(message),"message":\#(message),"code":\#(test.code)}"#)
        }
    }

    @Test(
        "What discfg cannot do is refused by name",
        arguments: [
            ("maintenance/alarm", #"{"action":"ACTIVATE","alarm":"NOSPACE"}"#), ("cluster/member/add", "{}"),
            ("cluster/member/update", #"{"ID":8}"#), ("auth/user/add", #"{"name":"root"}"#),
            ("auth/role/add", #"{"name":"root"}"#),
        ])
    func unsupported(path: String, body: String) async throws {
        try await EtcdV2Fixture.with { etcd in
            let refused = try await etcd.call(path, body)
            #expect(refused.status == 501 && refused.json["code"] == 12)
            #expect(refused.json["message"]?.string?.hasPrefix("discfg: ") == true)
        }
    }

    @Test(
        "Every call of etcd's gateway is there, by both prefixes, and by POST alone",
        arguments: [
            "kv/range", "kv/put", "kv/deleterange", "kv/txn", "kv/compaction", "lease/grant", "lease/revoke",
            "lease/timetolive", "lease/leases", "lease/keepalive", "kv/lease/revoke", "kv/lease/timetolive",
            "kv/lease/leases", "cluster/member/add", "cluster/member/remove", "cluster/member/update",
            "cluster/member/list", "cluster/member/promote", "maintenance/alarm", "maintenance/status",
            "maintenance/defragment", "maintenance/hash", "maintenance/snapshot", "maintenance/transfer-leadership",
            "auth/enable", "auth/disable", "auth/authenticate", "auth/user/add", "auth/user/get", "auth/user/list",
            "auth/user/delete", "auth/user/changepw", "auth/user/grant", "auth/user/revoke", "auth/role/add",
            "auth/role/get", "auth/role/list", "auth/role/delete", "auth/role/grant", "auth/role/revoke", "lock/lock",
            "lock/unlock", "election/campaign", "election/proclaim", "election/leader", "election/resign",
        ])
    func calls(path: String) async throws {
        try await EtcdV2Fixture.with { etcd in
            for prefix in ["/v3/", "/v3beta/", "/default/v3/", "/default/v3beta/"] {
                // With a lease that is not there nothing has to be waited for.
                let answer = try await etcd.rest.send(.post, prefix + path, #"{"ID":9,"lease":9}"#)
                #expect(answer.header("content-type") == "application/json" && answer.status != 405)
                for method in [HTTPRequest.Method.get, .put, .delete] {
                    let wrong = try await etcd.rest.send(method, prefix + path)
                    #expect(wrong.status == 405 && wrong.text == "Method Not Allowed\n")
                    #expect(wrong.header("content-type") == "text/plain; charset=utf-8")
                }
            }
        }
    }

    @Test(
        "What the gateway of 3.4 does not have is not found, in words that are no JSON",
        arguments: ["/v3/kv/nothing", "/v3/maintenance/hashkv", "/v3/auth/status", "/v3beta/x"])
    func notFound(path: String) async throws {
        try await EtcdV2Fixture.with { etcd in
            for method in [HTTPRequest.Method.post, .get] {
                let answer = try await etcd.rest.send(method, path, method == .post ? "{}" : nil)
                #expect(answer.status == 404 && answer.text == "Not Found\n")
                #expect(answer.header("content-type") == "text/plain; charset=utf-8")
            }
        }
    }

    @Test("A config of any name has its keys and leases below its own path")
    func configs() async throws {
        try await EtcdV2Fixture.with { etcd in
            _ = try await etcd.service.createConfig(try ConfigName("team"), settings: .init(), author: "")
            let put = try await etcd.rest.send(.post, "/team/v3/kv/put", #"{"key":"YQ==","value":"MQ=="}"#)
            #expect(put.text == "{\(EtcdV2Fixture.header(2))}")
            let beta = try await etcd.rest.send(.post, "/team/v3beta/kv/range", #"{"key":"YQ=="}"#)
            #expect(beta.json["count"] == "1")
            let other = try await etcd.call("kv/range", #"{"key":"YQ=="}"#)
            #expect(other.text == "{\(EtcdV2Fixture.header(1))}")
            for (name, status, code) in [("none", 404, 5), ("-bad", 400, 3)] as [(String, Int, Int64)] {
                let refused = try await etcd.rest.send(.post, "/\(name)/v3/kv/range", #"{"key":"YQ=="}"#)
                #expect(refused.status == status && refused.json["code"]?.integer == code, "\(refused.text)")
                #expect(refused.json["message"]?.string?.hasPrefix("discfg: ") == true)
            }
        }
    }

    @Test("Leases are reached by both of their paths, and described in etcd's spelling")
    func leases() async throws {
        try await EtcdV2Fixture.with { etcd in
            let granted = try await etcd.grant(7)
            #expect(granted.text == #"{\#(EtcdV2Fixture.header(1)),"ID":"7","TTL":"60"}"#)
            _ = try await etcd.call("kv/put", #"{"key":"YQ==","lease":"7"}"#)
            let header = EtcdV2Fixture.header(2)
            for prefix in ["lease", "kv/lease"] {
                let described = try await etcd.call("\(prefix)/timetolive", #"{"ID":"7","keys":true}"#)
                #expect(described.text == #"{\#(header),"ID":"7","TTL":"60","grantedTTL":"60","keys":["YQ=="]}"#)
                let missing = try await etcd.call("\(prefix)/timetolive", #"{"ID":"8"}"#)
                #expect(missing.text == #"{\#(header),"ID":"8","TTL":"-1"}"#)
                let all = try await etcd.call("\(prefix)/leases")
                #expect(all.text == #"{\#(header),"leases":[{"ID":"7"}]}"#)
            }
            let revoked = try await etcd.call("kv/lease/revoke", #"{"ID":"7"}"#)
            #expect(revoked.text == "{\(EtcdV2Fixture.header(3))}")
        }
    }

    @Test("The one member is reached where the client reached it")
    func members() async throws {
        try await EtcdV2Fixture.with(.socket) { etcd in
            let url = "http://localhost:\(try etcd.port)"
            let list = try await etcd.call("cluster/member/list")
            #expect(
                list.text == #"{"header":{"cluster_id":"7","member_id":"8","raft_term":"1"},"members":"#
                    + #"[{"ID":"8","name":"test","peerURLs":["\#(url)"],"clientURLs":["\#(url)"]}]}"#)
        }
    }
}
