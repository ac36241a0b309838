import DiscfgCore

/// A parser over bytes that keeps the open lists and inline tables in an array of its own, so that the stack it needs does not
/// depend on the input.
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
        let names = try memberNames()
        let value = try value(depth: depth + names.count)
        try insert(value, at: names, in: table, section: section)
    }

    /// Reads `name =`.
    private mutating func memberNames() throws(DiscfgError) -> [String] {
        let names = try names()
        try meter.add(names.count)
        guard take("=") else { throw error("a name without “=”") }
        skipSpaces()
        return names
    }

    private func insert(
        _ value: ConfigTree, at names: [String], in table: TOMLTable, section: Int
    ) throws(DiscfgError) {
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

    /// Reads a value, whose depth in the file is `depth`.
    private mutating func value(depth: Int) throws(DiscfgError) -> ConfigTree {
        var open: [OpenValue] = []
        var depth = depth
        while true {
            guard depth < ConfigTree.maximumDepth else { throw tooDeep() }
            var value: ConfigTree?
            if take("[") {
                open.append(OpenValue(depth: depth))
            } else if take("{") {
                section += 1
                open.append(OpenValue(depth: depth, table: TOMLTable(.header), section: section))
            } else {
                value = try scalar()
            }
            // Closes what ends here, up to the list or table that has another value.
            while true {
                guard let last = open.indices.last else { return value ?? .null }
                if let value { try add(value, to: &open[last]) }
                if let next = try findNext(in: &open[last], isFirst: value == nil) {
                    depth = next
                    break
                }
                value = open.removeLast().tree
            }
        }
    }

    private mutating func scalar() throws(DiscfgError) -> ConfigTree {
        if current == UInt8(ascii: "\"") || current == UInt8(ascii: "'") {
            return .string(try string(allowsLines: true))
        }
        let start = position
        if let value = TOMLLiteral.value(literal()) { return value }
        position = start
        throw error("the value is none that TOML has")
    }

    private func add(_ value: ConfigTree, to open: inout OpenValue) throws(DiscfgError) {
        if let table = open.table {
            try insert(value, at: open.names, in: table, section: open.section)
        } else {
            open.elements.append(value)
        }
    }

    /// Goes to the next value in a list or an inline table; returns its depth, or `nil` if the list or table ends here.
    private mutating func findNext(in open: inout OpenValue, isFirst: Bool) throws(DiscfgError) -> Int? {
        guard open.table == nil else {
            skipSpaces()
            if take("}") { return nil }
            guard isFirst || take(",") else { throw error("expected “,” or “}” in the inline table") }
            open.names = try memberNames()
            return open.depth + open.names.count
        }
        try skipBlankLines()
        if take("]") { return nil }
        if !isFirst {
            guard take(",") else { throw error("expected “,” or “]” in the list") }
            try skipBlankLines()
            if take("]") { return nil }
        }
        try meter.value()
        return open.depth + 1
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

/// A list or an inline table whose end has not been read yet.
private struct OpenValue {
    let depth: Int
    /// `nil` for a list.
    var table: TOMLTable?
    var section = 0
    /// The names of the member whose value comes next.
    var names: [String] = []
    var elements: [ConfigTree] = []

    var tree: ConfigTree { table?.tree ?? .array(elements) }
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
