import DiscfgCore
import DiscfgTestSupport
import Testing

/// Values that are nested as deep as allowed need no deep stack, and deeper ones are refused.
@Suite struct NestingTests {
    /// A nested text around `null`.
    struct Shape: Sendable, CustomTestStringConvertible {
        let open: String
        let close: String

        var testDescription: String { open }

        func text(_ depth: Int, inner: String = "null") -> String {
            String(repeating: open, count: depth) + inner + String(repeating: close, count: depth)
        }
    }

    static let shapes = [
        Shape(open: "[", close: "]"), Shape(open: #"{"a":"#, close: "}"), Shape(open: "[0,[],", close: ",{}]"),
        Shape(open: #"{"b":1,"a":"#, close: #","c":"x"}"#),
    ]

    /// A thread that is much smaller than what recursion to this depth takes in a debug build.
    private static func onSmallStack<Result: Sendable>(
        _ work: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await SmallStack.run(bytes: 256 << 10, work)
    }

    @Test("JSON at the maximum depth is parsed, written, patched and checked on a small stack", arguments: shapes)
    func allowed(_ shape: Shape) async throws {
        let text = shape.text(511)
        try await Self.onSmallStack {
            let value = try JSONValue(parsing: text)
            #expect(value.text == text)
            #expect(try JSONValue(parsing: value.prettyText).text == text)
            // A patch that changes nothing, but for the nulls that it removes.
            #expect(JSONValue.null.merging(value).bytes.count <= text.utf8.count)
            #expect(value.merging(value).bytes.count <= text.utf8.count)
            try Value(bytes: Array(text.utf8), contentType: Value.json).validate()
        }
    }

    @Test("a transaction with a value at the maximum depth is parsed on a small stack", arguments: shapes)
    func transaction(_ shape: Shape) async throws {
        let text = shape.text(508)
        try await Self.onSmallStack {
            let body = #"{"then":[{"set":"/a","value":\#(text)},{"patch":"/b","value":\#(text)}]}"#
            let transaction = try Transaction(parsing: Array(body.utf8), author: "")
            try transaction.validate()
            #expect(transaction.success.count == 2)
        }
    }

    @Test("JSON beyond the maximum depth is refused with its place", arguments: shapes, [513, 100_000])
    func refused(_ shape: Shape, depth: Int) async throws {
        let text = shape.text(depth)
        try await Self.onSmallStack {
            let error = #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: text) }
            #expect(error?.reason == "more than 512 levels of nesting")
            #expect(error.map { $0.offset > 511 && $0.offset <= 513 * shape.open.utf8.count } == true)
            let body = #"{"then":[{"set":"/a","value":\#(text)}]}"#
            let refusal = #expect(throws: DiscfgError.self) {
                try Transaction(parsing: Array(body.utf8), author: "")
            }
            #expect(refusal?.code == .invalidRequest)
            #expect(refusal?.message.contains("more than 512 levels of nesting") == true)
        }
    }

    @Test("a merge patch at depth keeps what it does not name, and removes what it names null")
    func patch() throws {
        let document = try JSONValue(parsing: #"{"a":{"b":{"c":1,"d":2},"e":3},"f":[1]}"#)
        let patch = try JSONValue(parsing: #"{"a":{"b":{"c":null,"g":{"h":null,"i":4}}},"f":{"j":5}}"#)
        #expect(document.merging(patch).text == #"{"a":{"b":{"d":2,"g":{"i":4}},"e":3},"f":{"j":5}}"#)
    }
}
