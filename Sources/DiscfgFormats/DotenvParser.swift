import DiscfgCore

/// Reads one variable after another.
struct DotenvParser {
    private let bytes: [UInt8]
    private var position = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    /// The next variable, or `nil` at the end.
    mutating func next() throws(DiscfgError) -> (name: String, value: String)? {
        skipBlankLines()
        guard position < bytes.count else { return nil }
        let name = try name()
        skipSpaces()
        guard take("=") else {
            // The name is not shown: it may be a line of a value that lacks its quotes.
            throw error(
                "it has no “=”", hint: "Write “NAME=” for an empty value, and values of several lines in quotes.")
        }
        let spaces = skipSpaces()
        let value =
            switch current {
            case UInt8(ascii: "'"): try quoted(by: "'", escapes: Self.singleEscapes)
            case UInt8(ascii: "\""): try quoted(by: "\"", escapes: Self.doubleEscapes)
            default: unquoted(afterSpaces: spaces > 0)
            }
        return (name, value)
    }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }
    private var isAtLineEnd: Bool { current == nil || current == 0x0A || current == 0x0D }
    private var isAtSpace: Bool { current == 0x20 || current == 0x09 }

    private func error(_ reason: String, hint: String) -> DiscfgError {
        .invalid("Line \(SourceText.line(of: position, in: bytes)) of the file: \(reason).", hint: hint)
    }

    @discardableResult
    private mutating func skipSpaces() -> Int {
        let start = position
        while isAtSpace { position += 1 }
        return position - start
    }

    private mutating func skipBlankLines() {
        while let byte = current {
            switch byte {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            case UInt8(ascii: "#"): skipLine()
            default: return
            }
        }
    }

    private mutating func skipLine() { while !isAtLineEnd { position += 1 } }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard current == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func word() -> String {
        let start = position
        while !isAtLineEnd, !isAtSpace, current != UInt8(ascii: "=") { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func name() throws(DiscfgError) -> String {
        var name = word()
        if name == "export", isAtSpace {
            skipSpaces()
            if current != UInt8(ascii: "=") { name = word() }
        }
        guard DotenvFormat.isName(name) else {
            throw error(
                "it does not begin with the name of a variable",
                hint: "Use letters, digits and “_”, as in “NAME=value”.")
        }
        return name
    }

    private mutating func unquoted(afterSpaces: Bool) -> String {
        let start = position
        var end = position
        var isAfterSpace = afterSpaces
        while !isAtLineEnd {
            if isAfterSpace, current == UInt8(ascii: "#") {
                skipLine()
                break
            }
            isAfterSpace = isAtSpace
            position += 1
            if !isAfterSpace { end = position }
        }
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }

    private static let singleEscapes: [UInt8: UInt8] = [
        UInt8(ascii: "\\"): UInt8(ascii: "\\"), UInt8(ascii: "'"): UInt8(ascii: "'"),
    ]
    private static let doubleEscapes: [UInt8: UInt8] = singleEscapes.merging(
        [
            UInt8(ascii: "\""): UInt8(ascii: "\""), UInt8(ascii: "a"): 0x07, UInt8(ascii: "b"): 0x08,
            UInt8(ascii: "f"): 0x0C,
            UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09, UInt8(ascii: "v"): 0x0B,
        ], uniquingKeysWith: { $1 })

    private mutating func quoted(by quote: Unicode.Scalar, escapes: [UInt8: UInt8]) throws(DiscfgError) -> String {
        let start = position
        position += 1
        var value: [UInt8] = []
        while !take(quote) {
            guard let byte = current else {
                position = start
                throw error("a quote opens and does not close", hint: "Write “\(quote)” at the end of the value.")
            }
            position += 1
            if byte == UInt8(ascii: "\\"), let escaped = current.flatMap({ escapes[$0] }) {
                value.append(escaped)
                position += 1
            } else {
                value.append(byte)
            }
        }
        skipSpaces()
        if current == UInt8(ascii: "#") { skipLine() }
        guard isAtLineEnd else {
            throw error("something follows the closing quote", hint: "Put the whole value in quotes.")
        }
        return String(decoding: value, as: UTF8.self)
    }
}
