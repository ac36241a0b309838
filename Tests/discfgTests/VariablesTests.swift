import ArgumentParser
import DiscfgCore
import Testing

@testable import discfg

@Suite("Keys as environment variables")
struct VariablesTests {
    @Test(
        "A key below a prefix makes a name",
        arguments: [
            ("/db/pool-size", "/db", "POOL_SIZE"), ("/db/pool-size", "/db/", "POOL_SIZE"),
            ("/db/pool-size", "db", "POOL_SIZE"),
            ("/db/pool-size", "/", "DB_POOL_SIZE"), ("/db/a/b.c", "/db", "A_B_C"), ("/db/host", "/db/host", "HOST"),
            ("bare:app/x", "/", "APP_X"), ("bare:app/x", "bare:", "APP_X"), ("bare:app/x", "bare:app", "X"),
            ("bytes:///a%2F/b%FF", "bytes:///a%2F", "B_"), ("bare:app", "bare:app", "APP"),
            ("/db/1x", "/db", nil), ("/db/größe", "/db", "GR__E"),
        ] as [(String, String, String?)])
    func names(path: String, prefix: String, name: String?) throws {
        #expect(Variables.name(of: try Key(path: path), below: prefix) == name)
    }

    @Test(
        "A value is quoted where a shell needs it",
        arguments: [
            ("abc", "abc"), ("", "''"), ("a b", "'a b'"), ("it's", "'it'\\''s'"), ("$(x)", "'$(x)'"),
            ("a\nb", "'a\nb'"),
            ("http://h:1/p?q", "'http://h:1/p?q'"), ("/a-b_c.d:e,f@g%h+i=j", "/a-b_c.d:e,f@g%h+i=j"), ("~", "'~'"),
        ])
    func quoting(value: String, quoted: String) {
        #expect(String(decoding: Variables.quoted(Array(value.utf8)), as: UTF8.self) == quoted)
        #expect(Variables.line("A", Array(value.utf8), export: true) == Array("export A=\(quoted)\n".utf8))
    }

    private func items(_ pairs: [(String, Value)]) throws -> [Key: Value] {
        try Dictionary(uniqueKeysWithValues: pairs.map { (try Key(path: $0.0), $0.1) })
    }

    @Test("Later prefixes win, without a warning")
    func prefixes() throws {
        var variables = Variables()
        try variables.add(try items([("/a/x", Value("1")), ("/a/y", Value("2"))]), below: "/a", isStrict: true)
        try variables.add(try items([("/b/x", Value("3"))]), below: "/b", isStrict: true)
        #expect(variables.values.map(\.name) == ["X", "Y"])
        #expect(variables.values.map(\.value) == [Array("3".utf8), Array("2".utf8)])
        #expect(variables.warnings.isEmpty)
    }

    @Test("Two keys with one name are a warning, and an error when strict")
    func collisions() throws {
        let twins = try items([("/a/p-s", Value("1")), ("/a/p_s", Value("2")), ("/a/9", Value("3"))])
        var variables = Variables()
        try variables.add(twins, below: "/a", isStrict: false)
        #expect(variables.values.map(\.value) == [Array("2".utf8)])
        #expect(variables.warnings.count == 2)
        var strict = Variables()
        #expect(throws: DiscfgError.self) { try strict.add(twins, below: "/a", isStrict: true) }
    }

    @Test("JSON strings lose their quotes, null is empty, and a zero byte is refused")
    func json() throws {
        var variables = Variables()
        let values = try items([
            ("/a/s", Value(JSONValue.string("x"))), ("/a/n", Value(JSONValue.null)), ("/a/l", Value(["a", 1])),
            ("/a/z", Value(bytes: [0], contentType: Value.octets)),
        ])
        try variables.add(values, below: "/a", isStrict: false)
        #expect(
            variables.values.map { $0.name + "=" + String(decoding: $0.value, as: UTF8.self) } == [
                "L=[\"a\",1]", "N=", "S=x",
            ])
    }

    @Test("Keys replace what was inherited")
    func environment() throws {
        var variables = Variables()
        try variables.add(try items([("/a/x", Value("new"))]), below: "/a", isStrict: true)
        #expect(
            Exec.environment(of: variables, inherited: ["X": "old", "B": "b"])
                == ["B=b", "X=new"].map { Array($0.utf8) })
    }

    @Test("A watch's command learns what changed")
    func watch() throws {
        let key = try Key(path: "/a")
        let time = Timestamp(milliseconds: 0)
        let item = Item(key: key, value: Value("v"), version: 3, created: 2, modified: 7, modifiedAt: time)
        let commit = Commit(revision: 8, time: time, author: "anna", message: "why", changes: [])
        let settings = try Settings(
            try GlobalOptions.parse(["--store", "memory:"]), environment: ["HOME": "/h/anna"], directory: "/")
        let set = ChangeAction.environment(for: .set(item, previous: nil), of: commit, in: settings)
        #expect(set["DISCFG_VALUE"] == "v")
        #expect(set["DISCFG_VERSION"] == "3")
        #expect(set["DISCFG_KIND"] == "set")
        #expect(set["DISCFG_CHANGED_BY"] == "anna")
        #expect(set["DISCFG_STORE"] == "memory:")
        let removed = ChangeAction.environment(for: .removed(item, kind: .expire), of: commit, in: settings)
        #expect(removed["DISCFG_KIND"] == "expire")
        #expect(removed["DISCFG_VALUE"] == .some(nil))
        #expect(removed["DISCFG_REVISION"] == "8")
    }
}
