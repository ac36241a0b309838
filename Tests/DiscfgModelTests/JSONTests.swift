import Testing

@testable import DiscfgModel

@Suite("JSON")
struct JSONTests {
    @Test(
        "What was parsed is written as it was",
        arguments: [
            "null", "true", "false", "0", "-1.10", "1e400", "12345678901234567890", #""""#, #""a\"b\\c\n""#, "[]", "{}",
            #"{"b":1,"a":[1,{"c":null}]}"#, #""é😀""#,
        ])
    func roundTrip(text: String) throws {
        #expect(try JSONValue(parsing: text).text == text)
    }

    @Test(
        "Text that is not JSON is refused, with the place",
        arguments: [
            ("", 0), ("{", 1), ("[1,]", 3), ("{\"a\" 1}", 5), ("01", 1), ("1.", 2), ("\"\u{01}\"", 1), ("\"\\x\"", 2),
            ("nul", 3),
            ("1 2", 2), ("\"\\ud800\"", 7), ("'a'", 0), ("{a:1}", 1), ("[1", 2), ("\"abc", 4),
        ])
    func refused(text: String, offset: Int) {
        let error = #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: text) }
        #expect(error?.offset == offset, "\(text): \(String(describing: error))")
    }

    @Test("A string that is not UTF-8 is refused")
    func invalidUTF8() {
        #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: [0x22, 0xFF, 0x22]) }
    }

    @Test("Nesting is bounded, so that no input can exhaust the stack")
    func depth() throws {
        let deep = { String(repeating: "[", count: $0) + String(repeating: "]", count: $0) }
        #expect(try JSONValue(parsing: deep(512)).array != nil)
        #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: deep(513)) }
        #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: String(repeating: "[", count: 1_000_000)) }
    }

    @Test("Escapes become the characters they stand for")
    func escapes() throws {
        #expect(try JSONValue(parsing: #""\u00e9\ud83d\ude00\/\b\f\t""#).string == "é😀/\u{08}\u{0C}\t")
    }

    @Test("Text for people has two spaces a level")
    func pretty() {
        let value: JSONValue = ["a": [1, 2], "b": [:], "c": "x"]
        #expect(
            value.prettyText == """
                {
                  "a": [
                    1,
                    2
                  ],
                  "b": {},
                  "c": "x"
                }
                """)
    }

    @Test("Objects with the same members are equal in any order, and keep their own")
    func order() throws {
        let (one, other) = (try JSONValue(parsing: #"{"a":1,"b":2}"#), try JSONValue(parsing: #"{"b":2,"a":1}"#))
        #expect(one == other)
        #expect(other.text == #"{"b":2,"a":1}"#)
    }

    @Test("Names and slashes are bytes: neither composing nor combining characters make two of them one")
    func bytewise() throws {
        let document = try JSONValue(parsing: "{\"\u{E9}\":1,\"e\u{301}\":2,\"a/\u{301}b\":3}")
        #expect(document.object?.count == 3)
        #expect(document["e\u{301}"] == 2)
        #expect(document.value(at: try JSONPointer("/a~1\u{301}b")) == 3)
        #expect(PathEscape.escape("a/\u{301}b") == "a~1\u{301}b")
    }

    @Test(
        "A pointer finds what RFC 6901 says it finds",
        arguments: [
            ("", #"{"foo":["bar","baz"],"":0,"a/b":1,"m~n":8}"#), ("/foo", #"["bar","baz"]"#), ("/foo/0", #""bar""#),
            ("/", "0"),
            ("/a~1b", "1"), ("/m~0n", "8"),
        ])
    func pointer(text: String, expected: String) throws {
        let document = try JSONValue(parsing: #"{"foo":["bar","baz"],"":0,"a/b":1,"m~n":8}"#)
        #expect(document.value(at: try JSONPointer(text))?.text == expected)
    }

    @Test(
        "A pointer to nothing finds nothing", arguments: ["/x", "/foo/2", "/foo/00", "/foo/-", "/foo/+1", "/foo/0/x"])
    func pointerMiss(text: String) throws {
        let document = try JSONValue(parsing: #"{"foo":["bar","baz"]}"#)
        #expect(document.value(at: try JSONPointer(text)) == nil)
    }

    @Test("A pointer that is none is refused", arguments: ["foo", "/a~", "/a~2"])
    func badPointer(text: String) {
        #expect(throws: DiscfgError.self) { try JSONPointer(text) }
    }

    @Test(
        "A merge patch does what the examples of RFC 7396 do",
        arguments: [
            (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#), (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
            (#"{"a":"b"}"#, #"{"a":null}"#, "{}"), (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
            (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#), (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
            (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
            (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#), (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
            (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#), (#"{"a":"foo"}"#, "null", "null"),
            (#"{"a":"foo"}"#, #""bar""#, #""bar""#),
            (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#), ("[1,2]", #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
            ("{}", #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
        ])
    func mergePatch(original: String, patch: String, result: String) throws {
        #expect(try JSONValue(parsing: original).merging(JSONValue(parsing: patch)).text == result)
    }
}
