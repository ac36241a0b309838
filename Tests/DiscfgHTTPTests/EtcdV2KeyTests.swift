import DiscfgCore
import HTTPTypes
import Testing

@Suite("etcd v2 keys")
struct EtcdV2KeyTests {
    @Test("A key is set, read, compared and deleted, to the byte as by etcd", arguments: RESTFixture.transports)
    func lifecycle(transport: RESTFixture.Transport) async throws {
        try await EtcdV2Fixture.with(transport) { etcd in
            let made = try await etcd.send(.put, "/v2/keys/a/b", "value=%3C1%3E+%26%22&ttl=9")
            #expect(made.status == 201 && made.header("x-etcd-index") == "2" && made.header("x-raft-index") == "2")
            #expect(made.header("x-raft-term") != nil && made.header("content-type") == "application/json")
            let node =
                #"{"key":"/a/b","value":"\u003c1\u003e \u0026\"","expiration":"2026-01-01T00:00:09.000Z","ttl":9,"#
            let indexes = #""modifiedIndex":2,"createdIndex":2}"#
            #expect(made.text == #"{"action":"set","node":"# + node + indexes + "}\n")
            let read = try await etcd.send(.get, "/v2/keys/a/b/?quorum=true")
            #expect(read.text == #"{"action":"get","node":"# + node + indexes + "}\n")
            let head = try await etcd.send(.head, "/v2/keys/a/b")
            #expect(
                head.status == 200 && head.text.isEmpty && head.header("content-length") == "\(read.text.utf8.count)")
            let refused = try await etcd.send(.put, "/v2/keys/a/b", "value=x&prevIndex=9&prevValue=y")
            #expect(refused.status == 412 && refused.header("x-etcd-index") == "2")
            #expect(
                refused.text
                    == #"{"errorCode":101,"message":"Compare failed","cause":"[y != \u003c1\u003e \u0026\"] [9 != 2]","#
                    + #""index":2}"# + "\n")
            let deleted = try await etcd.send(.delete, "/v2/keys/a/b?prevIndex=2")
            #expect(deleted.status == 200 && deleted.json["action"] == "compareAndDelete")
            #expect(deleted.json["node"]?.text == #"{"key":"/a/b","modifiedIndex":3,"createdIndex":2}"#)
            #expect(try await etcd.send(.get, "/v2/keys/a/b").text.contains(#""cause":"/a/b","index":3"#))
        }
    }

    @Test(
        "A value comes back as JSON whatever its bytes are",
        arguments: [
            ("%01%1F%7F%08%09%0A%0D", #"\u0001\u001f"# + "\u{7F}" + #"\u0008\t\n\r"#),
            ("%E2%80%A8%E2%80%A9%E2%80%AA", #"\u2028\u2029"# + "\u{202A}"), ("%FF%C0%80x", #"\ufffd\ufffd\ufffdx"#),
            ("%ED%A0%80", #"\ufffd\ufffd\ufffd"#), ("%F4%90%80%80", #"\ufffd\ufffd\ufffd\ufffd"#),
            ("%E2%82", #"\ufffd\ufffd"#), ("%F0%9F%98%80%C3%A9", "😀é"), ("%5C%22%2F", #"\\\"/"#),
        ])
    func escapes(form: String, json: String) async throws {
        try await EtcdV2Fixture.with { etcd in
            let answer = try await etcd.send(.put, "/v2/keys/v?value=\(form)")
            #expect(answer.status == 201 && answer.text.contains("\"value\":\"\(json)\","), "\(answer.text)")
        }
    }

    @Test(
        "Parameters are taken from the form first, then from the query, as Go reads them",
        arguments: [
            ("?value=q", "value=b", "b"), ("?value=q", "", "q"), ("", "value=1&value=2", "1"), ("", "value", ""),
            ("", "a&&=5&value=x%2By+z", "x+y z"), ("?value=%2525", nil, "%25"), ("?nothing=known&value=x", nil, "x"),
        ] as [(String, String?, String)])
    func forms(query: String, form: String?, value: String) async throws {
        try await EtcdV2Fixture.with { etcd in
            let answer = try await etcd.send(.put, "/v2/keys/v\(query)", form)
            #expect(answer.json["node"]?["value"]?.string == value, "\(answer.text)")
        }
    }

    @Test(
        "Only forms are read; a body of another type is no value",
        arguments: [
            ("application/x-www-form-urlencoded; charset=utf-8", "1"), ("APPLICATION/X-WWW-Form-Urlencoded", "1"),
            ("text/plain", ""), ("application/json; charset=utf-8", ""),
        ])
    func contentTypes(type: String, value: String) async throws {
        try await EtcdV2Fixture.with { etcd in
            let answer = try await etcd.send(.put, "/v2/keys/v", "value=1", headers: ["Content-Type": type])
            #expect(answer.json["node"]?["value"]?.string == value, "\(answer.text)")
        }
    }

    @Test(
        "What cannot be understood is refused with etcd's number and cause",
        arguments: [
            ("?recursive=yes", 209, "invalid value for \"recursive\""),
            ("?prevExist=", 209, "invalid value for prevExist"),
            ("?wait=true", 209, "\"wait\" can only be used with GET requests"),
            ("?prevIndex=-1", 203, "invalid value for \"prevIndex\""),
            ("?ttl=1.5", 202, "invalid value for \"ttl\""),
            ("?ttl=18446744073709551616", 202, "invalid value for \"ttl\""),
            ("?prevValue=", 201, "\"prevValue\" cannot be empty"),
            ("?refresh=1&ttl=1&value=x", 211, "A value was provided on a refresh"),
            ("?refresh=1", 212, "No TTL value set"), ("?x=%zz", 210, "invalid URL escape \"%zz\""),
            ("?x=%1", 210, "invalid URL escape \"%1\""),
            ("?a;b", 210, "invalid semicolon separator in query"),
        ])
    func badRequests(query: String, code: Int64, cause: String) async throws {
        try await EtcdV2Fixture.with { etcd in
            let answer = try await etcd.send(.put, "/v2/keys/v\(query)")
            #expect(
                answer.status == 400 && answer.errorCode == code && answer.json["cause"]?.string == cause,
                "\(answer.text)")
            #expect(answer.json["index"] == 0 && answer.header("x-etcd-index") == "0")
            #expect(try await etcd.service.revision(of: .default) == 1)
        }
    }

    @Test("A field of the head that cannot be understood is an invalid field, and not an invalid form")
    func badField() async throws {
        try await EtcdV2Fixture.with { etcd in
            let answer = try await etcd.send(
                .put, "/v2/keys/v", "value=x", headers: ["X-Discfg-Author": "%zz"])
            #expect(answer.status == 400 && answer.errorCode == 209)
            #expect(answer.json["cause"]?.string?.contains("%zz") == true, "\(answer.text)")
        }
    }

    @Test("What discfg cannot hold is refused in its own words, and changes nothing", arguments: RESTFixture.transports)
    func limits(transport: RESTFixture.Transport) async throws {
        try await EtcdV2Fixture.with(transport) { etcd in
            let large = "value=" + String(repeating: "x", count: Value.maximumLength + 1)
            let refused = try await etcd.send(.put, "/v2/keys/v", large)
            #expect(refused.status == 413 && refused.json["cause"]?.string?.contains("1.5 MiB") == true)
            let larger = try await etcd.send(.put, "/v2/keys/v", "value=" + String(repeating: "x", count: 5 << 20))
            #expect(larger.status == 413 && larger.errorCode == 210)
            let escaped = try await etcd.send(
                .put, "/v2/keys/v", "value=" + String(repeating: "%78", count: Value.maximumLength))
            #expect(escaped.status == 201)
            let name = try await etcd.send(.put, "/v2/keys/" + String(repeating: "n", count: 1023), "value=x")
            #expect(name.status == 400 && name.errorCode == 209)
            #expect(try await etcd.service.revision(of: .default) == 2)
        }
    }

    @Test("A path that is not UTF-8, or not even encoded, is refused")
    func wrongPaths() async throws {
        try await EtcdV2Fixture.with { etcd in
            let bytes = try await etcd.send(.put, "/v2/keys/%FF", "value=x")
            #expect(bytes.status == 400 && bytes.errorCode == 209)
            let half = try await etcd.send(.put, "/v2/keys/%zz", "value=x")
            #expect(half.status == 400 && half.text == "400 Bad Request\n")
        }
    }

    @Test(
        "A path that Go would clean is sent to the clean one",
        arguments: [
            ("/v2/keys//a", "/v2/keys/a"), ("/v2/keys/a/../b?x=1&y", "/v2/keys/b?x=1&y"),
            ("/v2/keys/a/./", "/v2/keys/a/"),
            ("/v2/keys/%2e%2e/machines", "/v2/machines"), ("/v2/keys/a%2F%2Fb%20c%C3%A9", "/v2/keys/a/b%20c%C3%A9"),
            ("/prod/v2/keys//a", "/prod/v2/keys/a"),
        ])
    func redirections(path: String, location: String) async throws {
        try await EtcdV2Fixture.with { etcd in
            let answer = try await etcd.send(.get, path)
            #expect(answer.status == 301 && answer.header("location") == location)
            let link = location.replacing("&", with: "&amp;")
            #expect(answer.text == "<a href=\"\(link)\">Moved Permanently</a>.\n\n")
            let put = try await etcd.send(.put, path, "value=x")
            #expect(put.status == 301 && put.text.isEmpty && put.header("location") == location)
        }
    }

    @Test("Paths that only look unclean are keys")
    func oddPaths() async throws {
        try await EtcdV2Fixture.with { etcd in
            for path in ["/.a", "/a%2Fb", "/a+b", "/...", "/~a%20", "/a%3Fb%23c"] {
                #expect(try await etcd.send(.put, "/v2/keys" + path, "value=x").status == 201, "\(path)")
                #expect(try await etcd.send(.get, "/v2/keys" + path).json["node"]?["value"] == "x", "\(path)")
            }
            let keys = try await etcd.send(.get, "/v2/keys?recursive=true&sorted=true").text
            for key in ["/.a", "/a/b", "/a+b", "/...", "/~a ", "/a?b#c"] {
                #expect(keys.contains("\"key\":\"\(key)\""), "\(key)")
            }
        }
    }

    @Test("Every config has its keys, one that is not there says so, and the server's own is below /v2")
    func configs() async throws {
        let prod = try ConfigName("prod")
        try await EtcdV2Fixture.with(config: prod) { etcd in
            let missing = try await etcd.send(.put, "/v2/keys/a", "value=1")
            #expect(missing.status == 404 && missing.text.contains("no config named “prod”"))
            _ = try await etcd.service.createConfig(prod, settings: .init(), author: "")
            #expect(try await etcd.send(.put, "/v2/keys/a", "value=1").status == 201)
            #expect(try await etcd.send(.get, "/prod/v2/keys/a").json["node"]?["value"] == "1")
            #expect(try await etcd.send(.get, "/default/v2/keys/a").errorCode == 100)
            #expect(try await etcd.send(.get, "/none/v2/keys/a").text.contains("no config named “none”"))
            #expect(try await etcd.send(.get, "/-bad/v2/keys/a").json["errorCode"] == 113)
            #expect(try await etcd.send(.get, "/v1/v2/keys/a").json["errorCode"] == 102, "REST's config v2")
        }
    }

    @Test("A write names its author, and the log its action")
    func history() async throws {
        try await EtcdV2Fixture.with { etcd in
            _ = try await etcd.send(.put, "/v2/keys/a", "value=1", headers: ["X-Discfg-Author": "ann"])
            _ = try await etcd.send(.put, "/v2/keys/a", "value=2&prevIndex=2")
            _ = try await etcd.send(.put, "/v2/keys/a", "ttl=5&refresh=true")
            let commits = try await etcd.service.changes(ChangesQuery(after: 1), in: .default).commits
            #expect(commits.map(\.message) == ["etcd v2: set", "etcd v2: compareAndSwap", "etcd v2: refresh"])
            #expect(commits[0].author == "ann" && commits[1].changes[0].item?.created == 2)
        }
    }
}
