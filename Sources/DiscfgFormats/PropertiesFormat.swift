import DiscfgCore

/// Java properties, as `java.util.Properties` reads them.
///
/// Every value is a string; `a.b.c` is one name, not a path.
/// A file is UTF-8, and ISO 8859-1 where it is not, as Java's resource bundles have it. What is written is ASCII, which
/// every reader takes alike. Of two lines with one name the later counts.
enum PropertiesFormat {
    static func tree(of bytes: [UInt8], _ meter: ReadingMeter = ReadingMeter()) throws(DiscfgError) -> ConfigTree {
        var meter = meter
        let content = SourceText.withoutMark(bytes)
        let text =
            String(validating: content, as: UTF8.self)
            ?? String(String.UnicodeScalarView(content.map { Unicode.Scalar($0) }))
        var object = NamedStrings()
        var parser = PropertiesParser(text)
        while let (name, value) = try parser.next() {
            try meter.value()
            object.set(name, value)
        }
        return object.tree
    }

    static func bytes(of items: [Key: Value], under root: DirectoryPath) throws(DiscfgError) -> [UInt8] {
        var text = ""
        for item in try FlatItem.items(items, under: root, name: { $0.joined(separator: ".") }) {
            text += "\(escape(item.name, isName: true))=\(escape(item.text, isName: false))\n"
        }
        return Array(text.utf8)
    }

    private static func escape(_ text: String, isName: Bool) -> String {
        var result = ""
        for (position, scalar) in text.unicodeScalars.enumerated() {
            switch scalar {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\u{0C}": result += "\\f"
            // A value may hold spaces and signs, but not begin with a space.
            case " " where isName || position == 0: result += "\\ "
            case "=", ":", "#", "!": result += (isName ? "\\" : "") + String(scalar)
            case _ where scalar.value >= 0x20 && scalar.value < 0x7F: result.unicodeScalars.append(scalar)
            default:
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
                }
            }
        }
        return result
    }
}

/// Reads one property after another.
struct PropertiesParser {
    private let scalars: [Unicode.Scalar]
    private var position = 0

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    /// The next property, or `nil` at the end.
    mutating func next() throws(DiscfgError) -> (name: String, value: String)? {
        skipBlankLines()
        guard position < scalars.count else { return nil }
        let name = try text { $0 == "=" || $0 == ":" || Self.isSpace($0) }
        try skipSpaces()
        if current == "=" || current == ":" {
            position += 1
            try skipSpaces()
        }
        return (name, try text { _ in false })
    }

    private var current: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }
    private var isAtLineEnd: Bool { current == nil || current == "\n" || current == "\r" }
    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar == " " || scalar == "\t" || scalar == "\u{0C}"
    }

    private mutating func skipBlankLines() {
        while let scalar = current {
            if scalar == "#" || scalar == "!" {
                // A comment goes to the end of its line, also behind a backslash.
                while !isAtLineEnd { position += 1 }
            } else if Self.isSpace(scalar) || scalar == "\n" || scalar == "\r" {
                position += 1
            } else if !skipContinuation() {
                return
            }
        }
    }

    private mutating func skipSpaces() throws(DiscfgError) {
        while let scalar = current, Self.isSpace(scalar) || skipContinuation() {
            if Self.isSpace(scalar) { position += 1 }
        }
    }

    /// Skips a backslash at the end of a line, and the spaces that begin the next.
    private mutating func skipContinuation() -> Bool {
        guard current == "\\" else { return false }
        var next = position + 1
        guard next < scalars.count else {
            position = next
            return true
        }
        guard scalars[next] == "\n" || scalars[next] == "\r" else { return false }
        next += scalars[next] == "\r" && next + 1 < scalars.count && scalars[next + 1] == "\n" ? 2 : 1
        while next < scalars.count, Self.isSpace(scalars[next]) { next += 1 }
        position = next
        return true
    }

    private mutating func text(until isEnd: (Unicode.Scalar) -> Bool) throws(DiscfgError) -> String {
        var units: [UInt16] = []
        while let scalar = current, !isAtLineEnd, !isEnd(scalar) {
            if skipContinuation() { continue }
            position += 1
            if scalar == "\\" {
                units.append(contentsOf: try escape())
            } else {
                units.append(contentsOf: UTF16.encode(scalar) ?? .init())
            }
        }
        guard let text = String(validating: units, as: UTF16.self) else {
            throw error("half a surrogate pair", hint: "Write both halves, as in \\uD83D\\uDE00.")
        }
        return text
    }

    private mutating func escape() throws(DiscfgError) -> [UInt16] {
        guard let scalar = current else { return [] }
        position += 1
        switch scalar {
        case "n": return [0x0A]
        case "r": return [0x0D]
        case "t": return [0x09]
        case "f": return [0x0C]
        case "u":
            let digits = scalars[position...].prefix(4)
            guard digits.count == 4, digits.allSatisfy({ $0.isASCII && $0.properties.isASCIIHexDigit }),
                let unit = UInt16(String(String.UnicodeScalarView(digits)), radix: 16)
            else {
                throw error("“\\u” without four hexadecimal digits", hint: "Write “\\\\u” for a backslash and a u.")
            }
            position += 4
            return [unit]
        default: return Array(String(scalar).utf16)
        }
    }

    private func error(_ reason: String, hint: String) -> DiscfgError {
        let line = 1 + scalars.prefix(position).count { $0 == "\n" }
        return .invalid("Line \(line) of the file has \(reason).", hint: hint)
    }
}
