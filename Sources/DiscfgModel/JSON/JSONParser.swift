/// What is wrong with a JSON text, and where.
public struct JSONSyntaxError: Error, Hashable, CustomStringConvertible {
    /// What was wrong, as a phrase.
    public let reason: String
    /// The offset of the byte at which it was seen; the first byte is 0.
    public let offset: Int
    /// Whether the text itself is wrong, or there is too much of it.
    package var kind = Kind.syntax

    package enum Kind: Sendable, Hashable {
        case syntax
        /// There are more values than `JSONLimits` allows.
        case tooManyValues
        /// `JSONLimits.takes` refused.
        case noMemory
    }

    /// What is wrong with the text, and at which byte, counted from 0.
    public var description: String { "\(reason) at byte \(offset)" }
}

extension JSONValue {
    /// Parses a JSON text.
    ///
    /// - Throws: `JSONSyntaxError` for anything outside RFC 8259, for invalid UTF-8, and for nesting deeper than 512.
    public init(parsing bytes: some Collection<UInt8>) throws(JSONSyntaxError) {
        try self.init(parsing: bytes, limits: JSONLimits())
    }

    /// Parses a JSON text, as long as it stays within limits.
    package init(parsing bytes: some Collection<UInt8>, limits: JSONLimits) throws(JSONSyntaxError) {
        var parser = JSONParser(Array(bytes), limits)
        self = try parser.document()
    }

    /// Parses a JSON text.
    public init(parsing text: String) throws(JSONSyntaxError) {
        try self.init(parsing: text.utf8)
    }
}

/// How much a JSON text may turn into: a few bytes of text can become a value that takes hundreds.
package struct JSONLimits: Sendable {
    /// About the bytes that one value takes in memory, an object of one member included.
    static let bytesPerValue = 160
    /// After how many values `takes` is called.
    private static let step = 1024

    /// Maximum number of values, each element and each member counted.
    package var maximumValues = Int.max
    /// Takes bytes from what the process may hold; returns whether there were as many.
    package var takes: @Sendable (Int) -> Bool = { _ in true }

    /// No limits.
    package init() {}

    package init(maximumValues: Int, takes: @escaping @Sendable (Int) -> Bool = { _ in true }) {
        self.maximumValues = maximumValues
        self.takes = takes
    }

    /// What is wrong when there are so many values.
    fileprivate func refusal(of values: Int) -> JSONSyntaxError.Kind? {
        if values > maximumValues { return .tooManyValues }
        return values % Self.step == 0 && !takes(Self.step * Self.bytesPerValue) ? .noMemory : nil
    }
}

/// A parser over bytes that keeps the open arrays and objects in an array of its own, so that the stack it needs does not
/// depend on the input.
struct JSONParser {
    /// Maximum nesting depth of a value.
    ///
    /// The destruction of a value recurses that deep: it takes about 80 KiB of stack, and 120 KiB in a debug build.
    static let maximumDepth = 512
    let bytes: [UInt8]
    var position = 0
    let limits: JSONLimits
    private var values = 0

    init(_ bytes: [UInt8], _ limits: JSONLimits) {
        self.bytes = bytes
        self.limits = limits
    }

    mutating func document() throws(JSONSyntaxError) -> JSONValue {
        let value = try value(depth: 0)
        try end()
        return value
    }

    /// Makes sure that nothing follows.
    mutating func end() throws(JSONSyntaxError) {
        skipSpace()
        guard position == bytes.count else { throw error("unexpected text after the value") }
    }

    func error(_ reason: String) -> JSONSyntaxError {
        position >= bytes.count
            ? JSONSyntaxError(reason: "the text ends too early", offset: bytes.count)
            : JSONSyntaxError(reason: reason, offset: position)
    }

    var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    mutating func take(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        position += 1
        return true
    }

    /// Reads the next value, whose depth in the text is `depth`.
    mutating func value(depth: Int) throws(JSONSyntaxError) -> JSONValue {
        var open: [OpenContainer] = []
        while true {
            try countValue(depth: depth + open.count)
            skipSpace()
            var isFirst = current == UInt8(ascii: "{") || current == UInt8(ascii: "[")
            if isFirst {
                open.append(OpenContainer(isObject: current == UInt8(ascii: "{")))
            } else {
                let value = try scalar()
                guard !open.isEmpty else { return value }
                open[open.count - 1].add(value)
            }
            while try !findNext(in: &open[open.count - 1], &isFirst) {
                let value = open.removeLast().value
                guard !open.isEmpty else { return value }
                open[open.count - 1].add(value)
                isFirst = false
            }
        }
    }

    private mutating func countValue(depth: Int) throws(JSONSyntaxError) {
        guard depth < Self.maximumDepth else { throw error("more than \(Self.maximumDepth) levels of nesting") }
        values += 1
        if let kind = limits.refusal(of: values) {
            throw JSONSyntaxError(reason: "more than \(values - 1) values", offset: position, kind: kind)
        }
    }

