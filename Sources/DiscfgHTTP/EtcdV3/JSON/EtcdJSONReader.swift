import DiscfgCore
import DiscfgEtcd

/// Reads etcd's requests out of JSON, straight into their fields.
///
/// It takes what etcd's gateways take: names in both spellings, numbers as numbers or strings, enumerations by name or number,
/// base64 in every alphabet, `null` as nothing. Unknown fields are skipped. Nothing is built in between: a value may
/// have megabytes. Source: <https://protobuf.dev/programming-guides/json/>.
struct EtcdJSONReader {
    /// Maximum nesting depth of unknown fields.
    private static let maximumDepth = 64

    /// Maximum nesting depth of transactions that are read; the service accepts less.
    ///
    /// This is the only thing for which the reader recurses.
    private static let maximumTransactionDepth = 32

    /// Maximum number of elements of all arrays: more than the operations of any transaction that is taken.
    private static let maximumElements = 16_384

    private let bytes: [UInt8]
    private var position = 0
    private var elements = 0
    private var transactionDepth = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Reads an object; `member` reads the value of each name that it knows, and skips the others.
    mutating func object(_ member: (inout EtcdJSONReader, String) throws(EtcdError) -> Void) throws(EtcdError) {
        if try takeNull() { return }
        try expect(UInt8(ascii: "{"), "an object")
        if take(UInt8(ascii: "}")) { return }
        while true {
            let name = try text()
            try expect(UInt8(ascii: ":"), "':' after a name")
            try member(&self, name)
            if take(UInt8(ascii: "}")) { return }
            try expect(UInt8(ascii: ","), "',' or '}'")
        }
    }

    /// Reads an array; `element` reads each value.
    mutating func array(_ element: (inout EtcdJSONReader) throws(EtcdError) -> Void) throws(EtcdError) {
        if try takeNull() { return }
        try expect(UInt8(ascii: "["), "an array")
        if take(UInt8(ascii: "]")) { return }
        while true {
            try countElement()
            try element(&self)
            if take(UInt8(ascii: "]")) { return }
            try expect(UInt8(ascii: ","), "',' or ']'")
        }
    }

    /// Reads bytes: base64 in a string.
    mutating func data() throws(EtcdError) -> [UInt8] {
        if try takeNull() { return [] }
        let raw = try rawString()
        // Base64 has no character that would have to be escaped but the slash, which some escape.
        let text = bytes[raw].contains(UInt8(ascii: "\\")) ? Array(try unescaped(raw).utf8)[...] : bytes[raw]
        return try EtcdBase64.decode(text)
    }

    /// Reads a signed integer of 64 bits, as a number or in a string.
    mutating func integer() throws(EtcdError) -> Int64 {
        guard let digits = try number() else { return 0 }
        guard let number = Int64(digits) else { throw Self.noInteger(digits) }
        return number
    }

    /// Reads an unsigned integer of 64 bits, as a number or in a string.
    mutating func unsigned() throws(EtcdError) -> UInt64 {
        guard let digits = try number() else { return 0 }
        guard let number = UInt64(digits) else { throw Self.noInteger(digits) }
        return number
    }

    /// Reads a truth value.
    mutating func flag() throws(EtcdError) -> Bool {
        if try takeNull() { return false }
        if takeWord("true") { return true }
        if takeWord("false") { return false }
        throw unexpected("true or false")
    }

    /// Reads an enumeration, by name or by number.
    mutating func choice<Choice: EtcdChoice>(_: Choice.Type = Choice.self) throws(EtcdError) -> Choice {
        guard current == UInt8(ascii: "\"") else {
            // `null` is the first.
            let number = try number() ?? "0"
            guard let choice = Int(number).flatMap({ Choice(rawValue: $0) }) else {
                throw EtcdError(.invalidArgument, "unknown value for enum \(Choice.etcdName)")
            }
            return choice
        }
        let text = try text()
        guard let choice = Choice.allCases.first(where: { $0.etcdLabel == text }) else {
            throw EtcdError(.invalidArgument, "unknown value \"\(text)\" for enum \(Choice.etcdName)")
        }
        return choice
    }

    /// Reads a string.
    mutating func text() throws(EtcdError) -> String {
        if try takeNull() { return "" }
        let raw = try rawString()
        if bytes[raw].contains(UInt8(ascii: "\\")) { return try unescaped(raw) }
        return String(decoding: bytes[raw], as: UTF8.self)
    }

    /// Reads what may have more of its kind inside.
    mutating func nested<Message>(
        _ body: (inout EtcdJSONReader) throws(EtcdError) -> Message
    ) throws(EtcdError) -> Message {
        transactionDepth += 1
        defer { transactionDepth -= 1 }
        guard transactionDepth <= Self.maximumTransactionDepth else {
            throw EtcdError(.invalidArgument, "discfg: more than \(Self.maximumTransactionDepth) levels of nesting")
        }
        return try body(&self)
    }

