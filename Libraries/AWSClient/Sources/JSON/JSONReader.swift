/// Reads JSON into the attribute values of the same shape: an object becomes a map, an array a list, and so on.
///
/// FoundationEssentials' decoder takes a tenth of a second for a page of DynamoDB's; this reader takes a few
/// milliseconds. Nesting is bounded, because the text comes from the network, and the open objects and arrays are in an
/// array, so that the stack it needs does not depend on the text.
package struct JSONReader {
    /// What is wrong with a text, and at which byte; repeats nothing of it.
    package struct Failure: Error, CustomStringConvertible {
        let reason: String
        let offset: Int
        package var description: String { "\(reason) at byte \(offset)" }
    }

    /// DynamoDB nests attributes 32 deep, with two levels of JSON for each, below a few of the answer's own.
    static let maximumDepth = 128

    private let bytes: [UInt8]
    private var position = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The value that a text stands for.
    package static func value(of text: [UInt8]) throws(Failure) -> AttributeValue {
        var reader = JSONReader(text)
        let value = try reader.value()
        reader.skipSpace()
        guard reader.position == text.count else { throw reader.failure("unexpected text after the value") }
        return value
    }

    private func failure(_ reason: String) -> Failure { Failure(reason: reason, offset: position) }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = current, byte.isSpace { position += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        position += 1
        return true
    }

    private mutating func value() throws(Failure) -> AttributeValue {
        var open: [OpenContainer] = []
        while true {
            guard open.count < Self.maximumDepth else { throw failure("too many levels of nesting") }
            skipSpace()
            var value: AttributeValue?
            if take(UInt8(ascii: "{")) {
                open.append(OpenContainer(isObject: true))
            } else if take(UInt8(ascii: "[")) {
                open.append(OpenContainer(isObject: false))
            } else {
                value = try scalar()
            }
            // Closes what ends here, up to the object or array that has another value.
            while true {
                guard let last = open.indices.last else { return value ?? .null }
                if let value { open[last].add(value) }
                if try findNext(in: &open[last], isFirst: value == nil) { break }
                value = open.removeLast().value
            }
        }
    }

    private mutating func scalar() throws(Failure) -> AttributeValue {
        switch current {
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        default: return .number(try number())
        }
    }

    /// Goes to the next value in an object or array; returns `false` if it ends here.
    private mutating func findNext(in container: inout OpenContainer, isFirst: Bool) throws(Failure) -> Bool {
        let end = UInt8(ascii: container.isObject ? "}" : "]")
        skipSpace()
        if take(end) { return false }
        guard isFirst || take(UInt8(ascii: ",")) else {
            throw failure(container.isObject ? "expected ',' or '}'" : "expected ',' or ']'")
        }
        guard container.isObject else { return true }
        skipSpace()
        guard current == UInt8(ascii: "\"") else { throw failure("expected a member's name") }
        container.name = try string()
        skipSpace()
        guard take(UInt8(ascii: ":")) else { throw failure("expected ':'") }
        return true
    }

    private mutating func literal(_ text: StaticString, _ value: AttributeValue) throws(Failure) -> AttributeValue {
        for expected in "\(text)".utf8 {
            guard take(expected) else { throw failure("expected \(text)") }
        }
        return value
    }

    private mutating func number() throws(Failure) -> String {
        let start = position
        while let byte = current, UInt8(ascii: "+")...UInt8(ascii: "9") ~= byte || byte | 0x20 == UInt8(ascii: "e") {
            guard byte != UInt8(ascii: ","), byte != UInt8(ascii: "/") else { break }
            position += 1
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        guard DecimalText.isNumber(text) else { throw failure("expected a value") }
        return text
    }

    private mutating func string() throws(Failure) -> String {
        position += 1
        let start = position
        while let byte = current, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { position += 1 }
        if take(UInt8(ascii: "\"")) { return try text(bytes[start..<(position - 1)]) }
        var unescaped = Array(bytes[start..<position])
        while let byte = current, byte >= 0x20 {
            position += 1
            if byte == UInt8(ascii: "\"") { return try text(unescaped[...]) }
            if byte == UInt8(ascii: "\\") { try escape(into: &unescaped) } else { unescaped.append(byte) }
        }
        throw failure("expected the end of a string")
    }

    private func text(_ bytes: ArraySlice<UInt8>) throws(Failure) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw failure("a string that is not UTF-8") }
        return text
    }

    private mutating func escape(into text: inout [UInt8]) throws(Failure) {
        let byte = current
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte ?? 0)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text += Array(String(Character(try escapedScalar())).utf8)
        default: throw failure("an unknown escape")
        }
    }

    private mutating func escapedScalar() throws(Failure) -> Unicode.Scalar {
        var code = try hexadecimalUnit()
        if 0xD800..<0xDC00 ~= code {
            guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else { throw failure("half a character") }
            let low = try hexadecimalUnit()
            guard 0xDC00..<0xE000 ~= low else { throw failure("half a character") }
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else { throw failure("half a character") }
        return scalar
    }

    private mutating func hexadecimalUnit() throws(Failure) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = current?.hexadecimalValue else { throw failure("an unfinished escape") }
            unit = unit << 4 | UInt32(digit)
            position += 1
        }
        return unit
    }
}

/// An object or array whose end has not been read yet.
private struct OpenContainer {
    let isObject: Bool
    private var elements: [AttributeValue] = []
    private var members: [String: AttributeValue] = [:]
    /// The name of the member whose value comes next.
    var name = ""

    init(isObject: Bool) { self.isObject = isObject }

    mutating func add(_ value: AttributeValue) {
        if isObject { members[name] = value } else { elements.append(value) }
    }

    var value: AttributeValue { isObject ? .map(members) : .list(elements) }
}
