import DiscfgCore
import Testing

@testable import DiscfgFormats

@Suite struct YAMLFormatTests {
    @Test(
        "plain scalars mean what YAML readers agree on",
        arguments: [
            ("5432", ConfigTree.number("5432")), ("5432.0", .number("5432.0")), ("+7", .number("7")),
            ("0x1F", .number("31")),
            (".5", .number("0.5")), ("01.50", .number("1.50")), ("1.5e+3", .number("1.5e+3")), ("yes", .bool(true)),
            ("OFF", .bool(false)), ("~", .null), ("", .null), ("y", .string("y")),
            ("-.inf", .typed(.init(.float, "-inf"))),
            ("1_000", .typed(.init(.yaml, "1_000"))), ("010", .typed(.init(.yaml, "010"))),
            ("0o17", .typed(.init(.yaml, "0o17"))),
            ("1e3", .typed(.init(.yaml, "1e3"))), ("22:22", .typed(.init(.yaml, "22:22"))),
            ("08", .typed(.init(.yaml, "08"))),
            ("1:60", .string("1:60")), ("10.0.0.1", .string("10.0.0.1")),
            ("2024-02-29", .typed(.init(.localDate, "2024-02-29"))),
            ("2023-02-29", .string("2023-02-29")), ("2024-1-1", .string("2024-1-1")), ("=", .string("=")),
            ("2001-12-14 21:59:43.10 -5", .typed(.init(.offsetDateTime, "2001-12-14T21:59:43.1-05:00"))),
        ])
    func scalars(_ text: String, _ expected: ConfigTree) async throws {
        #expect(YAMLScalar.resolve(text) == expected)
    }

    @Test(
        "strings that another reader would take for something else are quoted",
        arguments: [
            ("yes", "'yes'"), ("n", "'n'"), ("1e3", "'1e3'"), ("0x10", "'0x10'"), ("2024-01-01", "'2024-01-01'"),
            ("1:30", "'1:30'"),
            ("", "''"), ("a: b", "'a: b'"), ("a:b", "a:b"), ("a #b", "'a #b'"), ("it's", "'it''s'"),
            ("a\tb", "\"a\\tb\""),
            ("\u{85}", "\"\\u0085\""), ("http://a:80/b", "http://a:80/b"), ("<<", "'<<'"), ("- a", "'- a'"),
            (" a", "' a'"),
        ])
    func quotes(_ text: String, _ expected: String) async {
        #expect(YAMLText.string(text) == expected)
    }

    @Test("a stream of several documents is refused by name, with the option that picks one")
    func stream() async throws {
        let bytes = try Fixture(name: "stream.yml").bytes
        let error = await failure { _ = try await ConfigFormat.yaml.leaves(of: bytes) }
        #expect(error?.message.contains("3 YAML documents") == true)
        #expect(error?.hint?.contains("--document N") == true)
        #expect(try await ConfigFormat.yaml.leaves(of: bytes, document: 2).map(\.path) == ["name", "on-profile"])
        let missing = await failure { _ = try await ConfigFormat.yaml.leaves(of: bytes, document: 4) }
        #expect(missing?.message.contains("holds 3") == true)
        #expect(await failure { _ = try await ConfigFormat.json.leaves(of: Array("{}".utf8), document: 2) } != nil)
    }

    @Test("merge keys give way to the map's own members, and earlier maps go first")
    func merge() async throws {
        let tree = try ConfigFormat.yaml.tree(
            of: Array("a: &a {x: 1, y: 1}\nb: &b {y: 2, z: 2}\nc:\n  z: 3\n  <<: [*a, *b]\n\"<<\": text\n".utf8))
        #expect(tree.json["c"] == ["z": 3, "x": 1, "y": 1])
        #expect(tree.json["<<"] == "text")
    }

    @Test("a byte order mark is no part of the first name")
    func byteOrderMark() async throws {
        #expect(try await ConfigFormat.yaml.leaves(of: [0xEF, 0xBB, 0xBF] + Array("a: 1".utf8)).map(\.path) == ["a"])
    }

    @Test(
        "what cannot be kept is refused by name",
        arguments: [
            ("a: 1\na: 2", "“a”"), ("1: a\n\"1\": b", "“1”"), ("x:\n  a: !Ref b", "“!Ref”"),
            ("a: !!set {b}", "“!!set”"),
            ("? [a]\n: b", "a list or a map as a name"), ("a: *b", "undefined alias"), ("a:\n\tb: 1", "Line 2"),
            ("a: !!int many", "Line 1"), ("a: b\n<<: 5", "Line 2"),
        ])
    func refusals(_ text: String, _ expected: String) async throws {
        let error = await failure { _ = try await ConfigFormat.yaml.leaves(of: Array(text.utf8)) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.contains(expected) == true, "\(error?.message ?? "no error")")
    }

    @Test(
        "aliases that stand for billions of values are refused at once, also in a name",
        arguments: [
            "", "? *z30\n: 1\n", "{*z30 : 1}: 1\n", "k: [ [ \"]\", *z30 ] : 1 ]\n", "!a]  {*z30 : 2}: x\n",
            "*z30 : 1\n",
        ])
    func laughs(_ end: String) async throws {
        let bomb = "z0: &z0 [x, x]\n" + (1...30).map { "z\($0): &z\($0) [*z\($0 - 1), *z\($0 - 1)]\n" }.joined()
        #expect(
            await failure { _ = try await ConfigFormat.yaml.leaves(of: Array((bomb + end).utf8)) }?.code
                == .invalidRequest)
    }

    @Test("many aliases are fine where no name is a list, whatever a block of text looks like")
    func aliases() async throws {
        let text =
            "a: &a {x: 1}\nl: [" + (0..<40).map { _ in "*a" }.joined(separator: ",") + "]\ns: |\n  echo ${ENV}: a ? b\n"
        #expect(try ConfigFormat.yaml.tree(of: Array(text.utf8)).json["l"]?.array?.count == 40)
    }
}