    private mutating func scalar() throws(JSONSyntaxError) -> JSONValue {
        switch current {
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        default: return .number(try number())
        }
    }

    /// Goes to the next value in an array or object; returns `false` if it ends here.
    private mutating func findNext(
        in container: inout OpenContainer, _ isFirst: inout Bool
    ) throws(JSONSyntaxError) -> Bool {
        guard container.isObject else { return try hasNextElement(&isFirst) }
        guard let name = try nextName(&isFirst) else { return false }
        container.name = name
        return true
    }

    mutating func literal(_ text: StaticString, _ value: JSONValue) throws(JSONSyntaxError) -> JSONValue {
        for expected in "\(text)".utf8 {
            guard take(expected) else { throw error("expected \(text)") }
        }
        return value
    }

    /// Goes to the value of an object's next member, from the brace or from the end of the value before; `nil` at the end.
    mutating func nextName(_ isFirst: inout Bool) throws(JSONSyntaxError) -> String? {
        if isFirst { position += 1 }
        skipSpace()
        if take(UInt8(ascii: "}")) { return nil }
        guard isFirst || take(UInt8(ascii: ",")) else { throw error("expected ',' or '}'") }
        isFirst = false
        skipSpace()
        guard current == UInt8(ascii: "\"") else { throw error("expected a member name in double quotes") }
        let name = try string()
        skipSpace()
        guard take(UInt8(ascii: ":")) else { throw error("expected ':' after a member name") }
        return name
    }

    /// Goes to an array's next element, from the bracket or from the end of the element before.
    mutating func hasNextElement(_ isFirst: inout Bool) throws(JSONSyntaxError) -> Bool {
        if isFirst { position += 1 }
        skipSpace()
        if take(UInt8(ascii: "]")) { return false }
        guard isFirst || take(UInt8(ascii: ",")) else { throw error("expected ',' or ']'") }
        isFirst = false
        return true
    }

    mutating func number() throws(JSONSyntaxError) -> String {
        let start = position
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) {
            guard digits() else { throw error("expected a value") }
        }
        if take(UInt8(ascii: ".")), !digits() { throw error("expected a digit after the point") }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            guard digits() else { throw error("expected a digit in the exponent") }
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    mutating func digits() -> Bool {
        let start = position
        while let byte = current, byte >= 0x30, byte <= 0x39 { position += 1 }
        return position > start
    }

    mutating func string() throws(JSONSyntaxError) -> String {
        position += 1
        let start = position
        while let byte = current, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { position += 1 }
        if take(UInt8(ascii: "\"")) { return try utf8(bytes[start..<(position - 1)]) }
        var text = Array(bytes[start..<position])
        while let byte = current {
            if byte == UInt8(ascii: "\"") {
                position += 1
                return try utf8(text[...])
            }
            guard byte >= 0x20 else { throw error("a control character in a string; write it as an escape") }
            position += 1
            if byte == UInt8(ascii: "\\") { try escape(into: &text) } else { text.append(byte) }
        }
        throw error("a string without its closing quote")
    }

    func utf8(_ slice: ArraySlice<UInt8>) throws(JSONSyntaxError) -> String {
        guard let text = String(validating: slice, as: UTF8.self) else { throw error("a string that is not UTF-8") }
        return text
    }

    mutating func escape(into text: inout [UInt8]) throws(JSONSyntaxError) {
        guard let byte = current else { throw error("an unfinished escape") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text.append(contentsOf: Array(String(try escapedCharacter()).utf8))
        default:
            position -= 1
            throw error("an unknown escape")
        }
    }

    mutating func escapedCharacter() throws(JSONSyntaxError) -> Character {
        var code = UInt32(try hexUnit())
        if code >= 0xD800, code < 0xDC00 {
            guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else { throw error("half a surrogate pair") }
            let low = UInt32(try hexUnit())
            guard low >= 0xDC00, low < 0xE000 else { throw error("half a surrogate pair") }
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else { throw error("half a surrogate pair") }
        return Character(scalar)
    }

    mutating func hexUnit() throws(JSONSyntaxError) -> UInt16 {
        guard position + 4 <= bytes.count else {
            position = bytes.count
            throw error("an unfinished escape")
        }
        let digits = String(decoding: bytes[position..<(position + 4)], as: UTF8.self)
        guard digits.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }), let unit = UInt16(digits, radix: 16)
        else { throw error("expected four hexadecimal digits") }
        position += 4
        return unit
    }
}

/// An array or object whose end has not been read yet.
private struct OpenContainer {
    let isObject: Bool
    private var elements: [JSONValue] = []
    private var members = JSONObject()
    /// The name of the member whose value comes next.
    var name = ""

    init(isObject: Bool) { self.isObject = isObject }

    mutating func add(_ value: JSONValue) {
        if isObject { members[name] = value } else { elements.append(value) }
    }

    var value: JSONValue { isObject ? .object(members) : .array(elements) }
}
