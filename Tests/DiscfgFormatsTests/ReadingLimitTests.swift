import DiscfgCore
import Testing

@testable import DiscfgFormats
@testable import DiscfgYAML

/// What one file may take: values, keys, bytes that aliases add, and time after its reader has gone.
@Suite struct ReadingLimitTests {
    static let hundred: [(ConfigFormat, String)] = [
        (.json, "{\"a\":[" + String(repeating: "0,", count: 99) + "0]}"),
        (.json, "{" + (0..<100).map { "\"k\($0)\":{}" }.joined(separator: ",") + "}"),
        (.yaml, "a: [" + String(repeating: "0,", count: 99) + "0]"),
        (.yaml, (0..<100).map { "k\($0): {}\n" }.joined()),
        (.yaml, "a: &a 1\nb: [" + String(repeating: "*a,", count: 99) + "]"),
        (.toml, "a = [" + String(repeating: "0,", count: 99) + "0]"),
        (.toml, (0..<100).map { "k\($0) = {}\n" }.joined()),
        (.toml, String(repeating: "[[a]]\n", count: 100)),
        (.env, (0..<100).map { "K\($0)=\n" }.joined()),
        (.properties, (0..<100).map { "k\($0)=\n" }.joined()),
    ]

    @Test("a file with more values than an import takes is refused while it is read", arguments: hundred.indices)
    func values(_ index: Int) throws {
        let (format, text) = Self.hundred[index]
        let few = failure {
            _ = try format.tree(of: Array(text.utf8), yaml: .yams, meter: ReadingMeter(atMost: 99))
        }
        #expect(few?.code == .tooLarge)
        #expect(few?.hint != nil)
        _ = try format.tree(of: Array(text.utf8), yaml: .yams, meter: ReadingMeter(atMost: 300))
    }

    @Test("parsing stops when nobody waits for the file any more", arguments: ConfigFormat.allCases)
    func cancelled(_ format: ConfigFormat) throws {
        let cancellation = WorkCancellation()
        cancellation.cancel()
        let text =
            switch format {
            case .json: "[" + String(repeating: "0,", count: 1000) + "0]"
            case .yaml: String(repeating: "- 0\n", count: 1000)
            case .toml: String(repeating: "[[a]]\n", count: 1000)
            case .env, .properties: (0..<1000).map { "K\($0)=\n" }.joined()
            }
        let error = failure {
            _ = try format.tree(of: Array(text.utf8), yaml: .yams, meter: ReadingMeter(cancellation))
        }
        #expect(error?.message == "The reading of the file was cancelled.")
    }

    @Test("a file that makes more keys than an import takes is refused")
    func keys() {
        let tree = ConfigTree.array(Array(repeating: .null, count: ConfigFormat.maximumLeaves + 1))
        #expect(failure { _ = try Leaf.leaves(of: tree, splitArrays: true) }?.code == .tooLarge)
    }

    @Test("a name longer than a key may be is refused before the paths of the values below it are made")
    func longName() async {
        let name = String(repeating: "n", count: 1024)
        let error = await failure { _ = try await items("{\"\(name)\":{\"a\":1,\"b\":2}}", .json) }
        #expect(error?.code == .invalidName)
        #expect(error?.message.hasSuffix("makes a key of 1025 bytes; the most is 1024.") == true)
    }

    @Test("aliases to a long text are counted by their bytes")
    func aliasedBytes() {
        let text = "a: &a " + String(repeating: "x", count: 100_000) + "\nb: ["
        let bomb = text + String(repeating: "*a,", count: 700) + "]"
        let error = failure { _ = try YAMLFormat.tree(of: Array(bomb.utf8), document: nil) }
        #expect(error?.code == .tooLarge)
        #expect(error?.message.contains("64 MiB") == true)
        let harmless = text + String(repeating: "*a,", count: 600) + "]"
        #expect(failure { _ = try YAMLFormat.tree(of: Array(harmless.utf8), document: nil) } == nil)
    }

    @Test("aliases count what is merged, in names as well")
    func aliasedNames() {
        let names = (1000..<2000).map { String(repeating: "n", count: 996) + "\($0): 1" }.joined(separator: ", ")
        let bomb = "a: &a {\(names)}\n" + (0..<70).map { "b\($0): {<<: *a}\n" }.joined()
        #expect(failure { _ = try YAMLFormat.tree(of: Array(bomb.utf8), document: nil) }?.code == .tooLarge)
    }

    @Test("more %TAG lines than any file needs are refused with their line")
    func directives() {
        func file(_ count: Int) -> [UInt8] {
            Array(((0..<count).map { "%TAG !t\($0)! tag:x,2000:\n" }.joined() + "---\na: 1").utf8)
        }
        #expect(failure { _ = try YAMLFormat.tree(of: file(100), document: nil) } == nil)
        let error = failure { _ = try YAMLFormat.tree(of: file(101), document: nil) }
        #expect(error?.message == "Line 101 of the file is one “%TAG” line more than 100.")
    }

    @Test("an alias cannot nest values deeper than the limit")
    func aliasedDepth() {
        let inner = String(repeating: "[", count: 300) + String(repeating: "]", count: 300)
        let outer = String(repeating: "[", count: 300) + "*a" + String(repeating: "]", count: 300)
        let error = failure { _ = try YAMLFormat.tree(of: Array("a: &a \(inner)\nb: \(outer)".utf8), document: nil) }
        #expect(error?.message.contains("512 levels") == true)
    }

    @Test("a byte order mark at the start of a value survives YAML")
    func mark() async throws {
        let items = try [key("/v"): Value("\u{FEFF}"), key("/w"): Value("\u{FEFF}text")]
        let text = try await export(items, .yaml)
        let again = try await DiscfgFormatsTests.items(text, .yaml)
        #expect(again == items)
    }
}
