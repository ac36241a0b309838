import DiscfgCore

extension TOMLParser {
    /// Reads a string of any of the four kinds; those of several lines only where they are allowed.
    mutating func string(allowsLines: Bool) throws(DiscfgError) -> String {
        let quote = bytes[position]
        let isLiteral = quote == UInt8(ascii: "'")
        let isLong = allowsLines && bytes[position...].starts(with: [quote, quote, quote])
        position += isLong ? 3 : 1
        // A newline right after the opening quotes is not part of the text.
        if isLong { _ = takeNewline() }
        var text: [UInt8] = []
        while let byte = current {
            if byte == quote {
                if try isClosed(by: quote, isLong: isLong, &text) { return String(decoding: text, as: UTF8.self) }
            } else if byte == UInt8(ascii: "\\"), !isLiteral {
                try escape(into: &text, isLong: isLong)
            } else if isLong, takeNewline() {
                text.append(0x0A)
            } else {
                guard byte != 0x0A, byte != 0x0D else { break }
                guard byte == 0x09 || (byte >= 0x20 && byte != 0x7F) else {
                    throw error("a control character in a string")
                }
                text.append(byte)
                position += 1
            }
        }
        throw error("a string without its closing quote")
    }

    /// Takes a quote: as the end of the string, or, in a long one, as part of the text.
    private mutating func isClosed(by quote: UInt8, isLong: Bool, _ text: inout [UInt8]) throws(DiscfgError) -> Bool {
        guard isLong else {
            position += 1
            return true
        }
        var count = 0
        while current == quote, count < 5 {
            position += 1
            count += 1
        }
        // Up to two quotes may stand in front of the closing three.
        text.append(contentsOf: repeatElement(quote, count: count < 3 ? count : count - 3))
        return count >= 3
    }

    private mutating func escape(into text: inout [UInt8], isLong: Bool) throws(DiscfgError) {
        position += 1
        if isLong, skipLineEnd() { return }
        guard let byte = current else { throw error("an unfinished escape") }
        position += 1
        switch byte {
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): text.append(byte)
        case UInt8(ascii: "u"): text.append(contentsOf: try scalar(digits: 4))
        case UInt8(ascii: "U"): text.append(contentsOf: try scalar(digits: 8))
        default:
            position -= 1
            throw error("an unknown escape in a string; write “\\\\” for a backslash")
        }
    }

    /// Skips the rest of a line after a backslash, and all blanks and newlines up to the next text.
    private mutating func skipLineEnd() -> Bool {
        let start = position
        skipSpaces()
        guard takeNewline() else {
            position = start
            return false
        }
        repeat { skipSpaces() } while takeNewline()
        return true
    }

    private mutating func scalar(digits count: Int) throws(DiscfgError) -> [UInt8] {
        let digits = bytes[position...].prefix(count)
        let text = String(decoding: digits, as: UTF8.self)
        guard digits.count == count, text.utf8.allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit }),
            let code = UInt32(text, radix: 16), let scalar = Unicode.Scalar(code)
        else { throw error("an escape that names no character") }
        position += count
        return Array(String(scalar).utf8)
    }
}
