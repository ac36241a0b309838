import DiscfgCore
import DiscfgEtcd
import DiscfgFormats
import DiscfgYAML
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import DiscfgHTTP

/// Bodies that take long to read leave the threads to other requests, and bodies that are nested too deep are refused.
@Suite struct LargeBodyTests {
    /// Reads YAML, and then keeps its thread busy until the test goes on.
    private final class BusyReader: Sendable {
        let reading = Atomic<Int>(0)
        let mayEnd = Atomic<Bool>(false)
        let blockedTasks = Atomic<Int>(0)

        var reader: YAMLReader {
            YAMLReader { [self] bytes, document, meter in
                let result = YAMLReader.yams.read(bytes, document, meter)
                reading.add(1, ordering: .relaxed)
                if withUnsafeCurrentTask(body: { $0 != nil }) {
                    // On this thread tasks run: none of them would go on.
                    blockedTasks.add(1, ordering: .relaxed)
                } else {
                    while !mayEnd.load(ordering: .relaxed) { sched_yield() }
                }
                return result
            }
        }
    }

    // One after the other: both need all that may be parsed at a time.
    @Test(
        "small requests are answered while two large imports are parsed", .serialized,
        arguments: RESTFixture.transports)
    func imports(_ transport: RESTFixture.Transport) async throws {
        let busy = BusyReader()
        try await RESTFixture.with(transport, yaml: busy.reader) { rest in
            let file =
                "a: \"" + String(repeating: "x", count: 1_400_000) + "\"\n# " + String(repeating: "x", count: 4 << 20)
            try await withThrowingTaskGroup(of: RESTFixture.Answer.self) { group in
                defer { busy.mayEnd.store(true, ordering: .relaxed) }
                for name in ["first", "second"] {
                    group.addTask { try await rest.send(.put, "/v1/default/import?as=yaml&prefix=/\(name)", file) }
                }
                while busy.reading.load(ordering: .relaxed) < 2 { await Task.yield() }
                #expect(try await rest.send(.put, "/v1/default/keys/b", "small").status == 201)
                #expect(try await rest.send(.get, "/v1/default/keys/b").text.contains("small"))
                #expect(try await rest.send(.get, "/v1/default/keys/first/a").status == 404, "still being parsed")
                busy.mayEnd.store(true, ordering: .relaxed)
                for try await answer in group { #expect(answer.status == 200) }
            }
            #expect(try await rest.send(.get, "/v1/default/keys/first/a").status == 200)
        }
        #expect(busy.blockedTasks.load(ordering: .relaxed) == 0)
    }

    private static func nested(_ open: String, _ depth: Int, _ close: String = "") -> String {
        String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
    }

    static let bombs: [(method: String, path: String, body: String)] = [
        ("PUT", "/v1/default/keys/a", nested("[", 600, "]")), ("PUT", "/v1/default/keys/a", nested("[", 500_000)),
        ("PATCH", "/v1/default/keys/a", nested(#"{"a":"#, 600, "}")),
        ("PATCH", "/v1/default/keys/a", nested(#"{"a":"#, 200_000)),
        ("POST", "/v1/default/txn", #"{"then":[{"set":"/a","value":"# + nested("[", 600, "]") + "}]}"),
        ("POST", "/v1/default/txn", #"{"then":[{"patch":"/a","value":"# + nested(#"{"a":"#, 1_000_000)),
        ("POST", "/v1/default/txn", #"{"nope":"# + nested("[", 1_000_000)),
        ("PUT", "/v1/default/import?as=json", #"{"a":"# + nested("[", 600, "]") + "}"),
        ("PUT", "/v1/default/import?as=json&splitArrays", nested("[", 900_000)),
        ("PUT", "/v1/default/import?as=yaml", "a: " + nested("[", 600, "]")),
        ("PUT", "/v1/default/import?as=toml", "a = " + nested("[", 600, "]")),
        ("PUT", "/v1/default/import?as=toml", "a = " + nested("{a=", 300_000)),
    ]

    @Test("a body that is nested too deep is an error that says so", arguments: bombs.indices)
    func depth(_ index: Int) async throws {
        let bomb = Self.bombs[index]
        try await RESTFixture.with { rest in
            let answer = try await rest.send(
                try #require(.init(bomb.method)), bomb.path, bomb.body, headers: ["Content-Type": "application/json"])
            #expect(answer.status == 400)
            #expect(answer.text.contains("more than 512 levels of nesting"))
        }
    }

    @Test(
        "unknown fields of a v3 request are skipped, whatever they hold",
        arguments: [
            #"{"a":[],"b":{},"c":[1,"x",null,true,{"d":[[],{}],"e":-1.5e3}],"success":[{}]}"#,
            #"{"a":[[[{"a":[{"b":{}}]}]]] , "success" : [ {} ] }"#,
            #"{"x":"# + nested("[", 63, "]") + #","success":[{}]}"#,
        ])
    func skipped(body: String) throws {
        #expect(try TxnRequest(body: Array(body.utf8)).success.count == 1)
    }

    @Test(
        "unknown fields of a v3 request must be JSON",
        arguments: [
            (#"{"x":[1 2]}"#, "expected ',' or ']'"), (#"{"x":{"a":1 "b":2}}"#, "expected ',' or '}'"),
            (#"{"x":{"a" 1}}"#, "expected ':' after a name"), (#"{"x":[1,]}"#, "expected a value"),
            (#"{"x":{"a":1,}}"#, "expected a string"), (#"{"x":[1}"#, "expected ',' or ']'"),
            (#"{"x":["#, "unexpected EOF"), (#"{"x":{"a":[{}"#, "unexpected EOF"),
        ])
    func malformed(body: String, message: String) throws {
        let error = #expect(throws: EtcdError.self) { try TxnRequest(body: Array(body.utf8)) }
        #expect(error?.message.hasSuffix(message) == true)
    }
}
