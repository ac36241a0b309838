import DiscfgCore

/// A recursive-descent parser over bytes; recursion is bounded because the input may come from anyone.
struct TOMLParser {
    let bytes: [UInt8]
    var position = 0
    /// Counts headers and inline tables: a dotted name may only go on in the section that began it.
    private var section = 0

    private var meter: ReadingMeter

    init(_ text: String, _ meter: ReadingMeter) {
        bytes = Array(text.utf8)
        self.meter = meter
    }

    mutating func document() throws(DiscfgError) -> ConfigTree {
        let root = TOMLTable(.header)
        var (table, depth) = (root, 0)
        while true {
            try skipBlankLines()
            guard let byte = current else { return root.tree }
            if byte == UInt8(ascii: "[") {
                (table, depth) = try header(in: root)
            } else {
                try member(of: table, section: section, depth: depth)
            }
            skipSpaces()
            try skipComment()
            guard current == nil || takeNewline() else { throw error("something follows on the line") }
        }
    }

    private mutating func header(in root: TOMLTable) throws(DiscfgError) -> (TOMLTable, depth: Int) {
        position += 1
        let isArray = take("[")
        let names = try names()
        guard take("]"), !isArray || take("]") else { throw error("the header does not end in “]”") }
        guard names.count < ConfigTree.maximumDepth else { throw tooDeep() }
        section += 1
        try meter.add(names.count)
        var table = root
        for name in names.dropLast() {
            guard let next = table.through(name) else { throw taken(name) }
            table = next
        }
        let name = names[names.count - 1]
        guard let opened = isArray ? table.append(name) : table.open(name) else { throw taken(name) }
        return (opened, names.count)
    }

    /// Reads `name = value`.
    private mutating func member(of table: TOMLTable, section: Int, depth: Int) throws(DiscfgError) {
        let names = try names()
        try meter.add(names.count)
        guard take("=") else { throw error("a name without “=”") }
        skipSpaces()
        let value = try value(depth: depth + names.count)
        var table = table
        for name in names.dropLast() {
            guard let next = table.dotted(name, section: section) else { throw taken(name) }
            table = next
        }
        let name = names[names.count - 1]
        guard table.insert(value, at: name) else { throw taken(name) }
    }

    /// Reads names with points between them; there is at least one.
    private mutating func names() throws(DiscfgError) -> [String] {
        var names: [String] = []
        repeat {
            skipSpaces()
            names.append(try name())
            skipSpaces()
        } while take(".")
        return names
    }

    private mutating func name() throws(DiscfgError) -> String {
        if current == UInt8(ascii: "\"") || current == UInt8(ascii: "'") { return try string(allowsLines: false) }
        let start = position
        while let byte = current, byte.isBareName { position += 1 }
        guard position > start else { throw error("a name is missing, or has a character that needs quotes") }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func value(depth: Int) throws(DiscfgError) -> ConfigTree {
        guard depth < ConfigTree.maximumDepth else { throw tooDeep() }
        switch current {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return .string(try string(allowsLines: true))
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "{"): return try inlineTable(depth: depth)
        default:
            let start = position
            if let value = TOMLLiteral.value(literal()) { return value }
            position = start
            throw error("the value is none that TOML has")
        }
    }

    private mutating func array(depth: Int) throws(DiscfgError) -> ConfigTree {
        position += 1
        var elements: [ConfigTree] = []
        while true {
            try skipBlankLines()
            if take("]") { return .array(elements) }
            try meter.value()
            elements.append(try value(depth: depth + 1))
            try skipBlankLines()
            if take("]") { return .array(elements) }
            guard take(",") else { throw error("expected “,” or “]” in the list") }
        }
    }

    private mutating func inlineTable(depth: Int) throws(DiscfgError) -> ConfigTree {
        position += 1
        section += 1
        let own = section
        let table = TOMLTable(.header)
        skipSpaces()
        if take("}") { return table.tree }
        while true {
            try member(of: table, section: own, depth: depth)
            skipSpaces()
            if take("}") { return table.tree }
            guard take(",") else { throw error("expected “,” or “}” in the inline table") }
        }
    }

    /// The text of a number, a date or a word; one space may stand between a date and its time.
    private mutating func literal() -> String {
        let start = position
        while let byte = current, byte.isLiteral { position += 1 }
        if position - start == 10, bytes[start + 4] == UInt8(ascii: "-"), current == 0x20, position + 1 < bytes.count,
            bytes[position + 1] >= 0x30, bytes[position + 1] <= 0x39
        {
            position += 1
            while let byte = current, byte.isLiteral { position += 1 }
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private func tooDeep() -> DiscfgError { error("more than \(ConfigTree.maximumDepth) levels of nesting") }
    private func taken(_ name: String) -> DiscfgError { error("“\(name)” is there already") }
}

extension TOMLParser {
    var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    func error(_ reason: String) -> DiscfgError {
        .invalid(
            "Line \(SourceText.line(of: position, in: bytes)) of the file is not TOML: \(reason).",
            hint: "Fix that line, or choose another format.")
    }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard current == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    mutating func skipSpaces() { while current == 0x20 || current == 0x09 { position += 1 } }

    /// Takes LF or CR LF.
    mutating func takeNewline() -> Bool {
        if current == 0x0D, position + 1 < bytes.count, bytes[position + 1] == 0x0A { position += 1 }
        return take("\n")
    }

    mutating func skipComment() throws(DiscfgError) {
        guard current == UInt8(ascii: "#") else { return }
        while let byte = current, byte != 0x0A, byte != 0x0D {
            guard byte == 0x09 || (byte >= 0x20 && byte != 0x7F) else {
                throw error("a control character in a comment")
            }
            position += 1
        }
    }

    mutating func skipBlankLines() throws(DiscfgError) {
        repeat {
            skipSpaces()
            try skipComment()
        } while takeNewline()
    }
}

extension UInt8 {
    fileprivate var isBareName: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x2D: true
        default: false
        }
    }

    /// Whether it can be part of a number, a date or a word.
    fileprivate var isLiteral: Bool { isBareName || self == 0x2B || self == 0x2E || self == 0x3A }
}