    /// Passes over any value, without recursion.
    mutating func skip() throws(EtcdError) {
        /// The brackets that close the open objects and arrays.
        var open: [UInt8] = []
        repeat {
            guard open.count < Self.maximumDepth else {
                throw EtcdError(.invalidArgument, "discfg: more than \(Self.maximumDepth) levels of nesting")
            }
            var isFirst = false
            switch current {
            case UInt8(ascii: "{"):
                isFirst = take(UInt8(ascii: "{"))
                open.append(UInt8(ascii: "}"))
            case UInt8(ascii: "["):
                isFirst = take(UInt8(ascii: "["))
                open.append(UInt8(ascii: "]"))
            case UInt8(ascii: "\""): _ = try rawString()
            case UInt8(ascii: "t"), UInt8(ascii: "f"): _ = try flag()
            default: _ = try number()
            }
            while let end = open.last, try !findNext(before: end, &isFirst) { open.removeLast() }
        } while !open.isEmpty
    }

    /// Goes to the next value in an object or array that is skipped; returns `false` if it ends here.
    private mutating func findNext(before end: UInt8, _ isFirst: inout Bool) throws(EtcdError) -> Bool {
        defer { isFirst = false }
        if take(end) { return false }
        let isObject = end == UInt8(ascii: "}")
        if !isFirst { try expect(UInt8(ascii: ","), isObject ? "',' or '}'" : "',' or ']'") }
        guard isObject else {
            try countElement()
            return true
        }
        _ = try text()
        try expect(UInt8(ascii: ":"), "':' after a name")
        return true
    }

    private mutating func countElement() throws(EtcdError) {
        elements += 1
        guard elements <= Self.maximumElements else {
            throw EtcdError(.invalidArgument, "discfg: more than \(Self.maximumElements) elements in a request")
        }
    }
}

extension EtcdJSONReader {
    private static func noInteger(_ digits: String) -> EtcdError {
        EtcdError(.invalidArgument, "json: cannot unmarshal number \(digits) into Go value of type int64")
    }

    /// The next byte that is not space; `nil` at the end.
    private var current: UInt8? {
        mutating get {
            while position < bytes.count {
                switch bytes[position] {
                case 0x20, 0x0A, 0x0D, 0x09: position += 1
                case let byte: return byte
                }
            }
            return nil
        }
    }

    private mutating func unexpected(_ wanted: String) -> EtcdError {
        guard let byte = current else { return EtcdError(.invalidArgument, "unexpected EOF") }
        let shown = byte < 0x80 ? String(Unicode.Scalar(byte)) : "\\x" + String(byte, radix: 16)
        return EtcdError(.invalidArgument, "invalid character '\(shown)' at byte \(position), expected \(wanted)")
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        position += 1
        return true
    }

    private mutating func expect(_ byte: UInt8, _ wanted: String) throws(EtcdError) {
        if !take(byte) { throw unexpected(wanted) }
    }

    private mutating func takeWord(_ word: StaticString) -> Bool {
        guard current != nil, bytes.count - position >= word.utf8CodeUnitCount else { return false }
        let end = position + word.utf8CodeUnitCount
        guard word.withUTF8Buffer({ $0.elementsEqual(bytes[position..<end]) }) else { return false }
        position = end
        return true
    }

    /// Passes over a `null`, if it is next.
    mutating func takeNull() throws(EtcdError) -> Bool {
        guard current == UInt8(ascii: "n") else { return false }
        guard takeWord("null") else { throw unexpected("a value") }
        return true
    }

    /// The text of a number, which may be in a string; `nil` for nothing.
    private mutating func number() throws(EtcdError) -> String? {
        if try takeNull() { return nil }
        if current == UInt8(ascii: "\"") { return String(decoding: bytes[try rawString()], as: UTF8.self) }
        let start = position
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
                UInt8(ascii: "e"), UInt8(ascii: "E"):
                position += 1
            default:
                if position == start { throw unexpected("a value") }
                return String(decoding: bytes[start..<position], as: UTF8.self)
            }
        }
        if position == start { throw unexpected("a value") }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// Where the characters of a string are, without its quotes.
    private mutating func rawString() throws(EtcdError) -> Range<Int> {
        guard take(UInt8(ascii: "\"")) else { throw unexpected("a string") }
        let start = position
        let end = bytes.withUnsafeBufferPointer { bytes -> Int? in
            var index = start
            while index < bytes.count {
                switch bytes[index] {
                case UInt8(ascii: "\""): return index
                case UInt8(ascii: "\\"): index += 2
                default: index += 1
                }
            }
            return nil
        }
        guard let end else { throw EtcdError(.invalidArgument, "unexpected EOF") }
        position = end + 1
        return start..<end
    }

    /// A string with escapes; rare, and so left to the parser of all JSON.
    private func unescaped(_ raw: Range<Int>) throws(EtcdError) -> String {
        let quoted = bytes[raw.lowerBound - 1...raw.upperBound]
        guard let text = try? JSONValue(parsing: quoted).string else {
            throw EtcdError(.invalidArgument, "invalid escape in string literal")
        }
        return text
    }
}
