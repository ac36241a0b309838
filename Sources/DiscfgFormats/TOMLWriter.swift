import DiscfgCore

/// Writes TOML 1.0: in each table first the values, then the tables below it under headers.
struct TOMLWriter {
    private var text = ""

    static func bytes(of tree: ConfigTree) throws(DiscfgError) -> [UInt8] {
        guard case .object(let members) = tree else {
            throw .invalid(
                "TOML has no file with a list or a single value at its root.", hint: "Export it as JSON or YAML.")
        }
        var writer = TOMLWriter()
        try writer.table(members, path: [])
        return Array(writer.text.utf8)
    }

    private mutating func table(_ members: [ConfigTree.Member], path: [String]) throws(DiscfgError) {
        for member in members where !isSection(member.value) {
            text += try Self.name(member.name) + " = " + Self.value(member.value, path: path + [member.name]) + "\n"
        }
        for member in members where isSection(member.value) {
            try section(member.value, path: path + [member.name])
        }
    }

    /// Whether it goes under a header of its own: a table, or a list of nothing but tables.
    private func isSection(_ tree: ConfigTree) -> Bool {
        switch tree {
        case .object: true
        case .array(let elements):
            !elements.isEmpty
                && elements.allSatisfy {
                    if case .object = $0 { true } else { false }
                }
        default: false
        }
    }

    private mutating func section(_ tree: ConfigTree, path: [String]) throws(DiscfgError) {
        let header = path.map { Self.name($0) }.joined(separator: ".")
        switch tree {
        case .object(let members):
            // A table that holds only tables needs no header: theirs name it.
            if members.isEmpty || members.contains(where: { !isSection($0.value) }) { self.header("[\(header)]") }
            try table(members, path: path)
        case .array(let elements):
            for element in elements {
                guard case .object(let members) = element else { continue }
                self.header("[[\(header)]]")
                try table(members, path: path)
            }
        default: break
        }
    }

    private mutating func header(_ header: String) { text += (text.isEmpty ? "" : "\n") + header + "\n" }

    private static func value(_ tree: ConfigTree, path: [String]) throws(DiscfgError) -> String {
        switch tree {
        case .null:
            throw .invalid(
                "“\(display(path))” is null, which TOML cannot say.", hint: "Delete the key, or export as JSON or YAML."
            )
        case .bool(let flag): return flag ? "true" : "false"
        case .number(let literal): return try number(literal, path: path)
        case .string(let text): return string(text)
        case .typed(let scalar): return typed(scalar)
        case .array(let elements):
            var parts: [String] = []
            for (index, element) in elements.enumerated() {
                parts.append(try value(element, path: path + [String(index)]))
            }
            return "[" + parts.joined(separator: ", ") + "]"
        case .object(let members):
            var parts: [String] = []
            for member in members {
                parts.append(try name(member.name) + " = " + value(member.value, path: path + [member.name]))
            }
            return parts.isEmpty ? "{}" : "{ " + parts.joined(separator: ", ") + " }"
        }
    }

    private static func display(_ path: [String]) -> String {
        path.map { "/" + PathSegment.escape($0) }.joined()
    }

    private static func number(_ literal: String, path: [String]) throws(DiscfgError) -> String {
        if literal.contains(where: { ".eE".contains($0) }) || Int64(literal) != nil { return literal }
        throw .invalid(
            "“\(display(path))” is an integer of more than 64 bits, which TOML cannot say.",
            hint: "Export as JSON or YAML.")
    }

    private static func typed(_ scalar: TypedScalar) -> String {
        switch scalar.kind {
        case .offsetDateTime, .localDateTime, .localDate, .localTime, .float: scalar.text
        case .yaml:
            if case .number(let literal) = scalar.json, literal.contains(where: { ".eE".contains($0) }) {
                literal
            } else {
                string(scalar.text)
            }
        case .binary: string(scalar.text)
        }
    }

    private static func name(_ name: String) -> String {
        let isBare = !name.isEmpty && name.utf8.allSatisfy { $0.isBareName }
        return isBare ? name : string(name)
    }

    private static func string(_ text: String) -> String {
        // A literal string says paths and patterns without escapes.
        if text.utf8.contains(UInt8(ascii: "\\")) || text.utf8.contains(UInt8(ascii: "\"")),
            text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F && $0 != "'" })
        {
            return "'" + text + "'"
        }
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}

extension UInt8 {
    fileprivate var isBareName: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x2D: true
        default: false
        }
    }
}
