/// Reads JSON into the attribute values of the same shape: an object becomes a map, an array a list, and so on.
///
/// FoundationEssentials' decoder takes a tenth of a second for a page of DynamoDB's; this reader takes a few
/// milliseconds. Nesting is bounded, because the text comes from the network.
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
        let value = try reader.value(depth: 0)
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

    private mutating func value(depth: Int) throws(Failure) -> AttributeValue {
        guard depth < Self.maximumDepth else { throw failure("too many levels of nesting") }
        skipSpace()
        switch current {
        case UInt8(ascii: "{"): return .map(try object(depth: depth))
        case UInt8(ascii: "["): return .list(try array(depth: depth))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        default: return .number(try number())
        }
    }

    private mutating func literal(_ text: StaticString, _ value: AttributeValue) throws(Failure) -> AttributeValue {
        for expected in "\(text)".utf8 {
            guard take(expected) else { throw failure("expected \(text)") }
        }
        return value
    }

    private mutating func object(depth: Int) throws(Failure) -> [String: AttributeValue] {
        position += 1
        var members: [String: AttributeValue] = [:]
        skipSpace()
        if take(UInt8(ascii: "}")) { return members }
        while true {
            skipSpace()
            guard current == UInt8(ascii: "\"") else { throw failure("expected a member's name") }
            let name = try string()
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw failure("expected ':'") }
            members[name] = try value(depth: depth + 1)
            skipSpace()
            if take(UInt8(ascii: "}")) { return members }
            guard take(UInt8(ascii: ",")) else { throw failure("expected ',' or '}'") }
        }
    }

    private mutating func array(depth: Int) throws(Failure) -> [AttributeValue] {
        position += 1
        var elements: [AttributeValue] = []
        skipSpace()
        if take(UInt8(ascii: "]")) { return elements }
        while true {
            elements.append(try value(depth: depth + 1))
            skipSpace()
            if take(UInt8(ascii: "]")) { return elements }
            guard take(UInt8(ascii: ",")) else { throw failure("expected ',' or ']'") }
        }
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
        case UInt8(ascii: "u"): text += Array(String(Character(try scalar())).utf8)
        default: throw failure("an unknown escape")
        }
    }

    private mutating func scalar() throws(Failure) -> Unicode.Scalar {
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
