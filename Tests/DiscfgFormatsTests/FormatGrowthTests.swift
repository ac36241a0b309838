import DiscfgCore
import DiscfgTestSupport
import Testing

@testable import DiscfgFormats
@testable import DiscfgYAML

/// Reading a file must not take longer than its size explains, whoever wrote it.
@Suite struct FormatGrowthTests {
    static let cases: [FormatShape] =
        json.map { FormatShape(.json, $0) } + yaml.map { FormatShape(.yaml, $0) } + toml.map { FormatShape(.toml, $0) }
        + flat.flatMap { [FormatShape(.env, $0), FormatShape(.properties, $0)] }

    @Test("the time to read a file grows with its size", arguments: cases)
    func growth(_ shape: FormatShape) throws {
        try Growth.check(shape.shape) { bytes in
            let meter = ReadingMeter(atMost: .max)
            let tree = try shape.format.tree(of: bytes, yaml: .yams, meter: meter)
            _ = try Leaf.leaves(of: tree, splitArrays: true)
            _ = try Leaf.leaves(of: tree, splitArrays: false)
        }
    }

    private static let deep = 500

    static let json: [GrowthShape] = [
        .repeated("many numbers", "0,", before: "{\"a\":[", after: "0]}"),
        .repeated("many empty lists", "[],", before: "{\"a\":[", after: "0]}"),
        .repeated("many empty objects", "{},", before: "{\"a\":[", after: "0]}"),
        .numbered("many names", before: "{", after: "\"z\":0}") { "\"k\($0)\":0," },
        .numbered("many nested names", before: "{", after: "\"z\":0}") { "\"k\($0)\":{\"a\":{\"b\":0}}," },
        .repeated("one name again and again", "\"a\":0,", before: "{", after: "\"a\":0}"),
        .repeated("a long text", "x", before: "{\"a\":\"", after: "\"}"),
        .repeated("escapes", "\\u00e9\\n", before: "{\"a\":\"", after: "\"}"),
        .repeated("escaped pairs", "\\ud83d\\ude00", before: "{\"a\":\"", after: "\"}"),
        .repeated("a long number", "1", before: "{\"a\":", after: "}"),
        .repeated("a long name", "n", before: "{\"", after: "\":{\"a\":1,\"b\":2}}"),
        .repeated("blanks", " \n", before: "{\"a\":", after: "0}"),
        .repeated("a text without its end", "x", before: "{\"a\":\""),
        .repeated("lists without their end", "[0,", before: "{\"a\":"),
        .repeated(
            "a wide list deep inside", "0,", before: "{\"a\":" + String(repeating: "[", count: deep),
            after: "0" + String(repeating: "]", count: deep) + "}"),
        .numbered("names that are indexes", before: "{", after: "\"z\":0}") { "\"\($0)\":0," },
        .repeated("tildes and slashes", "~/", before: "{\"", after: "\":0}"),
        .repeated("not UTF-8", "x", before: "{\"a\":\"", after: "\u{0}\"}"),
    ]

    static let yaml: [GrowthShape] = [
        .repeated("many numbers", "a,", before: "a: [", after: "a]"),
        .repeated("many items", "- a\n"),
        .repeated("many empty items", "-\n"),
        .numbered("many names") { "k\($0): v\n" },
        .numbered("many names in braces", before: "{", after: "z: 0}") { "k\($0): v," },
        .repeated("one name again and again", "a: 0\n"),
        .numbered("many anchors", before: "l:\n") { "- &a\($0) x\n" },
        .numbered("many anchors and aliases", before: "l:\n") { "- &a\($0) x\n- *a\($0)\n" },
        .repeated("aliases to one text", "- *a\n", before: "- &a x\n"),
        .repeated("aliases to a list", "- *a\n", before: "- &a [1, 2, 3]\n"),
        .numbered("merges", before: "a: &a {x: 1}\n") { "k\($0): {<<: *a}\n" },
        .repeated("merges in one map", "*a,", before: "a: &a {x: 1}\nb:\n  <<: [", after: "]\n"),
        .numbered("aliases as names", before: "a: &a x\n") { "k\($0): {*a : 1}\n" },
        .repeated("a long plain text", "x ", before: "a: "),
        .repeated("a long text", "x", before: "a: \"", after: "\""),
        .repeated("a long text in single quotes", "''", before: "a: '", after: "'"),
        .repeated("escapes", "\\u00e9\\n", before: "a: \"", after: "\""),
        .repeated("folded lines", "x\n  ", before: "a: \"", after: "\""),
        .repeated("a block of lines", "  x\n", before: "a: |\n"),
        .repeated("a folded block", "  x\n\n", before: "a: >\n"),
        .repeated("a block of empty lines", "\n", before: "a: |+\n  x\n"),
        .repeated("comments", "# x\n", after: "a: 1\n"),
        .repeated("comments after values", "- a # x\n"),
        .numbered("%TAG lines", after: "---\na: 1\n") { "%TAG !t\($0)! tag:x,2000:\n" },
        .numbered("other directives", after: "---\na: 1\n") { "%FOO\($0) x\n" },
        .repeated("documents", "---\na: 1\n"),
        .repeated("ends of documents", "a: 1\n...\n"),
        .repeated("tags", "- !!str a\n"),
        .repeated("a long tag", "x", before: "a: !", after: " b"),
        .repeated("a long anchor", "x", before: "a: &", after: " b"),
        .repeated("a long name", "n", before: "", after: ": {a: 1, b: 2}"),
        .repeated("a long name with a question mark", "n", before: "? ", after: "\n: {a: 1, b: 2}"),
        .repeated("names with question marks", "- ? a\n  : b\n"),
        .repeated("lists without their end", "[a,", before: "a: "),
        .repeated("a text without its end", "x\n", before: "a: \"", after: ""),
        .repeated("indentation", "  ", before: "a:\n", after: "b: 1"),
        .repeated("blanks in a line", " ", before: "a:", after: "b"),
        .repeated("tabs and line ends", "\r\n"),
        .repeated(
            "a wide list deep inside", "0,", before: "a: " + String(repeating: "[", count: deep),
            after: "0" + String(repeating: "]", count: deep)),
        .repeated(
            "dates deep inside", "2024-01-01,", before: "a: " + String(repeating: "[", count: deep),
            after: "0" + String(repeating: "]", count: deep)),
        .repeated("a long number", "1", before: "a: ", after: "_0"),
        .repeated("a long number of base 60", ":1", before: "a: 1"),
        .repeated("base64", "AAAA", before: "a: !!binary ", after: ""),
        .repeated("colons", "a:", before: "a: "),
        .repeated("question marks", "? "),
        .repeated("dashes", "- "),
    ]

