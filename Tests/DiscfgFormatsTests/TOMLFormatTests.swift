import DiscfgCore
import Testing

@testable import DiscfgFormats

@Suite struct TOMLFormatTests {
    @Test("null has no place in TOML, and the error names the key")
    func null() async throws {
        let error = await failure { _ = try await ConfigFormat.toml.bytes(of: items(#"{"a":{"b":[1,null]}}"#, .json)) }
        #expect(error?.message.contains("“/a/b/1”") == true)
    }

    @Test("an integer of more than 64 bits has no place in TOML")
    func largeInteger() async throws {
        let error = await failure {
            _ = try await ConfigFormat.toml.bytes(of: items(#"{"a":12345678901234567890}"#, .json))
        }
        #expect(error?.message.contains("“/a”") == true)
    }

    @Test("tables are written under headers, values before them")
    func layout() async throws {
        let text = #"{"b":{"c":{"d":1}},"a":"x","t":[{"n":1},{"n":2}],"e":{},"m":[{"n":1},2]}"#
        let expected = """
            a = "x"
            m = [{ n = 1 }, 2]

            [b.c]
            d = 1

            [e]

            [[t]]
            n = 1

            [[t]]
            n = 2

            """
        #expect(try await export(items(text, .json), .toml) == expected)
    }

    @Test(
        "values are read as TOML 1.0 says",
        arguments: [
            ("0xdead_BEEF", ConfigTree.number("3735928559")), ("0b101", .number("5")), ("+1_000", .number("1000")),
            ("6.022e23", .number("6.022e23")), ("1e06", .number("1e06")), ("-0.0", .number("-0.0")),
            (#""\u00e9\t\U0001F600""#, .string("é\t😀")), (#"'C:\u0000'"#, .string("C:\\u0000")),
            ("\"\"\"\r\na\\\n   b\"\"\"\"", .string("ab\"")), ("'''\n'x'''''", .string("'x''")),
            ("1979-05-27 07:32:00z", .typed(.init(.offsetDateTime, "1979-05-27T07:32:00Z"))),
            ("07:32:00.500", .typed(.init(.localTime, "07:32:00.5"))),
            ("[1, # c\n 2,]", .array([.number("1"), .number("2")])),
            (#""\u0000""#, .string("\0")),
        ])
    func values(_ text: String, _ expected: ConfigTree) async throws {
        #expect(try TOMLFormat.tree(of: Array("a = \(text)".utf8)) == .object([.init(name: "a", value: expected)]))
    }

    @Test(
        "what TOML 1.0 forbids is refused",
        arguments: [
            "a = 01", "a = 1__0", "a = 1.", "a = .5", "a = +0x1", "a = 0b2", "a = 99999999999999999999",
            "a = 2023-02-29",
            "a = 24:00:00", "a = 1979-05-27T07:32", "a = tru", "a = [1,,2]", "a = [1, }", "a = {b = 1,}",
            "a = {b = 1\n}",
            "a = 1 b = 2", "a = 1\ra = 2", #"a = "\x41""#, #"a = "\ud800""#, "a = \"x\ny\"", "a = 1\na = 2",
            "a.b = 1\n[a]",
            "a = {b = 1}\na.c = 2", "[a.b.c]\n[a]\nb.c.t = 9", "[[a]]\n[a]", "a = []\n[[a]]", "[a]\n[a]", "[", "[]",
            "[++a]",
            "[\r", "a.", "= 1", "# \u{1}", "é = 1", "a = '''\0'''",
        ])
    func refusals(_ text: String) {
        #expect(failure { _ = try TOMLFormat.tree(of: Array(text.utf8)) }?.code == .invalidRequest)
    }

    @Test("tables may be added to as far as TOML 1.0 allows")
    func tables() async throws {
        let text = "[a]\nb.c = 1\nb.d = 2\n[a.b.e]\nf = 3\n[x.y]\n[x]\nz = 4\n[[l]]\n[l.m]\n[[l]]\n[l.m]\nn = 5\n"
        let expected = #"{"a":{"b":{"c":1,"d":2,"e":{"f":3}}},"x":{"y":{},"z":4},"l":[{"m":{}},{"m":{"n":5}}]}"#
        #expect(try TOMLFormat.tree(of: Array(text.utf8)).json == JSONValue(parsing: expected))
    }

    @Test("numbers at the root stay names, for TOML has no list there")
    func numberedRoot() async throws {
        #expect(try await export([key("/0"): Value("a")], .toml) == "0 = \"a\"\n")
    }
}
