import DiscfgCore
import DiscfgTestSupport
import Testing

@testable import DiscfgFormats

/// Files and keys that are nested as deep as allowed need no deep stack, and deeper files are refused.
@Suite struct NestingTests {
    /// A file with one value below many levels.
    struct Shape: Sendable, CustomTestStringConvertible {
        let format: ConfigFormat
        let testDescription: String
        /// How many levels are added by what is not repeated.
        var outer = 0
        let text: @Sendable (_ levels: Int) -> String

        /// What is repeated before the value and after it, inside of something else.
        init(_ format: ConfigFormat, _ open: String, _ close: String, inside: (before: String, after: String)? = nil) {
            (self.format, outer) = (format, inside == nil ? 0 : 1)
            let (before, after) = inside ?? ("", "")
            testDescription = "\(format): \(before)\(open)"
            text = { before + String(repeating: open, count: $0) + "1" + String(repeating: close, count: $0) + after }
        }

        init(_ format: ConfigFormat, _ name: String, text: @escaping @Sendable (_ levels: Int) -> String) {
            (self.format, testDescription, self.text) = (format, "\(format): \(name)", text)
        }

        /// The file whose value is at that depth.
        func bytes(depth: Int) -> [UInt8] { Array(text(depth - outer).utf8) }
    }

    static let shapes = [
        Shape(.json, "[", "]", inside: (#"{"a":"#, "}")), Shape(.json, #"{"a":"#, "}"),
        Shape(.json, "[2,", ",{}]", inside: (#"{"a":"#, "}")),
        Shape(.yaml, "[", "]", inside: ("a: ", "")), Shape(.yaml, "{a: ", "}"), Shape(.yaml, "- ", ""),
        Shape(.yaml, "- ", "", inside: ("a:\n  ", "")), Shape(.yaml, "[2, ", ", {}]", inside: ("a: ", "")),
        Shape(.toml, "[", "]", inside: ("a = ", "")), Shape(.toml, "{a=", "}", inside: ("a = ", "")),
        Shape(.toml, "[2,", ",{}]", inside: ("a = ", "")),
        Shape(.toml, "a dotted name") { "a" + String(repeating: ".a", count: $0 - 1) + "=1" },
    ]

    @Test("files at the maximum depth are read, split and written on a small stack", arguments: shapes)
    func allowed(_ shape: Shape) async throws {
        let bytes = shape.bytes(depth: 511)
        try await SmallStack.run {
            let tree = try shape.format.tree(of: bytes)
            for splitArrays in [false, true] {
                // A list is no file of its own unless it is split.
                if case .array = tree, !splitArrays { continue }
                let items = try items(Leaf.leaves(of: tree, splitArrays: splitArrays))
                let directory = try DirectoryPath("/")
                let json = JSONFormat.bytes(of: try ConfigTree(items, under: directory))
                let yaml = YAMLWriter.bytes(of: try ConfigTree(items, under: directory))
                #expect(JSONFormat.bytes(of: try ConfigFormat.yaml.tree(of: yaml)) == json)
                guard case .object = tree else { continue }
                let toml = try TOMLWriter.bytes(of: ConfigTree(items, under: directory, arrayAtRoot: false))
                #expect(JSONFormat.bytes(of: try ConfigFormat.toml.tree(of: toml)) == json)
            }
        }
    }

    @Test("files beyond the maximum depth are refused by name", arguments: shapes)
    func refused(_ shape: Shape) async throws {
        let bytes = shape.bytes(depth: 512)
        try await SmallStack.run {
            let error = failure { _ = try shape.format.tree(of: bytes) }
            #expect(error?.code == .invalidRequest)
            #expect(error?.message.contains("more than 512 levels of nesting") == true)
        }
    }

    @Test("lists of tables in each other, and headers, are read to the maximum depth on a small stack")
    func headers() async throws {
        let names = (1...511).map { Array(repeating: "a", count: $0).joined(separator: ".") }
        let tables = Array(names.map { "[[\($0)]]\n" }.joined().utf8)
        let header = Array("[\(names[509])]\nb = 1\n".utf8)
        try await SmallStack.run {
            for file in [tables, header] {
                let leaves = try Leaf.leaves(of: ConfigFormat.toml.tree(of: file), splitArrays: false)
                #expect(leaves.count == 1)
            }
            let error = failure { _ = try ConfigFormat.toml.tree(of: Array("[\(names[510]).a]".utf8)) }
            #expect(error?.message.contains("more than 512 levels of nesting") == true)
        }
    }

    @Test("a deep value at a deep key is exported on a small stack")
    func deepKey() async throws {
        let path = String(repeating: "/a", count: 511)
        let list = Value(Array((String(repeating: "[", count: 511) + String(repeating: "]", count: 511)).utf8))
        let object = Value(
            Array((String(repeating: #"{"b":"#, count: 511) + "1" + String(repeating: "}", count: 511)).utf8))
        let items = [try key(path): list, try key("/b"): object, try key("/c"): list]
        try await SmallStack.run {
            let tree = try ConfigTree(items, under: DirectoryPath("/"))
            let levels = { (bytes: [UInt8], byte: Unicode.Scalar) in bytes.count { $0 == UInt8(ascii: byte) } }
            #expect(levels(JSONFormat.bytes(of: tree), "[") == 1022)
            #expect(levels(YAMLWriter.bytes(of: tree), "-") == 1020)
            #expect(levels(try TOMLWriter.bytes(of: tree), "[") > 1022)
        }
    }
}

extension Value {
    fileprivate init(_ json: [UInt8]) { self.init(bytes: json, contentType: Value.json) }
}