    static let toml: [GrowthShape] = [
        .repeated("tables of one name", "[[a]]\n"),
        .repeated("tables of one name with members", "[[a]]\nb = 1\n"),
        .repeated("tables below a table", "[[a.b]]\n", before: "[a]\n"),
        .repeated("tables below a table of a list", "[[a.b]]\n", before: "[[a]]\n"),
        .repeated("lists of tables in each other", "[[a]]\n[[a.b]]\n[[a.b.c]]\n"),
        .numbered("many tables") { "[t\($0)]\n" },
        .numbered("many tables with dots") { "[t.a.b.c\($0)]\n" },
        .numbered("many lists of tables") { "[[t\($0)]]\n" },
        .numbered("many names") { "k\($0) = 1\n" },
        .numbered("names with dots") { "a.b.k\($0) = 1\n" },
        .repeated("a long name with dots", "a.", after: "a = 1"),
        .numbered("long names with dots") { String(repeating: "a.", count: deep) + "k\($0) = 1\n" },
        .numbered("long headers with dots") { "[" + String(repeating: "a.", count: deep) + "k\($0)]\n" },
        .repeated("many numbers", "0,", before: "a = [", after: "0]"),
        .repeated("many inline tables", "{a=1},", before: "a = [", after: "0]"),
        .numbered("a wide inline table", before: "a = {", after: "z = 1}") { "k\($0) = 1, " },
        .numbered("inline tables with dots", before: "a = {", after: "z = 1}") { "k.a\($0) = 1, " },
        .repeated("a long text", "x", before: "a = \"", after: "\""),
        .repeated("a literal text", "x", before: "a = '", after: "'"),
        .repeated("lines of a text", "x\n", before: "a = \"\"\"\n", after: "\"\"\""),
        .repeated("lines with backslashes", "x \\\n  ", before: "a = \"\"\"\n", after: "\"\"\""),
        .repeated("blank lines after a backslash", "\n", before: "a = \"\"\"\\\n", after: "\"\"\""),
        .repeated("backslashes and blanks", "\\ ", before: "a = \"\"\"", after: "\"\"\""),
        .repeated("escapes", "\\u00e9", before: "a = \"", after: "\""),
        .repeated("quotes in a text", "\"\"x", before: "a = \"\"\"", after: "\"\"\""),
        .repeated("a text without its end", "x\n", before: "a = \"\"\""),
        .repeated("comments", "# x\n"),
        .repeated("blank lines", " \n"),
        .repeated("a long number", "1", before: "a = ", after: ".5"),
        .repeated("a number with underscores", "1_", before: "a = ", after: "1.5"),
        .repeated("dates", "1979-05-27 07:32:00,", before: "a = [", after: "]"),
        .repeated("a date with a long fraction", "1", before: "a = 1979-05-27T07:32:00."),
        .repeated(
            "dates deep inside", "1979-05-27,", before: "a = " + String(repeating: "[", count: deep),
            after: String(repeating: "]", count: deep)),
        .repeated("lists without their end", "[0,", before: "a = "),
        .repeated("a long name", "n", before: "[", after: "]\na = 1\nb = 2\n"),
    ]

    static let flat: [GrowthShape] = [
        .numbered("many names") { "K\($0)=v\n" },
        .repeated("one name again and again", "K=v\n"),
        .repeated("a long value", "x", before: "K="),
        .repeated("a long name", "K", after: "=v"),
        .repeated("a value with blanks", "x ", before: "K="),
        .repeated("blanks", " ", before: "K=", after: "x"),
        .repeated("backslashes", "\\", before: "K="),
        .repeated("lines that go on", "\\\n", before: "K=", after: "v"),
        .repeated("lines that go on with blanks", "\\\n   ", before: "K=", after: "v"),
        .repeated("lines that go on before a name", "\\\n", after: "K=v"),
        .repeated("escapes", "\\n\\t", before: "K=\"", after: "\""),
        .repeated("escapes of four digits", "\\u00e9", before: "K="),
        .repeated("comments", "# x\n"),
        .repeated("comments after values", "K=v # x\n"),
        .repeated("blank lines", "\n"),
        .repeated("a quote without its end", "x\n", before: "K=\""),
        .repeated("lines in quotes", "x\n", before: "K='", after: "'"),
        .repeated("not UTF-8", "K=v\n", after: "K=\u{FF}"),
    ]
}

/// A shape in the format that reads it.
struct FormatShape: Sendable, CustomTestStringConvertible {
    let format: ConfigFormat
    let shape: GrowthShape

    init(_ format: ConfigFormat, _ shape: GrowthShape) { (self.format, self.shape) = (format, shape) }

    var testDescription: String { "\(format): \(shape)" }
}
