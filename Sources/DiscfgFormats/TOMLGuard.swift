import DiscfgCore

/// Refuses what TOMLKit cannot be trusted with: nesting without bound, and the character U+0000.
///
/// Dotted names make nested tables, whose depth the parser underneath does not limit, and it hands texts on as C strings,
/// which end at the first U+0000. The scan knows comments and the four kinds of strings, and nothing else.
struct TOMLGuard {
    private static let maximumNameParts = 128
    private static let maximumBrackets = 200

    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var parts = 0
    private var brackets = 0

    static func check(_ text: String) throws(DiscfgError) {
        var scan = TOMLGuard(bytes: Array(text.utf8))
        while scan.position < scan.bytes.count { try scan.step() }
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func step() throws(DiscfgError) {
        switch bytes[position] {
        case UInt8(ascii: "#"):
            while position < bytes.count, bytes[position] != 0x0A { try advance() }
            return
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            try string(quote: bytes[position])
            return
        case UInt8(ascii: "."): parts += 1
        case UInt8(ascii: "["), UInt8(ascii: "{"): brackets += 1
        case UInt8(ascii: "]"), UInt8(ascii: "}"): brackets = max(0, brackets - 1)
        case UInt8(ascii: "="), UInt8(ascii: ","): parts = 0
        case 0x0A:
            parts = 0
        default: break
        }
        guard parts < Self.maximumNameParts, brackets < Self.maximumBrackets else {
            throw .invalid("Line \(line) of the file has too many levels of nesting.", hint: "Nest less.")
        }
        try advance()
    }

    private mutating func advance() throws(DiscfgError) {
        if bytes[position] == 0 { throw nul() }
        if bytes[position] == 0x0A { line += 1 }
        position += 1
    }

    private mutating func string(quote: UInt8) throws(DiscfgError) {
        let isLong = bytes[position...].starts(with: [quote, quote, quote])
        for _ in 0..<(isLong ? 3 : 1) { try advance() }
        while position < bytes.count {
            let byte = bytes[position]
            if byte == quote, !isLong || bytes[position...].starts(with: [quote, quote, quote]) {
                for _ in 0..<(isLong ? 3 : 1) { try advance() }
                // Up to two more quotes may stand in front of the closing three.
                while isLong, position < bytes.count, bytes[position] == quote { try advance() }
                return
            }
            if byte == 0x0A, !isLong { return }
            if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
                try advance()
                let escape = bytes[position...].prefix(9)
                if escape.starts(with: Array("u0000".utf8)) || escape.elementsEqual(Array("U00000000".utf8)) { throw nul() }
                guard position < bytes.count else { return }
            }
            try advance()
        }
    }

    private func nul() -> DiscfgError {
        .invalid(
            "Line \(line) of the file has the character U+0000, which is not supported in TOML.", hint: "Remove the character.")
    }
}
