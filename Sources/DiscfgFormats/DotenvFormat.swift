import DiscfgCore

/// Dotenv, lines of `NAME=value`.
///
/// Every value is a string, and `${NAME}` inside one stays as it is.
/// The syntax is that which python-dotenv, Ruby's dotenv and a shell share: `export` in front, values without quotes up to
/// ` #`, in single quotes (escapes `\\` and `\'`) or in double quotes (also `\n`, `\r`, `\t` and the like), which may span
/// lines. Of two lines with one name the later counts.
enum DotenvFormat {
    static func tree(of bytes: [UInt8], _ meter: ReadingMeter = ReadingMeter()) throws(DiscfgError) -> ConfigTree {
        var meter = meter
        var parser = DotenvParser(try SourceText.decode(bytes))
        var object = NamedStrings()
        while let (name, value) = try parser.next() {
            try meter.value()
            object.set(name, value)
        }
        return object.tree
    }

    static func bytes(of items: [Key: Value], under root: DirectoryPath) throws(DiscfgError) -> [UInt8] {
        var text = ""
        for item in try FlatItem.items(items, under: root, name: name(of:)) {
            guard !item.text.utf8.contains(0) else {
                throw .invalid(
                    "The value of “\(item.key)” has the character U+0000, which no variable can hold.",
                    hint: "Export as JSON or YAML.")
            }
            text += "\(item.name)=\(quoted(item.text))\n"
        }
        return Array(text.utf8)
    }

    /// The variable of a path: a single valid name as it is, anything else in capitals, with `_` for what cannot stand there.
    static func name(of segments: [String]) -> String? {
        if segments.count == 1, isName(segments[0]) { return segments[0] }
        let name = segments.map { segment in
            segment.uppercased().unicodeScalars.map { scalar in
                scalar.isASCII && scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) ? String(scalar) : "_"
            }.joined()
        }.joined(separator: "_")
        guard let first = name.utf8.first, name.utf8.contains(where: { $0 != 0x5F }) else { return nil }
        return first >= 0x30 && first <= 0x39 ? "_" + name : name
    }

    static func isName(_ text: some StringProtocol) -> Bool {
        guard let first = text.utf8.first, first < 0x30 || first > 0x39 else { return false }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F: true
            default: false
            }
        }
    }

    /// Whether the text ends in a backslash and needs no quotes: python-dotenv takes `\\"` for an escaped quote, also when
    /// the backslash before it is escaped itself, and reads on.
    private static func isBareWithBackslash(_ text: String) -> Bool {
        guard text.utf8.last == UInt8(ascii: "\\"), let first = text.utf8.first, !Array("'\" \t".utf8).contains(first)
        else {
            return false
        }
        return text.utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "#") }
    }

    /// The value in the lightest quotes that every reader understands alike.
    private static func quoted(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0.isBare }) { return text }
        // In single quotes a shell, Ruby and Compose leave “$” alone, too.
        if text.utf8.allSatisfy({ $0 != UInt8(ascii: "'") && $0 != UInt8(ascii: "\\") && ($0 >= 0x20 || $0 == 0x0A) }) {
            return "'" + text + "'"
        }
        if isBareWithBackslash(text) { return text }
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}

extension UInt8 {
    /// Whether the character means nothing to any reader of dotenv.
    fileprivate var isBare: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: Array("_-./:@%+,=".utf8).contains(self)
        }
    }
}

/// Names and strings in the order in which the names first came.
struct NamedStrings {
    private var members: [ConfigTree.Member] = []
    private var positions: [[UInt8]: Int] = [:]

    mutating func set(_ name: String, _ value: String) {
        let member = ConfigTree.Member(name: name, value: .string(value))
        if let position = positions[Array(name.utf8)] {
            members[position] = member
        } else {
            positions[Array(name.utf8)] = members.count
            members.append(member)
        }
    }

    var tree: ConfigTree { .object(members) }
}
