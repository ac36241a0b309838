import DiscfgCore

/// Writes YAML in block style, so that readers of YAML 1.1 and 1.2 see the same data.
struct YAMLWriter {
    private var bytes: [UInt8] = []

    /// An object or array that is being written: an explicit stack of them spares recursion.
    private struct OpenNode {
        let tree: ConfigTree
        let indent: Int
        /// Whether its first line goes on behind the dash of an element.
        let isContinued: Bool
        var position = 0
    }

    static func bytes(of tree: ConfigTree) -> [UInt8] {
        var writer = YAMLWriter()
        if tree.hasChildren { writer.children(of: tree) } else { writer.line(YAMLText.scalar(tree)) }
        return writer.bytes
    }

    private mutating func children(of root: ConfigTree) {
        var open = [OpenNode(tree: root, indent: 0, isContinued: false)]
        while let last = open.indices.last {
            let node = open[last]
            guard let child = node.tree.child(at: node.position) else {
                open.removeLast()
                continue
            }
            open[last].position += 1
            if node.position > 0 || !node.isContinued { indent(node.indent) }
            var isElement = true
            if case .object(let members) = node.tree {
                name(members[node.position].name, indent: node.indent)
                isElement = false
            } else {
                append("-")
            }
            if child.hasChildren {
                append(isElement ? " " : "\n")
                open.append(OpenNode(tree: child, indent: node.indent + 2, isContinued: isElement))
            } else {
                scalar(child, indent: node.indent)
            }
        }
    }

    private mutating func name(_ name: String, indent: Int) {
        let name = YAMLText.string(name)
        if name.unicodeScalars.count > YAMLText.maximumSimpleName {
            append("? " + name + "\n")
            self.indent(indent)
            append(":")
        } else {
            append(name + ":")
        }
    }

    /// What stands after `name:` or `-`.
    private mutating func scalar(_ tree: ConfigTree, indent: Int) {
        if case .string(let text) = tree, YAMLText.isBlock(text) {
            block(text, indent: indent + 2)
        } else {
            append(" ")
            line(YAMLText.scalar(tree))
        }
    }

    /// A text of several lines, as it is.
    private mutating func block(_ text: String, indent: Int) {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let endsInNewline = lines.last?.isEmpty == true
        if endsInNewline { lines.removeLast() }
        let keepsMore = endsInNewline && lines.last?.isEmpty == true
        line(keepsMore ? " |+" : endsInNewline ? " |" : " |-")
        for text in lines {
            if !text.isEmpty { self.indent(indent) }
            line(String(text))
        }
    }

    private mutating func indent(_ count: Int) { bytes.append(contentsOf: repeatElement(0x20, count: count)) }
    private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }
    private mutating func line(_ text: String) { append(text + "\n") }
}

/// Scalars as YAML text.
enum YAMLText {
    /// Names up to here need no “?” in front; the limit of YAML is 1024 characters.
    static let maximumSimpleName = 1000

    static func scalar(_ tree: ConfigTree) -> String {
        switch tree {
        case .null: "null"
        case .bool(let flag): flag ? "true" : "false"
        case .number(let literal): number(literal)
        case .string(let text): string(text)
        case .typed(let scalar): typed(scalar)
        case .array: "[]"
        case .object: "{}"
        }
    }

    /// A JSON number; YAML 1.1 asks for a point before an exponent, and for a sign in it.
    private static func number(_ literal: String) -> String {
        guard let position = literal.firstIndex(where: { $0 == "e" || $0 == "E" }) else { return literal }
        let mantissa = literal[..<position]
        let exponent = literal[position...].dropFirst()
        let isSigned = exponent.first == "-" || exponent.first == "+"
        return mantissa + (mantissa.contains(".") ? "" : ".0") + "e" + (isSigned ? "" : "+") + exponent
    }

    private static func typed(_ scalar: TypedScalar) -> String {
        switch scalar.kind {
        case .float: scalar.text == "nan" ? ".nan" : scalar.text == "inf" ? ".inf" : "-.inf"
        case .yaml, .localDate, .localDateTime, .offsetDateTime:
            YAMLScalar.resolve(scalar.text) == .typed(scalar) ? scalar.text : string(scalar.text)
        // YAML has no time of day: it would be read as a number of base 60.
        case .localTime: string(scalar.text)
        case .binary: "!!binary \"\(scalar.text)\""
        }
    }

    /// A string: plain where no reader takes it for anything else, otherwise in quotes.
    static func string(_ text: String) -> String {
        if isPlain(text) { return text }
        if text.unicodeScalars.allSatisfy(isPrintable) { return "'" + text.replacing("'", with: "''") + "'" }
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case _ where isPrintable(scalar): quoted.unicodeScalars.append(scalar)
            default: quoted += escape(scalar)
            }
        }
        return quoted + "\""
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16)
        let width = scalar.value > 0xFFFF ? 8 : 4
        return (width == 8 ? "\\U" : "\\u") + String(repeating: "0", count: width - digits.utf8.count) + digits
    }

    private static func isPlain(_ text: String) -> Bool {
        // Readers of YAML 1.1 take y and n for bools, too.
        guard let first = text.unicodeScalars.first, !["y", "Y", "n", "N"].contains(text) else { return false }
        guard first.properties.isAlphabetic || "0123456789/_.$(-+".unicodeScalars.contains(first) else { return false }
        guard !text.hasPrefix("---"), !text.hasPrefix("..."), !text.hasPrefix("- "), text != "-" else { return false }
        var previous: Unicode.Scalar = " "
        for scalar in text.unicodeScalars {
            let isOrdinary = scalar.properties.isAlphabetic || scalar.properties.generalCategory == .decimalNumber
            guard isOrdinary || " /_.$()-+@%=;,~*?&|<>!^:#".unicodeScalars.contains(scalar) else { return false }
            if previous == ":", scalar == " " || scalar == "," { return false }
            if previous == " ", scalar == "#" { return false }
            previous = scalar
        }
        return previous != " " && previous != ":" && YAMLScalar.resolve(text) == .string(text)
    }

    /// Whether a reader keeps the character as it is, inside quotes on one line.
    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x20...0x7E, 0xA0...0x2027, 0x202A...0xD7FF, 0xE000...0xFEFE, 0xFF00...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }

    /// Whether the text is better written as a block of lines, and safely so.
    static func isBlock(_ text: String) -> Bool {
        guard text.unicodeScalars.contains("\n"), let first = text.unicodeScalars.first, first != " ", first != "\n"
        else {
            return false
        }
        guard text.unicodeScalars.allSatisfy({ $0 == "\n" || isPrintable($0) }) else { return false }
        return text.split(separator: "\n").allSatisfy { line in line.contains { $0 != " " } }
    }
}
