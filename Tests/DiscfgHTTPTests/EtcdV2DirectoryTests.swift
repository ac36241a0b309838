import DiscfgCore
import DiscfgTestSupport
import HTTPTypes
import Testing

@Suite("etcd v2 directories")
struct EtcdV2DirectoryTests {
    @Test("A listing has one level or all, sorted by path, without what is hidden")
    func listings() async throws {
        try await EtcdV2Fixture.with { etcd in
            for key in ["l/b/x", "l/b-2", "l/_h", "l/b/_g/y", "l/a"] {
                _ = try await etcd.send(.put, "/v2/keys/\(key)", "value=1")
            }
            let level = try await etcd.send(.get, "/v2/keys/l?sorted=true")
            let keys = { (node: JSONValue?) in node?["nodes"]?.array?.compactMap { $0["key"]?.string } }
            #expect(keys(level.json["node"]) == ["/l/a", "/l/b", "/l/b-2"])
            #expect(
                level.json["node"]?["nodes"]?.array?[1].text
                    == #"{"key":"/l/b","dir":true,"modifiedIndex":2,"createdIndex":2}"#)
            #expect(level.text.hasSuffix(#"],"modifiedIndex":2,"createdIndex":2}}"# + "\n"))
            let whole = try await etcd.send(.get, "/v2/keys/?recursive=1")
            #expect(
                whole.text.hasPrefix(#"{"action":"get","node":{"dir":true,"nodes":[{"key":"/l","dir":true,"nodes":["#))
            #expect(whole.text.hasSuffix("]}}\n") && !whole.text.contains("_"))
            #expect(keys(try await etcd.send(.get, "/v2/keys/l/b/_g").json["node"]) == ["/l/b/_g/y"])
            #expect(try await etcd.send(.get, "/default/v2/keys").json["node"]?["nodes"]?.array?.count == 1)
        }
    }

    @Test("Keys of REST and v3 are there as files, with the directories that their paths have")
    func foreignKeys() async throws {
        try await EtcdV2Fixture.with { etcd in
            let json = ["Content-Type": "application/json"]
            _ = try await etcd.rest.send(.put, "/v1/default/keys/r/s/k", #"{"a":1}"#, headers: json)
            _ = try await etcd.rest.send(.put, "/v1/default/keys/r/s", "both")
            for bytes in ["no path", "/r//x", "/r/..", "/v3/"] {
                let set = Operation.set(try Key(bytes: bytes.utf8), Value("x"))
                _ = try await etcd.service.commit(Transaction(then: [set]), to: .default)
            }
            let binary = Operation.set(try Key(bytes: [0x2F, 0xFF]), Value(bytes: [0xFE], contentType: Value.octets))
            _ = try await etcd.service.commit(Transaction(then: [binary]), to: .default)
            let whole = try await etcd.send(.get, "/v2/keys?recursive=true")
            #expect(
                whole.json["node"]?["nodes"]?.text
                    == #"[{"key":"/r","dir":true,"nodes":[{"key":"/r/s","value":"both","modifiedIndex":3,"createdIndex":3}],"#
                    + #""modifiedIndex":3,"createdIndex":3},{"key":"/v3","dir":true,"modifiedIndex":7,"createdIndex":7}]"#
            )
            #expect(try await etcd.send(.get, "/v2/keys/r/s/k").json["node"]?["value"] == #"{"a":1}"#)
            let deleted = try await etcd.send(.delete, "/v2/keys/r?recursive=true")
            #expect(deleted.json["prevNode"]?.text == #"{"key":"/r","dir":true,"modifiedIndex":3,"createdIndex":3}"#)
            #expect(try await etcd.rest.send(.get, "/v1/default/keys/r/s/k").status == 404)
        }
    }

    @Test("A directory ends with all that is in it, and a key whose time is over is not there")
    func expiry() async throws {
        try await EtcdV2Fixture.with { etcd in
            _ = try await etcd.send(.put, "/v2/keys/d", "dir=true&ttl=100")
            _ = try await etcd.send(.put, "/v2/keys/d/k", "value=1")
            _ = try await etcd.send(.put, "/v2/keys/t", "value=1&ttl=10")
            etcd.clock.advance(by: .milliseconds(9001))
            #expect(try await etcd.send(.get, "/v2/keys/t").json["node"]?["ttl"] == 1)
            #expect(try await etcd.send(.get, "/v2/keys/d").json["node"]?["ttl"] == 91)
            etcd.clock.advance(by: .milliseconds(999))
            #expect(try await etcd.send(.get, "/v2/keys/t").errorCode == 100)
            #expect(
                try await etcd.send(.put, "/v2/keys/d", "dir=true&ttl=200&prevExist=true").json["node"]?["ttl"] == 200)
            etcd.clock.advance(by: .seconds(200))
            // A write in it finds it gone, swept or not.
            let made = try await etcd.send(.put, "/v2/keys/d/k", "value=2&prevExist=false")
            #expect(made.status == 201 && made.json["node"]?["modifiedIndex"] == 7)
            #expect(try await etcd.send(.get, "/v2/keys/d").json["node"]?["createdIndex"] == 7)
            let sweep = try await etcd.service.expireOverdue(in: .default)
            #expect(sweep == 1 && etcd.service.expirations == 2)
            #expect(try await etcd.send(.get, "/v2/stats/store").json["expireCount"] == 2)
        }
    }

    @Test("A listing that would not fit is refused by name, and its parts are not")
    func bounds() async throws {
        try await EtcdV2Fixture.with { etcd in
            let value = Value(bytes: [UInt8](repeating: 0x78, count: 1 << 20), contentType: Value.text)
            for number in 0..<64 {
                let set = Operation.set(try Key(path: "/big/\(number % 8)/\(number)"), value)
                _ = try await etcd.service.commit(Transaction(then: [set]), to: .default)
            }
            let whole = try await etcd.send(.get, "/v2/keys/big?recursive=true")
            #expect(whole.status == 413 && whole.json["cause"]?.string?.contains("“/big”") == true)
            #expect(try await etcd.send(.get, "/v2/keys/big").json["node"]?["nodes"]?.array?.count == 8)
            #expect(
                try await etcd.send(.get, "/v2/keys/big/7?recursive=true").json["node"]?["nodes"]?.array?.count == 8)
        }
    }

    @Test("A large directory is read in pages, and skips what is deeper")
    func pages() async throws {
        try await EtcdV2Fixture.with { etcd in
            let sets = try (0..<2500).flatMap { number in
                [try Key(path: "/p/\(number)/x/y"), try Key(path: "/p/\(number)/z"), try Key(path: "/p/f\(number)")]
                    .map { Operation.set($0, Value("v")) }
            }
            _ = try await etcd.service.commit(Transaction(then: sets), to: .default)
            let level = try await etcd.send(.get, "/v2/keys/p").json["node"]?["nodes"]?.array
            #expect(level?.count == 5000 && Set(level?.compactMap { $0["key"]?.string } ?? []).count == 5000)
            #expect(level?.count { $0["dir"] == true } == 2500)
            let whole = try await etcd.send(.get, "/v2/keys/p?recursive=true").json["node"]?["nodes"]?.array
            #expect(whole?.filter { $0["dir"] == true }.allSatisfy { $0["nodes"]?.array?.count == 2 } == true)
        }
    }
}
