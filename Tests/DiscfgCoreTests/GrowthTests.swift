import DiscfgCore
import DiscfgTestSupport
import Testing

@Suite struct GrowthTests {
    @Test("Growth finds work that is quadratic")
    func quadratic() {
        #expect(throws: ConformanceFailure.self) {
            try Growth.check(.repeated("copies", "x")) { bytes in
                var copies: [[UInt8]] = []
                for byte in bytes { copies = [(copies.last ?? []) + [byte]] }
            }
        }
    }

    @Test("Growth accepts work that is linear, and sorting")
    func linear() throws {
        try Growth.check(.repeated("a sum", "x")) { bytes in _ = bytes.reduce(0) { $0 &+ Int($1) } }
        try Growth.check(.numbered("sorting") { "\($0 &* 7919) " }) { bytes in
            _ = bytes.split(separator: 0x20).map { Array($0) }.sorted { $0.lexicographicallyPrecedes($1) }
        }
    }

    static let transactions: [GrowthShape] = [
        .repeated("empty operations", "{},", before: "{\"then\":[", after: "{}]}"),
        .repeated("reads", "{\"get\":\"/a\"},", before: "{\"then\":[", after: "{\"get\":\"/a\"}]}"),
        .numbered("writes", before: "{\"then\":[", after: "{\"get\":\"/a\"}]}") {
            "{\"set\":\"/k\($0)\",\"value\":\"v\"},"
        },
        .numbered("conditions", before: "{\"if\":[", after: "{\"key\":\"/a\",\"version\":1}]}") {
            "{\"key\":\"/k\($0)\",\"version\":1},"
        },
        .numbered("unknown members", before: "{", after: "\"z\":0}") { "\"k\($0)\":0," },
        .repeated("a long message", "x", before: "{\"message\":\"", after: "\"}"),
        .repeated("a long key", "x", before: "{\"then\":[{\"get\":\"/", after: "\"}]}"),
        .repeated(
            "a value in base64", "AAAA", before: "{\"then\":[{\"set\":\"/a\",\"encoding\":\"base64\",\"value\":\"",
            after: "\"}]}"),
        .repeated("a value with escapes", "\\u0000", before: "{\"then\":[{\"set\":\"/a\",\"value\":\"", after: "\"}]}"),
        .numbered("a value of many members", before: "{\"then\":[{\"set\":\"/a\",\"value\":{", after: "\"z\":0}}]}") {
            "\"k\($0)\":0,"
        },
    ]

    @Test("the time to read a transaction grows with its size", arguments: transactions)
    func transaction(_ shape: GrowthShape) throws {
        try Growth.check(shape) { bytes in
            _ = try Transaction(wire: JSONValue(parsing: bytes), author: "a").validate()
        }
    }

    static let settings: [GrowthShape] = [
        .numbered("unknown members", before: "{", after: "\"z\":0}") { "\"k\($0)\":0," },
        .repeated("many notifications", "{\"to\":\"sns:x\"},", before: "{\"notifications\":[", after: "{}]}"),
        .repeated("a long duration", "1", before: "{\"retention\":\"", after: "d\"}"),
        .repeated("a duration of many parts", "1d", before: "{\"retention\":\"", after: "\"}"),
    ]

    @Test("the time to read stored settings grows with their size", arguments: settings)
    func storedSettings(_ shape: GrowthShape) throws {
        try Growth.check(shape) { bytes in _ = try ConfigSettings(json: JSONValue(parsing: bytes)) }
    }

    @Test("the time to merge a JSON patch grows with its size")
    func patch() throws {
        try Growth.check(.numbered("members", before: "{", after: "\"z\":0}") { "\"k\($0)\":null," }) { bytes in
            let patch = try JSONValue(parsing: bytes)
            _ = JSONValue.object(JSONObject(patch.object?.map { ($0.name, 1) } ?? [])).merging(patch)
        }
    }

    static let texts: [GrowthShape] = [
        .repeated("letters", "x", before: "/"), .repeated("slashes", "/"), .repeated("escapes", "%C3%A9"),
        .repeated("tildes", "/~0~1"), .repeated("a stray tilde at the end", "/~0", after: "~"),
        .repeated("percent signs", "%"), .repeated("digits", "1"), .repeated("dots", "/.."), .repeated("colons", ":"),
        .repeated("durations", "1d"), .repeated("combining marks", "e\u{301}", before: "/"),
    ]

    @Test("the time to read a key, pointer, duration or URL grows with its size", arguments: texts)
    func text(_ shape: GrowthShape) throws {
        try Growth.check(shape) { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            _ = try? PercentEncoding.decode(text)
            _ = try? JSONPointer(text).description
            _ = try? Key(path: text)
            _ = try? Key(bytes: bytes)
            _ = try? NotificationTarget(text)
            _ = Timestamp(text)
        }
    }
}
