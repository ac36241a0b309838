import DiscfgCore
import HTTPTypes
import Testing

@Suite("etcd v3 streams")
struct EtcdV3StreamTests {
    private static func result(_ revision: Int64, _ rest: String) -> String {
        #"{"result":{\#(EtcdV2Fixture.header(revision)),\#(rest)}}"#
    }

    /// The key "a" with a value, as it is after so many puts that begin at revision 2.
    private static func kv(_ version: Int64, _ value: String) -> String {
        #"{"key":"YQ==","create_revision":"2","mod_revision":"\#(version + 1)","version":"\#(version)","value":"\#(value)"}"#
    }

    @Test("A watch is a stream of lines, which goes on when the request is at its end")
    func watch() async throws {
        try await EtcdV2Fixture.with(.socket) { etcd in
            for value in ["MQ==", "Mg=="] { try await etcd.put("YQ==", value) }
            try await EtcdV2Stream(port: try etcd.port).connected { lines in
                let create = #"{"create_request":{"key":"YQ==","start_revision":"2","prev_kv":true}}"#
                try await lines.post("/v3/watch", create)
                let created = try await lines.next()
                #expect(created == Self.result(3, #""created":true"#))
                #expect(lines.kind == "200 application/json")
                let (one, two) = (Self.kv(1, "MQ=="), Self.kv(2, "Mg=="))
                let past = try await lines.next()
                #expect(past == Self.result(3, #""events":[{"kv":\#(one)},{"kv":\#(two),"prev_kv":\#(one)}]"#))
                _ = try await etcd.call("kv/deleterange", #"{"key":"YQ=="}"#)
                let deleted = try await lines.next()
                let event = #"{"type":"DELETE","kv":{"key":"YQ==","mod_revision":"4"},"prev_kv":\#(two)}"#
                #expect(deleted == Self.result(4, #""events":[\#(event)]"#))
            }
        }
    }

    @Test("Each answer is a chunk of its own, also where two come together: there are clients that read so")
    func chunks() async throws {
        try await EtcdV2Fixture.with(.socket) { etcd in
            for value in ["MQ==", "Mg=="] { try await etcd.put("YQ==", value) }
            _ = try await etcd.call("kv/compaction", #"{"revision":"3"}"#)
            try await EtcdV2Stream(port: try etcd.port).connected { lines in
                try await lines.post("/v3/watch", #"{"create_request":{"key":"YQ==","start_revision":"1"}}"#)
                let chunks = [try await lines.chunk(), try await lines.chunk()]
                let header = #""header":{"cluster_id":"7","member_id":"8","raft_term":"1"}"#
                let canceled = #"{"result":{\#(header),"canceled":true,"compact_revision":"3"}}"#
                #expect(chunks == [Self.result(3, #""created":true"#) + "\n", canceled + "\n"])
            }
        }
    }

    @Test("A client may ask for more watches, for progress and for the end of a watch while it is answered")
    func conversation() async throws {
        try await EtcdV2Fixture.with(.socket) { etcd in
            try await EtcdV2Stream(port: try etcd.port).connected { lines in
                try await lines.post("/v3/watch", #"{"create_request":{"key":"YQ=="}}"#, isWhole: false)
                let first = try await lines.next()
                #expect(first == Self.result(1, #""created":true"#))
                try await lines.send(
                    #" {"createRequest":{"key":"Yg==","watchId":"7"}}{"cancel_request":{"watch_id":7}} "#)
                try await lines.send(#"{}{"unknown_request":{}}{"progress_request":{}}{"create_request":{"key":"Y"#)
                let second = [try await lines.next(), try await lines.next(), try await lines.next()]
                #expect(
                    second == [
                        Self.result(1, #""watch_id":"7","created":true"#),
                        Self.result(1, #""watch_id":"7","canceled":true"#), Self.result(1, #""watch_id":"-1""#),
                    ])
                try await lines.send(#"w==","fragment":true,"filters":["NODELETE",1]}}"#)
                let third = try await lines.next()
                #expect(third == Self.result(1, #""watch_id":"1","created":true"#))
                try await etcd.put("Yw==", "MQ==")
                let event = try await lines.next()
                let kv = #"{"key":"Yw==","create_revision":"2","mod_revision":"2","version":"1","value":"MQ=="}"#
                #expect(event == Self.result(2, #""watch_id":"1","events":[{"kv":\#(kv)}]"#))
            }
        }
    }

    @Test("What cannot be understood ends a stream with an error as its last line, after what was asked before")
    func nonsense() async throws {
        try await EtcdV2Fixture.with(.socket) { etcd in
            try await EtcdV2Stream(port: try etcd.port).connected { lines in
                try await lines.post("/v3/watch", #"{"create_request":{"key":"YQ=="}}nonsense"#, isWhole: false)
                let created = try await lines.next()
                #expect(created == Self.result(1, #""created":true"#))
                let error = try JSONValue(parsing: try #require(try await lines.next()))["error"]
                #expect(error?["grpc_code"] == 2 && error?["http_code"] == 500)
                #expect(error?["http_status"] == "Internal Server Error" && error?["message"]?.string?.isEmpty == false)
                let hasEnded = try await lines.hasEnded()
                #expect(hasEnded)
            }
        }
    }

    @Test(
        "What cannot be understood of a whole request has a status of its own",
        arguments: ["nonsense", #"{"create_request":{"key":1}}"#, #"{"create_request":{"key":"YQ=="}"#, "{}]"])
    func malformed(body: String) async throws {
        try await EtcdV2Fixture.with(.socket) { etcd in
            for path in ["watch", "lease/keepalive"] {
                // A lease has no such fields, and so only what is no JSON is refused there.
                if path == "lease/keepalive", body.contains(":1") { continue }
                let refused = try await etcd.call(path, body)
                #expect(refused.status == 500 && refused.json["code"] == 2, "\(refused.text)")
            }
        }
    }

    @Test("A stream of a config of another name is about that")
    func config() async throws {
        try await EtcdV2Fixture.with(.socket) { etcd in
            _ = try await etcd.service.createConfig(try ConfigName("team"), settings: .init(), author: "")
            try await etcd.put("YQ==", "MQ==")
            try await EtcdV2Stream(port: try etcd.port).connected { lines in
                try await lines.post("/team/v3beta/watch", #"{"create_request":{"key":"YQ==","start_revision":1}}"#)
                let created = try await lines.next()
                #expect(created == Self.result(1, #""created":true"#))
                _ = try await etcd.rest.send(.post, "/team/v3/kv/put", #"{"key":"YQ==","value":"Mg=="}"#)
                let event = try await lines.next()
                #expect(event == Self.result(2, #""events":[{"kv":\#(Self.kv(1, "Mg=="))}]"#))
            }
            let missing = try await etcd.rest.send(.post, "/none/v3/watch", #"{"create_request":{"key":"YQ=="}}"#)
            #expect(missing.status == 404 && missing.json["code"] == 5)
        }
    }

    @Test("Leases are kept alive one after the other, and one that is not there has no time to live")
    func keepAlive() async throws {
        try await EtcdV2Fixture.with(.socket) { etcd in
            for lease: Int64 in [7, 8] { try await etcd.grant(lease) }
            let whole = try await etcd.call("lease/keepalive", #"{"ID":"8"}{"ID":9} {"ID":7}"#)
            let answers = [#""ID":"8","TTL":"60""#, #""ID":"9""#, #""ID":"7","TTL":"60""#]
            #expect(whole.status == 200 && whole.text == answers.map { Self.result(1, $0) + "\n" }.joined())
            try await EtcdV2Stream(port: try etcd.port).connected { lines in
                for (number, answer) in answers.enumerated() {
                    let request = [#"{"ID":8}"#, #"{"ID":9}"#, #"{"ID":"7"}"#][number]
                    if number == 0 {
                        try await lines.post("/v3/lease/keepalive", request, isWhole: false)
                    } else {
                        try await lines.send(request)
                    }
                    let line = try await lines.next()
                    #expect(line == Self.result(1, answer))
                }
                try await lines.finish()
                let hasEnded = try await lines.hasEnded()
                #expect(hasEnded)
            }
        }
    }

    @Test("Who waits for a lock and goes away leaves the line; the next has it when it is unlocked")
    func lock() async throws {
        try await EtcdV2Fixture.with(.socket) { etcd in
            for lease: Int64 in 1...3 { try await etcd.grant(lease) }
            let first = try await etcd.call("lock/lock", #"{"name":"bA==","lease":"1"}"#)
            #expect(first.text == #"{\#(EtcdV2Fixture.header(2)),"key":"bC8x"}"#)
            try await EtcdV2Stream(port: try etcd.port).connected { lines in
                try await lines.post("/v3/lock/lock", #"{"name":"bA==","lease":"2"}"#)
                try await etcd.waitForKeys(2)
            }
            try await etcd.waitForKeys(1)
            async let third = etcd.call("lock/lock", #"{"name":"bA==","lease":"3"}"#)
            try await etcd.waitForKeys(2)
            _ = try await etcd.call("lock/unlock", #"{"key":"bC8x"}"#)
            let lock = try await third
            #expect(lock.status == 200 && lock.json["key"] == "bC8z")
        }
    }

    @Test("Who observes an election is told who leads, line by line")
    func observe() async throws {
        try await EtcdV2Fixture.with(.socket) { etcd in
            try await etcd.grant(1)
            let won = try await etcd.call("election/campaign", #"{"name":"ZQ==","lease":"1","value":"MQ=="}"#)
            let leader = #"{"name":"ZQ==","key":"ZS8x","rev":"2","lease":"1"}"#
            #expect(won.text == #"{\#(EtcdV2Fixture.header(2)),"leader":\#(leader)}"#)
            try await EtcdV2Stream(port: try etcd.port).connected { lines in
                try await lines.post("/v3/election/observe", #"{"name":"ZQ=="}"#)
                let kv = #""kv":{"key":"ZS8x","create_revision":"2","mod_revision":"#
                let elected = try await lines.next()
                #expect(elected == Self.result(2, kv + #""2","version":"1","value":"MQ==","lease":"1"}"#))
                _ = try await etcd.call("election/proclaim", #"{"leader":\#(leader),"value":"Mg=="}"#)
                let said = try await lines.next()
                #expect(said == Self.result(3, kv + #""3","version":"2","value":"Mg==","lease":"1"}"#))
            }
        }
    }

    @Test("A snapshot is a stream of parts, of which the last has the digest")
    func snapshot() async throws {
        try await EtcdV2Fixture.with { etcd in
            let answer = try await etcd.call("maintenance/snapshot", "{}")
            let parts = try answer.text.split(separator: "\n").map { try JSONValue(parsing: String($0))["result"] }
            #expect(answer.status == 200 && parts.count == 2)
            // 512 bytes, and 32; nothing remains after either, and so that is left out.
            #expect(parts.map { $0?["blob"]?.string?.utf8.count } == [684, 44])
            #expect(parts.allSatisfy { $0?["remaining_bytes"] == nil })
        }
    }
}
