import DiscfgEtcd
import DiscfgTestSupport
import Testing

@testable import DiscfgHTTP

/// The time to decode what etcd's clients send must grow with its size.
@Suite struct DecoderGrowthTests {
    static let forms: [GrowthShape] = [
        .numbered("many fields") { "k\($0)=v&" }, .repeated("one field again and again", "value=v&"),
        .repeated("a long value", "x", before: "value="), .repeated("a long name", "x", after: "=v"),
        .repeated("escapes", "%C3%A9", before: "value="), .repeated("pluses", "+", before: "value="),
        .repeated("separators", "&"), .repeated("equals signs", "="),
        .repeated("a semicolon at the end", "a=b&", after: ";"),
        .repeated("a wrong escape at the end", "%41", before: "value=", after: "%"),
    ]

    @Test("the time to read a form of v2 grows with its size", arguments: forms)
    func form(_ shape: GrowthShape) throws {
        try Growth.check(shape) { bytes in
            var form = EtcdV2Form()
            try form.add(bytes)
            for name in ["value", "prevValue", "ttl", "dir"] { _ = form[name] }
        }
    }

    private static let then = "{\"success\":["

    static let bodies: [GrowthShape] = [
        .repeated("empty operations", "{},", before: then, after: "{}]}"),
        .repeated("reads", "{\"request_range\":{\"key\":\"YQ==\"}},", before: then, after: "{}]}"),
        .repeated("writes", "{\"request_put\":{\"key\":\"YQ==\",\"value\":\"YQ==\"}},", before: then, after: "{}]}"),
        .repeated("comparisons", "{\"key\":\"YQ==\"},", before: "{\"compare\":[", after: "{}]}"),
        .numbered("unknown names", before: "{", after: "\"z\":0}") { "\"k\($0)\":[0,{}]," },
        .repeated("one name again and again", "\"success\":[],", before: "{", after: "\"failure\":[]}"),
        .repeated("names with escapes", "\"\\u0061\":0,", before: "{", after: "\"z\":0}"),
        .repeated("a long unknown text", "\\\"x", before: "{\"a\":\"", after: "\"}"),
        .repeated("a text without its end", "x", before: "{\"a\":\""),
        .repeated("a long number", "1", before: "{\"a\":", after: "}"),
        .repeated("a long key", "YQ==", before: then + "{\"request_range\":{\"key\":\"", after: "\"}}]}"),
        .repeated(
            "a key with escaped slashes", "\\/\\/", before: then + "{\"request_range\":{\"key\":\"", after: "\"}}]}"),
        .repeated("blanks", " \n", before: "{", after: "}"),
        .repeated("lists without their end", "[", before: "{\"a\":"),
        .repeated("objects one after the other", "{}"),
    ]

    @Test("the time to read a transaction of v3 grows with its size", arguments: bodies)
    func body(_ shape: GrowthShape) throws {
        try Growth.check(shape) { bytes in _ = try TxnRequest(body: bytes) }
    }

    @Test("the time to cut a stream into messages grows with its size", arguments: bodies)
    func frames(_ shape: GrowthShape) throws {
        try Growth.check(shape) { bytes in
            var frames = JSONFrames(limit: .max)
            for start in stride(from: 0, to: bytes.count, by: 100) {
                frames.append(bytes[start..<min(start + 100, bytes.count)])
                while try frames.next() != nil {}
            }
        }
    }
}
