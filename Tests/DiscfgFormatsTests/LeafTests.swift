import DiscfgCore
import Testing

@testable import DiscfgFormats

@Suite struct LeafTests {
    @Test("scalars and arrays keep their type")
    func types() async throws {
        let items = try await items(
            #"{"i":5432,"f":5432.0,"s":"5432","t":true,"n":null,"a":[1,"x"],"e":{},"o":{"p":"q"},"z":[]}"#, .json,
            prefix: "db")
        let expected: [Key: Value] = [
            try key("/db/i"): Value(bytes: Array("5432".utf8), contentType: "application/json"),
            try key("/db/f"): Value(bytes: Array("5432.0".utf8), contentType: "application/json"),
            try key("/db/s"): Value(bytes: Array("5432".utf8), contentType: "text/plain"),
            try key("/db/t"): Value(.bool(true)), try key("/db/n"): Value(JSONValue.null),
            try key("/db/a"): Value(bytes: Array(#"[1,"x"]"#.utf8), contentType: "application/json"),
            try key("/db/e"): Value(bytes: Array("{}".utf8), contentType: "application/json"),
            try key("/db/o/p"): Value("q"),
            try key("/db/z"): Value(bytes: Array("[]".utf8), contentType: "application/json"),
        ]
        #expect(items == expected)
    }

    @Test("split arrays have a key for each element")
    func splitArrays() async throws {
        let items = try await items(#"{"a":[{"b":1},[2,[]],"c"]}"#, .json, splitArrays: true)
        #expect(items.keys.map(\.description).sorted() == ["/a/0/b", "/a/1/0", "/a/1/1", "/a/2"])
    }

    @Test(
        "names become segments that come back",
        arguments: [
            ("a/b", "a~1b"), ("a~b", "a~0b"), ("", "~m"), ("~m", "~0m"), ("/", "~1"), ("~1", "~01"),
            ("é/\u{301}", "é~1\u{301}"),
        ])
    func names(_ name: String, _ segment: String) async throws {
        let tree = ConfigTree.object([
            ConfigTree.Member(name: name, value: .object([.init(name: name, value: .string("x"))]))
        ])
        let leaves = try Leaf.leaves(of: tree, splitArrays: false)
        #expect(leaves.map(\.path) == ["\(segment)/\(segment)"])
        #expect(PathSegment(Array(segment.utf8)).name.utf8.elementsEqual(name.utf8))
    }

    @Test("a map with the names of an array stays a map", arguments: [false, true])
    func numberedMap(splitArrays: Bool) async throws {
        let text = #"{"m":{"0":"a","1":"b"},"gap":{"0":"a","2":"b"},"l":["a","b"],"padded":{"00":"a"}}"#
        let items = try await items(text, .json, splitArrays: splitArrays)
        #expect(items[try key("/m/~m0")] == Value("a"))
        #expect(items[try key("/gap/0")] == Value("a"))
        #expect(
            try await ConfigFormat.json.tree(of: ConfigFormat.json.bytes(of: items)).json == JSONValue(parsing: text))
    }

    @Test("elements come back in the order of their numbers")
    func order() async throws {
        let text = "[" + (0..<12).map(String.init).joined(separator: ",") + "]"
        let items = try await items(text, .json, splitArrays: true, prefix: "/list")
        #expect(
            try await ConfigFormat.json.tree(of: ConfigFormat.json.bytes(of: items, under: "/list")).json.text == text)
    }

    @Test("a list at the root needs --split-arrays, and a scalar has no place", arguments: ["[1]", "5", "null", "[]"])
    func root(_ text: String) async throws {
        let error = await failure { _ = try await items(text, .json) }
        #expect(error?.code == .invalidRequest)
        if text == "[1]" { #expect(error?.hint?.contains("--split-arrays") == true) }
    }

    @Test("types that JSON lacks are text with a parameter, and split the array that holds them")
    func typed() async throws {
        let items = try await items("d = 1979-05-27\nl = [inf, 1]\n", .toml)
        #expect(
            items[try key("/d")] == Value(bytes: Array("1979-05-27".utf8), contentType: "text/plain; type=local-date"))
        #expect(items[try key("/l/0")] == Value(bytes: Array("inf".utf8), contentType: "text/plain; type=float"))
        #expect(
            try await export(items, .json) == "{\n  \"d\": \"1979-05-27\",\n  \"l\": [\n    \"inf\",\n    1\n  ]\n}\n")
        #expect(try await export(items, .yaml) == "d: 1979-05-27\nl:\n  - .inf\n  - 1\n")
    }

    @Test("a value that was edited to something of another type is a string")
    func editedType() async throws {
        let items = [try key("/d"): Value(bytes: Array("soon".utf8), contentType: "text/plain; type=local-date")]
        #expect(try await export(items, .toml) == "d = \"soon\"\n")
    }

    @Test(
        "a key that is a value and a directory is an error that names both",
        arguments: [ConfigFormat.json, .yaml, .toml])
    func conflict(_ format: ConfigFormat) async throws {
        let error = await failure {
            _ = try await format.bytes(of: [key("/a"): Value("x"), key("/a/b/c"): Value("y")])
        }
        #expect(error?.message.contains("“/a”") == true)
        #expect(error?.message.contains("“/a/b/c”") == true)
    }

    @Test("an empty object and a directory marker only say that there is a directory")
    func directories() async throws {
        let empty = Value(JSONValue.object(JSONObject()))
        let marker = Value(bytes: [], contentType: Value.directory)
        let items = [try key("/a"): empty, try key("/a/b"): Value("x"), try Key(bytes: Array("/c/".utf8)): marker]
        #expect(try await export(items, .json) == "{\n  \"a\": {\n    \"b\": \"x\"\n  },\n  \"c\": {}\n}\n")
    }

    @Test("only keys below the prefix are exported")
    func prefix() async throws {
        let items = [try key("/db/host"): Value("h"), try key("/dbx"): Value("no"), try key("/other/x"): Value("no")]
        #expect(try await export(items, .yaml, under: "/db") == "host: h\n")
    }

    @Test("a key that is no path is refused by name")
    func foreignKey() async throws {
        let error = await failure {
            _ = try await ConfigFormat.json.bytes(of: [Key(bytes: [0x2F, 0xFF, 0x61]): Value("x")])
        }
        #expect(error?.message.contains("“bytes:///%FFa”") == true)
    }

    @Test("bytes that are not text are binary in YAML and base64 elsewhere")
    func binary() async throws {
        let items = [try key("/b"): Value(bytes: [0xFF, 0xFE], contentType: "application/octet-stream")]
        #expect(try await export(items, .yaml) == "b: !!binary \"//4=\"\n")
        #expect(try await export(items, .env) == "b=//4=\n")
        #expect(try await DiscfgFormatsTests.items("b: !!binary \"//4=\"", .yaml)[key("/b")]?.bytes == [0xFF, 0xFE])
    }
}
