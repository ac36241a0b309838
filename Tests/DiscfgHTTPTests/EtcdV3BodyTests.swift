import DiscfgCore
import HTTPTypes
import Testing

@Suite("etcd v3 bodies")
struct EtcdV3BodyTests {
    private static let noKey = "etcdserver: key is not provided"

    @Test(
        "A body that is empty, null or an empty object asks for nothing", arguments: [nil, "", "{}", "null", " { } "])
    func empty(body: String?) async throws {
        try await EtcdV2Fixture.with { etcd in
            let refused = try await etcd.call("kv/range", body)
            #expect(refused.status == 400 && refused.json["message"] == .string(Self.noKey))
            let status = try await etcd.call("maintenance/status", body)
            #expect(status.status == 200 && status.json["version"] == "3.4.23")
        }
    }

    @Test("Fields that nobody knows are passed over, whatever they hold")
    func unknownFields() async throws {
        try await EtcdV2Fixture.with { etcd in
            let body = #"""
                {"what":{"a":[1,"]}\"",null,true,false,{"b":-1.5e3}],"c":{}},"key":"YQ==","x":"\"}","value":"MQ==",
                "list":[], "Key":"eA=="}
                """#
            let put = try await etcd.call("kv/put", body)
            #expect(put.status == 200, "\(put.text)")
            let all = try await etcd.call("kv/range", #"{"key":"AA==","range_end":"AA=="}"#)
            #expect(all.json["kvs"]?.array?.map { $0["key"] } == ["YQ=="])
        }
    }

    @Test(
        "What is not JSON, or not of the kind that a field has, is refused",
        arguments: [
            "{", "}", "[]", "nul", #""key""#, #"{"key"}"#, #"{"key":}"#, #"{"key":"YQ=="#, #"{"key":"YQ==\"}"#,
            #"{"key":"YQ==""#, #"{"key":"YQ==",}"#, #"{"key":"YQ==" "value":"MQ=="}"#, #"{key:"YQ=="}"#,
            #"{"key":12}"#, #"{"key":["YQ=="]}"#, #"{"key":"YQ==","prev_kv":"true"}"#,
            #"{"key":"YQ==","prev_kv":1}"#, #"{"key":"YQ==","x":tru}"#, #"{"key":"YQ==","x":[1}"#, "\u{1}", "{\"\\",
        ])
    func malformed(body: String) async throws {
        try await EtcdV2Fixture.with { etcd in
            let refused = try await etcd.call("kv/put", body)
            #expect(refused.status == 400 && refused.json["code"] == 3, "\(refused.text)")
            #expect(refused.json["message"]?.string?.isEmpty == false)
            #expect(try await etcd.service.revision(of: .default) == 1)
        }
    }

    @Test(
        "Fields that nobody knows may be 64 deep, and no deeper",
        arguments: [(64, true), (65, false), (500_000, false)])
    func depth(levels: Int, isTaken: Bool) async throws {
        try await EtcdV2Fixture.with { etcd in
            for (open, close) in [("[", "]"), (#"{"a":"#, "}")] {
                let inside = open == "[" ? "" : "1"
                // An object has a value inside, which is one more.
                let count = open == "[" ? levels : levels - 1
                let value = String(repeating: open, count: count) + inside + String(repeating: close, count: count)
                let answer = try await etcd.call("kv/put", #"{"key":"YQ==","x":\#(value)}"#)
                #expect((answer.status == 200) == isTaken && (answer.json["code"] == 3) != isTaken)
            }
        }
    }

    @Test("Transactions may be nested 8 deep, and are refused beyond that however deep they are")
    func nesting() async throws {
        try await EtcdV2Fixture.with { etcd in
            for (levels, isTaken) in [(8, true), (9, false), (33, false), (34, false), (50_000, false)] {
                let open = String(repeating: #"{"success":[{"request_txn":"#, count: levels - 1)
                let close = String(repeating: "}]}", count: levels - 1)
                let answer = try await etcd.call("kv/txn", open + "{}" + close)
                #expect((answer.status == 200) == isTaken, "\(levels): \(answer.text.prefix(200))")
                if isTaken { continue }
                let message = answer.json["message"]?.string ?? ""
                #expect(answer.json["code"] == 3 && message.hasPrefix("discfg:") && message.contains("nest"))
            }
        }
    }

    @Test("A body over 4 MiB is refused, and a request over 1.5 MiB, and nothing is written")
    func large() async throws {
        try await EtcdV2Fixture.with { etcd in
            let most = String(repeating: "AAAA", count: 1_572_864 / 3)
            for value in [most, most + "AAAA", String(repeating: "A", count: 4 << 20)] {
                let refused = try await etcd.put("YQ==", value)
                #expect(refused.status == 400 && refused.json["code"] == 3)
                #expect(refused.json["message"] == "etcdserver: request is too large")
            }
            #expect(try await etcd.service.revision(of: .default) == 1)
            let put = try await etcd.put("YQ==", String(most.dropLast(4)))
            #expect(put.status == 200)
        }
    }
}
