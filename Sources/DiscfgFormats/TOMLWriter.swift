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
        // Those that are still to be written, the next one last.
        var sections = Array(try writer.table(members, path: []).reversed())
        while let section = sections.popLast() { sections += try writer.section(section).reversed() }
        return Array(writer.text.utf8)
    }

    /// A part of the file under headers.
    private struct Section {
        let tree: ConfigTree
        let path: [String]
        /// Whether it is one table of a list.
        var isElement = false
    }

    /// Writes the values of a table; returns the sections that follow them.
    private mutating func table(_ members: [ConfigTree.Member], path: [String]) throws(DiscfgError) -> [Section] {
        for member in members where !isSection(member.value) {
            text += try Self.name(member.name) + " = " + Self.value(member.value, path: path + [member.name]) + "\n"
        }
        return members.filter { isSection($0.value) }.map { Section(tree: $0.value, path: path + [$0.name]) }
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

    /// Writes the header and the values of a section; returns the sections that follow them.
    private mutating func section(_ section: Section) throws(DiscfgError) -> [Section] {
        guard case .object(let members) = section.tree else {
            return section.tree.children.map { Section(tree: $0, path: section.path, isElement: true) }
        }
        let header = section.path.map { Self.name($0) }.joined(separator: ".")
        if section.isElement {
            self.header("[[\(header)]]")
        } else if members.isEmpty || members.contains(where: { !isSection($0.value) }) {
            // A table that holds only tables needs no header: theirs name it.
            self.header("[\(header)]")
        }
        return try table(members, path: section.path)
    }

    private mutating func header(_ header: String) { text += (text.isEmpty ? "" : "\n") + header + "\n" }

    /// A value on one line.
    private static func value(_ root: ConfigTree, path: [String]) throws(DiscfgError) -> String {
        var text = ""
        var open: [OpenNode] = []
        var next: ConfigTree? = root
        while let tree = next {
            if tree.hasChildren {
                open.append(OpenNode(tree: tree))
                text += open[open.count - 1].isObject ? "{ " : "["
            } else {
                text += try scalar(tree, path: path + open.map(\.name))
            }
            next = nil
            while next == nil, let last = open.indices.last {
                next = open[last].next(&text)
                if next == nil { text += open.removeLast().isObject ? " }" : "]" }
            }
        }
        return text
    }

    /// A list or inline table that is being written: an explicit stack of them spares recursion.
    private struct OpenNode {
        let tree: ConfigTree
        var position = -1

        var isObject: Bool { if case .object = tree { true } else { false } }

        /// The name or the index of the child that is being written.
        var name: String {
            if case .object(let members) = tree { members[position].name } else { String(position) }
        }

        /// The next child, whose name is written already; `nil` at the end.
        mutating func next(_ text: inout String) -> ConfigTree? {
            position += 1
            guard let child = tree.child(at: position) else { return nil }
            if position > 0 { text += ", " }
            if isObject { text += TOMLWriter.name(name) + " = " }
            return child
        }
    }

    private static func scalar(_ tree: ConfigTree, path: @autoclosure () -> [String]) throws(DiscfgError) -> String {
        switch tree {
        case .null:
            throw .invalid(
                "“\(display(path()))” is null, which TOML cannot say.",
                hint: "Delete the key, or export as JSON or YAML.")
        case .bool(let flag): flag ? "true" : "false"
        case .number(let literal): try number(literal, path: path())
        case .string(let text): string(text)
        case .typed(let scalar): typed(scalar)
        case .array: "[]"
        case .object: "{}"
        }
    }

    private static func display(_ path: [String]) -> String {
        path.map { "/" + PathSegment.escape($0) }.joined()
    }

    private static func number(_ literal: String, path: @autoclosure () -> [String]) throws(DiscfgError) -> String {
        if literal.contains(where: { ".eE".contains($0) }) || Int64(literal) != nil { return literal }
        throw .invalid(
            "“\(display(path()))” is an integer of more than 64 bits, which TOML cannot say.",
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
