import DiscfgCore
import HTTPTypes
import Testing

@Suite("etcd v3 JSON")
struct EtcdV3JSONTests {
    private static let header2 = EtcdV2Fixture.header(2)

    @Test("Integers of 64 bits are strings, bytes are base64, and what has its default value is left out")
    func output() async throws {
        try await EtcdV2Fixture.with { etcd in
            let put = try await etcd.put("YQ==", "/+8=")
            #expect(put.status == 200 && put.header("content-type") == "application/json")
            #expect(put.text == "{\(Self.header2)}")
            let kv = #"{"key":"YQ==","create_revision":"2","mod_revision":"2","version":"1","value":"/+8="}"#
            let range = try await etcd.call("kv/range", #"{"key":"YQ=="}"#)
            #expect(range.text == #"{\#(Self.header2),"kvs":[\#(kv)],"count":"1"}"#)
            let before = try await etcd.call("kv/put", #"{"key":"YQ==","prev_kv":true}"#)
            #expect(before.text == #"{\#(EtcdV2Fixture.header(3)),"prev_kv":\#(kv)}"#)
            let empty = try await etcd.call("kv/range", #"{"key":"YQ=="}"#)
            #expect(empty.text.hasSuffix(#""mod_revision":"3","version":"2"}],"count":"1"}"#))
            let none = try await etcd.call("kv/deleterange", #"{"key":"eA=="}"#)
            #expect(none.text == "{\(EtcdV2Fixture.header(3))}")
            let deleted = try await etcd.call("kv/deleterange", #"{"key":"YQ=="}"#)
            #expect(deleted.text == #"{\#(EtcdV2Fixture.header(4)),"deleted":"1"}"#)
            let hash = try await etcd.call("maintenance/hash")
            #expect(hash.json["hash"]?.integer ?? 0 > 0)
        }
    }

    @Test("A transaction answers with what each of its operations found, and whether its conditions held")
    func transaction() async throws {
        try await EtcdV2Fixture.with { etcd in
            let request = #"""
                {"compare":[{"key":"YQ==","result":"EQUAL","target":"CREATE","createRevision":"0"}],
                "success":[{"requestPut":{"key":"YQ==","value":"MQ=="}},{"request_range":{"key":"YQ=="}}],
                "failure":[{"request_delete_range":{"key":"YQ==","prevKv":true}},{"requestTxn":{}}]}
                """#
            let kv = #"{"key":"YQ==","create_revision":"2","mod_revision":"2","version":"1","value":"MQ=="}"#
            let first = try await etcd.call("kv/txn", request)
            let inner = #""header":{"revision":"2"}"#
            #expect(
                first.text == #"{\#(Self.header2),"succeeded":true,"responses":[{"response_put":{\#(inner)}},"#
                    + #"{"response_range":{\#(inner),"kvs":[\#(kv)],"count":"1"}}]}"#)
            let second = try await etcd.call("kv/txn", request)
            #expect(
                second.text == #"{\#(EtcdV2Fixture.header(3)),"responses":[{"response_delete_range":"#
                    + #"{"header":{"revision":"3"},"deleted":"1","prev_kvs":[\#(kv)]}},"#
                    + #"{"response_txn":{"header":{},"succeeded":true}}]}"#)
        }
    }

    @Test(
        "Bytes are taken in both alphabets, with padding or without, and with the slash escaped",
        arguments: ["/+8=", "_-8=", "_-8", "/+8", #"\/+8="#])
    func base64(text: String) async throws {
        try await EtcdV2Fixture.with { etcd in
            try await etcd.put(text, text)
            let found = try await etcd.call("kv/range", #"{"key":"/+8="}"#).json["kvs"]?.array?.first
            #expect(found?["key"] == "/+8=" && found?["value"] == "/+8=")
        }
    }

    @Test("Every length of bytes comes back as it was sent")
    func lengths() async throws {
        try await EtcdV2Fixture.with { etcd in
            for (text, padding) in [("", ""), ("AA", "=="), ("AAE", "="), ("AAEC", ""), ("AAECAw", "==")] {
                try await etcd.put("YQ", text)
                let found = try await etcd.call("kv/range", #"{"key":"YQ"}"#).json["kvs"]?.array?.first
                #expect(found?["value"]?.string ?? "" == text + padding)
            }
        }
    }

    @Test("What is no base64 is refused", arguments: ["A", "A===", "YQ=", "YQ=a", "é", "Y Q=", #"\u00zz"#])
    func badBase64(text: String) async throws {
        try await EtcdV2Fixture.with { etcd in
            let refused = try await etcd.put(text, "MQ==")
            #expect(refused.status == 400 && refused.json["code"] == 3)
            #expect(try await etcd.service.revision(of: .default) == 1)
        }
    }

    @Test(
        "A number is taken as it is or in a string",
        arguments: ["2", #""2""#, " 2 ", #" "2" "#])
    func numbers(number: String) async throws {
        try await EtcdV2Fixture.with { etcd in
            for value in ["MQ==", "Mg=="] { try await etcd.put("YQ==", value) }
            let body = #"{"key":"YQ==","revision":\#(number)}"#
            let answer = try await etcd.call("kv/range", body)
            #expect(answer.json["kvs"]?.array?.first?["value"] == "MQ==", "\(answer.text)")
        }
    }

    @Test(
        "What is no whole number of 64 bits is refused",
        arguments: ["1.5", #""x""#, #""""#, "9223372036854775808", #""-9223372036854775809""#, "true", "[1]", "-"])
    func badNumbers(number: String) async throws {
        try await EtcdV2Fixture.with { etcd in
            let refused = try await etcd.call("kv/range", #"{"key":"YQ==","revision":\#(number)}"#)
            #expect(refused.status == 400 && refused.json["code"] == 3, "\(refused.text)")
        }
    }

    @Test("The greatest and the least numbers are numbers")
    func extremes() async throws {
        try await EtcdV2Fixture.with { etcd in
            let most = "9223372036854775807"
            let granted = try await etcd.call("lease/grant", #"{"ID":"\#(most)","TTL":9000000000}"#)
            #expect(granted.json["ID"] == .string(most) && granted.json["TTL"] == "9000000000")
            let low = try await etcd.call("lease/timetolive", #"{"ID":-9223372036854775808}"#)
            #expect(low.json["ID"] == "-9223372036854775808" && low.json["TTL"] == "-1")
            let member = try await etcd.call("cluster/member/remove", #"{"ID":"18446744073709551615"}"#)
            #expect(member.status == 404 && member.json["code"] == 5)
            let negative = try await etcd.call("cluster/member/remove", #"{"ID":-1}"#)
            #expect(negative.status == 400 && negative.json["code"] == 3)
        }
    }

    @Test(
        "An enumeration is taken by name or by number, and fields by either of their names",
        arguments: [
            #""sort_order":"DESCEND""#, #""sortOrder":"DESCEND""#, #""sort_order":2"#,
            #""sortOrder":2,"sort_target":"VALUE""#, #""sort_order":"DESCEND","sortTarget":4"#,
            #""s\u006frt_order":"DESC\u0045ND""#,
        ])
    func enumerations(fields: String) async throws {
        try await EtcdV2Fixture.with { etcd in
            for text in ["YQ==", "Yg=="] { try await etcd.put(text, text) }
            let answer = try await etcd.call("kv/range", #"{"key":"AA==","rangeEnd":"AA==",\#(fields)}"#)
            #expect(answer.json["kvs"]?.array?.map { $0["key"] } == ["Yg==", "YQ=="], "\(answer.text)")
        }
    }

    @Test(
        "Null is nothing, in a field of any kind",
        arguments: [
            #""limit":null"#, #""range_end":null"#, #""keys_only":null"#, #""sort_order":null"#, #""unknown":null"#,
        ])
    func null(field: String) async throws {
        try await EtcdV2Fixture.with { etcd in
            try await etcd.put("YQ==", "MQ==")
            let answer = try await etcd.call("kv/range", #"{"key":"YQ==",\#(field)}"#)
            #expect(answer.json["kvs"]?.array?.map { $0["value"] } == ["MQ=="], "\(answer.text)")
        }
    }

    @Test("An enumeration that has no such value is refused", arguments: [#""DOWN""#, #""2""#, "3", "-1", "1.0"])
    func badEnumerations(value: String) async throws {
        try await EtcdV2Fixture.with { etcd in
            let refused = try await etcd.call("kv/range", #"{"key":"YQ==","sort_order":\#(value)}"#)
            #expect(refused.status == 400 && refused.json["code"] == 3)
            #expect(refused.json["message"]?.string?.contains("enum etcdserverpb.RangeRequest_SortOrder") == true)
        }
    }
}
