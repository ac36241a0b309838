import DiscfgCore
import HTTPTypes
import Testing

@Suite("REST keys")
struct KeyTests {
    @Test("A key is set, read, and deleted, through the responder and over a socket", arguments: RESTFixture.transports)
    func lifecycle(transport: RESTFixture.Transport) async throws {
        try await RESTFixture.with(transport) { rest in
            let created = try await rest.send(
                .put, "/v1/default/keys/db/host?message=first", "h", headers: ["X-Discfg-Author": "ann"])
            #expect(created.status == 201)
            #expect(created.json["action"] == "set" && created.json["cfgVersion"] == 2)
            #expect(created.json["item"]?["key"] == "/db/host" && created.json["item"]?["value"] == "h")
            let changed = try await rest.send(.put, "/v1/default/keys/db/host?value=i")
            #expect(changed.status == 200 && changed.json["item"]?["version"] == 2)
            #expect(changed.json["item"]?["created"] == 2 && changed.json["item"]?["revision"] == 3)
            #expect(changed.json["prevItem"]?["value"] == "h")
            let read = try await rest.send(.get, "/v1/default/keys/db/host")
            #expect(read.status == 200 && read.json["item"] == changed.json["item"] && read.header("etag") == "\"2-3\"")
            let history = try await rest.send(.get, "/v1/default/history/db/host")
            let first = history.json["commits"]?.array?.last
            #expect(first?["author"] == "ann" && first?["message"] == "first")
            let deleted = try await rest.send(.delete, "/v1/default/keys/db/host")
            #expect(
                deleted.status == 200 && deleted.json["prevItem"]?["value"] == "i" && deleted.json["cfgVersion"] == 4)
            let gone = try await rest.send(.get, "/v1/default/keys/db/host")
            #expect(gone.status == 404 && gone.errorCode == 100)
            #expect(try await rest.send(.delete, "/v1/default/keys/db/host").status == 404)
            #expect(try await rest.send(.get, "/v1/default/keys/db/host?rev=2").json["item"]?["value"] == "h")
        }
    }

    @Test("The hint of an error names requests, and the hint for commands comes with it")
    func hints() async throws {
        try await RESTFixture.with { rest in
            let key = try await rest.send(.get, "/v1/default/keys/none").json
            #expect(key["hint"] == "See what there is with GET /v1/default/keys/?recursive.")
            #expect(key["commandHint"] == "See what there is with “discfg ls”.")
            #expect(DiscfgError(wire: key)?.hint == "See what there is with “discfg ls”.")
            for (method, path, body, hint) in [
                (.get, "/v1/none/keys/a", "", "PUT /v1/none/cfg"),
                (.delete, "/v1/default/cfg", "", "DELETE /v1/default"),
                (.put, "/v1/default/import?as=json", "[1]", "?splitArrays"),
                (.put, "/v1/default/import?as=yaml", "a: 1\n---\nb: 1\n", "?document=N"),
                (.put, "/v1/default/import?as=json&document=2", "{}", "?document=2"),
            ] as [(HTTPRequest.Method, String, String, String)] {
                let answer = try await rest.send(method, path, body)
                let text = try #require(answer.json["hint"]?.string, "\(answer.text)")
                #expect(text.contains(hint) && !text.contains("--") && !text.contains("“discfg "))
            }
        }
    }

    @Test("The flag “bare” names a key without a leading slash", arguments: RESTFixture.transports)
    func bareKeys(transport: RESTFixture.Transport) async throws {
        try await RESTFixture.with(transport) { rest in
            let created = try await rest.send(.put, "/v1/default/keys/app/name?bare", "svc")
            #expect(created.status == 201 && created.json["item"]?["key"] == "app/name")
            #expect(try await rest.send(.get, "/v1/default/keys/app/name").status == 404)
            #expect(try await rest.send(.get, "/v1/default/keys/app/name?bare&raw").text == "svc")
            let list = try await rest.send(.get, "/v1/default/keys/app/?bare")
            #expect(list.json["items"]?.array?.count == 1)
            let history = try await rest.send(.get, "/v1/default/history/app?bare")
            #expect(history.json["commits"]?.array?.count == 1)
            let condition = #"{"if":[{"key":"bare:app/name","version":1}],"then":[{"get":"bare:app/name"}]}"#
            #expect(try await rest.send(.post, "/v1/default/txn", condition).json["succeeded"] == true)
            #expect(try await rest.send(.delete, "/v1/default/keys/app/name?bare").status == 200)
        }
    }

    @Test(
        "The parameter “key” names every key, and answers have the name that it takes",
        arguments: [
            ("app/name", "bare:app/name"), ("app/", "bytes://app%2F"), ("/a//b", "bytes:///a/%2Fb"), ("/a/b", "/a/b"),
            ("\u{0}", "bare:\u{0}"), ("bytes://x", "bytes://bytes%3A/%2Fx"),
        ], RESTFixture.transports)
    func names(_ names: (key: String, name: String), transport: RESTFixture.Transport) async throws {
        try await RESTFixture.with(transport) { rest in
            let uri = "/v1/default/keys?key=\(Self.escaped(names.name))"
            let created = try await rest.send(.put, uri, "one")
            #expect(created.status == 201 && created.json["item"]?["key"]?.string == names.key)
            let name = created.json["item"]?["name"]?.string
            #expect(name == (names.name == names.key ? nil : names.name))
            #expect(try await rest.send(.get, "\(uri)&raw").text == "one")
            let patch = ["Content-Type": "application/merge-patch+json", "If-Match": "\"1\""]
            #expect(try await rest.send(.patch, uri, "{}", headers: patch).errorCode == 109)
            let list = try await rest.send(.get, "/v1/default/keys?recursive").json["items"]?.array
            #expect(list?.map { $0["key"]?.string } == [names.key] && list?.first?["name"]?.string == name)
            let history = try await rest.send(.get, "/v1/default/history?prefix=\(Self.escaped(names.name))")
            let change = history.json["commits"]?.array?.first?["changes"]?.array?.first
            #expect(change?["key"]?.string == names.key && change?["name"]?.string == name)
            let diff = try await rest.send(.get, "/v1/default/diff?from=1&prefix=\(Self.escaped(names.name))")
            #expect(diff.json["changes"]?.array?.first?["name"]?.string == name)
            let deleted = try await rest.send(.delete, uri)
            #expect(deleted.status == 200 && deleted.json["prevItem"]?["key"]?.string == names.key)
        }
    }

    private static func escaped(_ text: String) -> String {
        text.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    @Test("A key of any bytes is base64, and has its name beside that, also in a list and in a transaction")
    func bytes() async throws {
        try await RESTFixture.with { rest in
            let transaction = #"{"then":[{"set":"bytes://%FF/x","value":"v"},{"set":"bare:app/x","value":"w"}]}"#
            let item = try await rest.send(.post, "/v1/default/txn", transaction).json["results"]?.array?.first?["item"]
            #expect(item?["key"] == "/y94" && item?["keyEncoding"] == "base64" && item?["name"] == "bytes://%FF/x")
            let level = try await rest.send(.get, "/v1/default/keys?key=bare:").json["items"]?.array ?? []
            #expect(
                level.map { $0["name"] } == ["bare:app/", "bytes://%FF/"] && level.allSatisfy { $0["dir"] == true })
            #expect(level.map { $0["keyEncoding"] } == [nil, "base64"])
            let below = try await rest.send(.get, "/v1/default/keys?key=bytes://%25FF/")
            #expect(below.json["items"]?.array?.first?["name"] == "bytes://%FF/x")
            let deleted = try await rest.send(.delete, "/v1/default/keys?key=bare:&recursive")
            #expect(deleted.json["deleted"] == 2)
        }
    }

    @Test(
        "A key that is named twice, or not at all, is refused",
        arguments: [
            "/v1/default/keys/a?key=/a", "/v1/default/keys?key=/a&bare", "/v1/default/keys?key=",
            "/v1/default/keys?key=a//b",
            "/v1/default/keys?key=bytes://", "/v1/default/keys?key=bytes://%25f", "/v1/default/keys?key=bare:/a",
            "/v1/default/history/a?prefix=/a",
        ])
    func misnamed(uri: String) async throws {
        try await RESTFixture.with { rest in
            let answer = try await rest.send(.get, uri)
            #expect(answer.status == 400, "\(uri)")
        }
    }

    @Test("A percent sign that is not encoded in a parameter is refused with what to write")
    func percentInParameter() async throws {
        try await RESTFixture.with { rest in
            let answer = try await rest.send(.get, "/v1/default/keys?key=bytes://%FF")
            #expect(answer.status == 400 && answer.errorCode == 104)
            #expect(answer.json["hint"]?.string?.contains("such as bytes://%25FF") == true)
        }
    }

    @Test("An export says how many keys it leaves out")
    func leftOut() async throws {
        try await RESTFixture.with { rest in
            for name in ["/a", "bare:app/name", "bytes:///b%2F", "bytes://%25FF"] {
                _ = try await rest.send(.put, "/v1/default/keys?key=\(name.replacing("%2F", with: "%252F"))", "v")
            }
            let all = try await rest.send(.get, "/v1/default/export?as=json")
            #expect(all.text == "{\n  \"a\": \"v\"\n}\n" && all.header("x-discfg-left-out") == "3")
            let bare = try await rest.send(.get, "/v1/default/export?as=yaml&prefix=bare:")
            #expect(bare.text == "app:\n  name: v\n" && bare.header("x-discfg-left-out") == "1")
            let file = try await rest.send(.put, "/v1/default/import?as=json&prefix=bare:", #"{"app":{"port":1}}"#)
            #expect(file.json["added"] == 1)
            #expect(try await rest.send(.get, "/v1/default/keys?key=bare:app/port&raw").text == "1")
        }
    }

    @Test("A value comes back bare, to the byte, with its own content type", arguments: RESTFixture.transports)
    func raw(transport: RESTFixture.Transport) async throws {
        try await RESTFixture.with(transport) { rest in
            _ = try await rest.send(
                .put, "/v1/default/keys/page", "<b>\n", headers: ["Content-Type": "text/html; charset=utf-8"])
            for (uri, headers) in [
                ("?raw", [:]), ("", ["Accept": "text/plain"]), ("", ["Accept": "application/octet-stream"]),
            ] {
                let answer = try await rest.send(.get, "/v1/default/keys/page\(uri)", headers: headers)
                #expect(answer.text == "<b>\n" && answer.header("content-type") == "text/html; charset=utf-8")
                #expect(answer.header("content-security-policy") == "sandbox")
            }
            let head = try await rest.send(.head, "/v1/default/keys/page?raw")
            #expect(head.status == 200 && head.text.isEmpty && head.header("content-length") == "4")
        }
    }

    @Test("A JSON value is read by pointer and changed by merge patch")
    func json() async throws {
        try await RESTFixture.with { rest in
            let json = ["Content-Type": "application/json"]
            _ = try await rest.send(.put, "/v1/default/keys/c", #"{"pool":{"size":5,"name":"p"}}"#, headers: json)
            #expect(try await rest.send(.get, "/v1/default/keys/c?path=/pool/size").json["item"]?["value"] == 5)
            #expect(try await rest.send(.get, "/v1/default/keys/c?path=/pool/name&raw").text == "p")
            #expect(try await rest.send(.get, "/v1/default/keys/c?path=/none").errorCode == 110)
            let patch = ["Content-Type": "application/merge-patch+json"]
            let patched = try await rest.send(.patch, "/v1/default/keys/c", #"{"pool":{"name":null}}"#, headers: patch)
            #expect(patched.status == 200 && patched.json["item"]?["value"]?.text == #"{"pool":{"size":5}}"#)
            #expect(try await rest.send(.patch, "/v1/default/keys/new", #"{"a":1}"#, headers: patch).status == 201)
            #expect(
                try await rest.send(.patch, "/v1/default/keys/c", "{}", headers: ["Content-Type": "text/plain"]).status
                    == 415)
            _ = try await rest.send(.put, "/v1/default/keys/t", "text")
            #expect(try await rest.send(.patch, "/v1/default/keys/t", "{}", headers: patch).errorCode == 109)
            #expect(try await rest.send(.get, "/v1/default/keys/t?path=/a").errorCode == 109)
        }
    }

    @Test("A write is made only under its conditions, and a refusal shows the current item")
    func conditions() async throws {
        try await RESTFixture.with { rest in
            let key = "/v1/default/keys/k"
            #expect(try await rest.send(.put, key, "1", headers: ["If-None-Match": "*"]).status == 201)
            let refused = try await rest.send(.put, key, "2", headers: ["If-None-Match": "*"])
            #expect(refused.status == 412 && refused.errorCode == 101 && refused.json["item"]?["value"] == "1")
            #expect(try await rest.send(.put, key, "2", headers: ["If-Match": "\"2\""]).status == 412)
            #expect(try await rest.send(.put, key, "2", headers: ["If-Match": "\"1\""]).status == 200)
            #expect(try await rest.send(.put, key, "3", headers: ["If-Match": "\"2-3\""]).status == 200)
            #expect(try await rest.send(.put, key, "4", headers: ["If-Match": "\"2-3\""]).status == 412)
            #expect(try await rest.send(.put, "\(key)?prevValue=x", "4").status == 412)
            #expect(try await rest.send(.put, "\(key)?prevValue=3", "4").status == 200)
            #expect(try await rest.send(.put, "\(key)?prevRevision=4", "5").status == 412)
            #expect(try await rest.send(.delete, "\(key)?prevRevision=5", nil).status == 200)
            #expect(try await rest.send(.put, key, "x", headers: ["If-Match": "*"]).status == 412)
            #expect(try await rest.send(.put, key, "x", headers: ["If-Match": "W/\"1\""]).status == 400)
            #expect(try await rest.send(.put, key, "x", headers: ["If-None-Match": "\"1\""]).status == 400)
        }
    }

    @Test("A reader that knows the current state is told so, and is not fooled by a key that was deleted and set again")
    func notModified() async throws {
        try await RESTFixture.with { rest in
            let key = "/v1/default/keys/k"
            let tag = try #require(try await rest.send(.put, key, "old").header("etag"))
            #expect(try await rest.send(.get, key, headers: ["If-None-Match": tag]).status == 304)
            _ = try await rest.send(.delete, key)
            _ = try await rest.send(.put, key, "new")
            let fresh = try await rest.send(.get, key, headers: ["If-None-Match": tag])
            #expect(fresh.status == 200 && fresh.json["item"]?["value"] == "new")
        }
    }

    @Test("A listing has one level or all, in pages, at one revision")
    func list() async throws {
        try await RESTFixture.with { rest in
            for key in ["a", "dir/x", "dir/y", "dir/deep/z", "z"] {
                _ = try await rest.send(.put, "/v1/default/keys/\(key)", key)
            }
            let names = { (answer: RESTFixture.Answer) in answer.json["items"]?.array?.compactMap { $0["key"]?.string }
            }
            #expect(names(try await rest.send(.get, "/v1/default/keys/")) == ["/a", "/dir/", "/z"])
            #expect(names(try await rest.send(.get, "/v1/default/keys/dir/")) == ["/dir/deep/", "/dir/x", "/dir/y"])
            #expect(
                names(try await rest.send(.get, "/v1/default/keys/dir/?recursive")) == [
                    "/dir/deep/z", "/dir/x", "/dir/y",
                ])
            var (after, found, revision): (String?, [String], String) = ("", [], "")
            while let cursor = after {
                let page = try await rest.send(.get, "/v1/default/keys/?recursive&limit=2\(cursor)\(revision)")
                found += names(page) ?? []
                revision = "&rev=\(try #require(page.json["cfgVersion"]?.integer))"
                after = page.json["next"]?.string.map { "&after=\($0)" }
                _ = try await rest.send(.delete, "/v1/default/keys/z")
                _ = try await rest.send(.put, "/v1/default/keys/zz", "later")
            }
            #expect(found == ["/a", "/dir/deep/z", "/dir/x", "/dir/y", "/z"])
            let bare = try await rest.send(.get, "/v1/default/keys/?keysOnly")
            #expect(bare.json["items"]?.array?.allSatisfy { $0["value"] == nil } == true)
            #expect(names(try await rest.send(.get, "/v1/default/keys/none/")) == [])
        }
    }

    @Test("A directory is deleted only when that is asked for")
    func deleteDirectory() async throws {
        try await RESTFixture.with { rest in
            for key in ["d/a", "d/b/c", "dd"] { _ = try await rest.send(.put, "/v1/default/keys/\(key)", key) }
            #expect(try await rest.send(.delete, "/v1/default/keys/d/").status == 400)
            let conditional = ["If-Match": "\"9\""]
            #expect(try await rest.send(.delete, "/v1/default/keys/d/?recursive", headers: conditional).status == 400)
            let deleted = try await rest.send(.delete, "/v1/default/keys/d/?recursive")
            #expect(deleted.json["deleted"] == 2 && deleted.json["cfgVersion"] == 5)
            #expect(try await rest.send(.get, "/v1/default/keys/dd").status == 200)
        }
    }

    @Test(
        "Input that cannot be understood is refused by name",
        arguments: [
            ("/v1/default/keys/a//b", 104, 400), ("/v1/default/keys/%FF", 104, 400), ("/v1/default/keys/%zz", 104, 400),
            ("/v1/-bad/keys/a", 104, 400), ("/v1/none/keys/a", 102, 404), ("/v1/default/keys/a?rev=x", 107, 400),
            ("/v1/default/keys/a?rev=99", 108, 400), ("/v1/default/keys/a?nix=1", 107, 400),
            ("/v1/default/keys/a?rev=1&rev=1", 107, 400),
            ("/v1/default/keys/?limit=0", 107, 400), ("/v1/default/keys/?limit=10001", 107, 400),
            ("/v1/default/keys/a?wait=soon", 107, 400), ("/v1/default/keys/a?after=1", 107, 400),
            ("/nothing", 113, 404), ("/v1/default", 113, 404),
        ])
    func badRequests(uri: String, code: Int, status: Int) async throws {
        try await RESTFixture.with { rest in
            let answer = try await rest.send(.get, uri)
            #expect(answer.status == status && answer.errorCode == Int64(code), "\(answer.text)")
            #expect(answer.json["message"]?.string?.isEmpty == false && answer.header("x-request-id") != nil)
        }
    }

    @Test(
        "A value that is too large, or not the JSON that it says it is, changes nothing",
        arguments: RESTFixture.transports)
    func badValues(transport: RESTFixture.Transport) async throws {
        try await RESTFixture.with(transport) { rest in
            let large = String(repeating: "x", count: Value.maximumLength + 1)
            let refused = try await rest.send(.put, "/v1/default/keys/a", large)
            #expect(refused.status == 413 && refused.errorCode == 105)
            let half = try await rest.send(
                .put, "/v1/default/keys/a", "{", headers: ["Content-Type": "application/json"])
            #expect(half.status == 400 && half.errorCode == 107)
            #expect(try await rest.send(.put, "/v1/default/keys/a?value=x", "y").status == 400)
            #expect(try await rest.send(.put, "/v1/default/keys/a?ttl=0", "y").status == 400)
            #expect(try await rest.send(.put, "/v1/default/keys/", "y").status == 400)
            #expect(try await rest.service.info(of: .default).revision == 1)
            let most = try await rest.send(.put, "/v1/default/keys/a", String(large.dropLast()))
            #expect(most.status == 201)
        }
    }

    @Test("A key ends when its time to live is over")
    func timeToLive() async throws {
        try await RESTFixture.with { rest in
            let answer = try await rest.send(.put, "/v1/default/keys/t?ttl=90", "x")
            #expect(answer.json["item"]?["ttl"] == 90 && answer.json["item"]?["expiration"]?.string != nil)
            let kept = try await rest.send(.put, "/v1/default/keys/t?ttl=keep", "y")
            #expect(kept.json["item"]?["expiration"] == answer.json["item"]?["expiration"])
            #expect(try await rest.send(.put, "/v1/default/keys/t", "z").json["item"]?["ttl"] == nil)
        }
    }
}
