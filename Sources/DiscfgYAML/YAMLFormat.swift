import CYaml
import DiscfgCore
public import DiscfgFormats

extension YAMLReader {
    /// Reads YAML with libyaml, the parser of Yams.
    public static let yams = YAMLReader { bytes, document, meter in
        Result { () throws(DiscfgError) in try YAMLFormat.tree(of: bytes, document: document, meter) }
    }
}

/// YAML, with the syntax read by libyaml and the scalars by `YAMLScalar`.
///
/// Anchors and merge keys are resolved.
enum YAMLFormat {
    /// How many values aliases may add to those that are written out; a few lines of YAML could otherwise name billions.
    static let maximumAliasedValues = 100_000
    /// How many bytes aliases may add: what one commit may hold.
    static let maximumAliasedBytes = 64 << 20

    static func tree(
        of bytes: [UInt8], document: Int?, _ meter: ReadingMeter = ReadingMeter()
    ) throws(DiscfgError) -> ConfigTree {
        var reader = YAMLTreeReader(try YAMLEvents(bytes), meter)
        let (tree, count) = try reader.document(document ?? 1)
        if let document, !(1...max(count, 1)).contains(document) {
            throw .invalid(
                "There is no document \(document): the file holds \(count).",
                hint: count > 1 ? "Choose one from 1 to \(count)." : "Leave out “--document \(document)”.")
        }
        if document == nil, count > 1 {
            throw .invalid(
                "The file is a stream of \(count) YAML documents, and only one can be imported at a time.",
                hint: "Choose one with “--document N”, from 1 to \(count).")
        }
        // A document with nothing but comments is null, and means that there is nothing.
        return tree == .null ? .object([]) : tree
    }

    private static func documents(_ text: String) throws(DiscfgError) -> [Node] {
        if text.utf8.allSatisfy({ $0 == 0x20 || $0 == 0x0A || $0 == 0x0D }) { return [] }
        do {
            // The basic resolver has no rules: what a scalar means is decided by YAMLScalar, without regular expressions.
            let parser = try Parser(yaml: text, resolver: .basic, encoding: .utf8)
            var roots: [Node] = []
            while let root = try parser.nextRoot() { roots.append(root) }
            return roots
        } catch let error as YamlError {
            throw syntaxError(error, in: text)
        } catch {
            throw .invalid("The file is not YAML.", hint: "Fix it, or choose another format.")
        }
    }

    private static func syntaxError(_ error: YamlError, in text: String) -> DiscfgError {
        switch error {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            return .invalid(
                "Line \(mark.line) of the file is not YAML: \(problem).",
                hint: "Fix that line, or choose another format.")
        case .duplicatedKeysInMapping(let names, let context):
            return duplicate(names.first ?? "", line: context.mark.line)
        case .reader(let problem, let offset, _, _):
            let line = offset.map { 1 + text.prefix($0).count(where: \.isNewline) }
            return .invalid(
                (line.map { "Line \($0) of the file is not YAML: " } ?? "The file is not YAML: ") + "\(problem).",
                hint: "Remove that character, or write it as an escape in double quotes.")
        default: return .invalid("The file is not YAML.", hint: "Fix it, or choose another format.")
        }
    }

    fileprivate static func duplicate(_ name: String, line: Int) -> DiscfgError {
        .invalid(
            "The name “\(name)” of line \(line) stands twice in one map.", hint: "Rename or remove one of the two.")
    }
}

/// Turns what Yams read into a tree; bounded, because aliases can make it much larger than the file.
private struct YAMLTreeReader {
    var nodesLeft: Int

    mutating func tree(of node: Node, depth: Int = 0) throws(DiscfgError) -> ConfigTree {
        nodesLeft -= 1
        guard nodesLeft >= 0 else {
            throw .invalid(
                "The aliases of the file stand for more than \(YAMLFormat.maximumAliasedNodes) values.",
                hint: "Use fewer aliases, or write the values out.")
        }
        guard depth < ConfigTree.maximumDepth else {
            throw .invalid("The file has more than \(ConfigTree.maximumDepth) levels of nesting.", hint: "Nest less.")
        }
        switch node {
        case .scalar(let scalar): return try scalarTree(scalar)
        case .sequence(let sequence):
            try checkTag(sequence.tag, [.implicit, .nonSpecific, .seq], line: sequence.mark?.line)
            var elements: [ConfigTree] = []
            for element in sequence { elements.append(try tree(of: element, depth: depth + 1)) }
            return .array(elements)
        case .mapping(let mapping):
            try checkTag(mapping.tag, [.implicit, .nonSpecific, .map], line: mapping.mark?.line)
            return .object(try members(of: mapping, depth: depth))
        case .alias: throw .invalid("The file has an alias that nothing defines.", hint: "Define its anchor before it.")
        }
    }

    private mutating func members(of mapping: Node.Mapping, depth: Int) throws(DiscfgError) -> [ConfigTree.Member] {
        var members: [ConfigTree.Member] = []
        var names: Set<[UInt8]> = []
        var merged: [ConfigTree.Member] = []
        for (key, value) in mapping {
            guard case .scalar(let name) = key else {
                throw .invalid(
                    "Line \(key.mark?.line ?? 0) of the file has a list or a map as a name.",
                    hint: "Use text as the name.")
            }
            if name.string == "<<", name.style == .plain {
                merged += try merge(value, depth: depth)
                continue
            }
            guard names.insert(Array(name.string.utf8)).inserted else {
                throw YAMLFormat.duplicate(name.string, line: name.mark?.line ?? 0)
            }
            members.append(ConfigTree.Member(name: name.string, value: try tree(of: value, depth: depth + 1)))
        }
        // What the map says itself goes before what it merges, and the first map merged before the next.
        for member in merged where names.insert(Array(member.name.utf8)).inserted { members.append(member) }
        return members
    }

    private mutating func merge(_ node: Node, depth: Int) throws(DiscfgError) -> [ConfigTree.Member] {
        switch try tree(of: node, depth: depth) {
        case .object(let members): return members
        case .array(let elements):
            var members: [ConfigTree.Member] = []
            for element in elements {
                guard case .object(let more) = element else { throw notMergeable(node) }
                members += more
            }
            return members
        default: throw notMergeable(node)
        }
    }

    private func notMergeable(_ node: Node) -> DiscfgError {
        .invalid(
            "Line \(node.mark?.line ?? 0) of the file merges (“<<”) something that is not a map.",
            hint: "Merge a map or a list of maps, or write the name as \"<<\".")
    }

    private func checkTag(_ tag: Tag, _ known: [Tag.Name], line: Int?) throws(DiscfgError) {
        guard known.contains(where: { $0.rawValue == tag.rawValue }) else { throw unknownTag(tag, line: line) }
    }

    private func unknownTag(_ tag: Tag, line: Int?) -> DiscfgError {
        let standard = "tag:yaml.org,2002:"
        let name = tag.rawValue.hasPrefix(standard) ? "!!" + tag.rawValue.dropFirst(standard.count) : tag.rawValue
        return .invalid(
            "Line \(line ?? 0) of the file has the tag “\(name)”, which is not supported.",
            hint: "Write the value without it.")
    }

    private func scalarTree(_ scalar: Node.Scalar) throws(DiscfgError) -> ConfigTree {
        let text = scalar.string
        let name = Tag.Name(rawValue: scalar.tag.rawValue)
        if name == .implicit { return scalar.style == .plain ? YAMLScalar.resolve(text) : .string(text) }
        if name == .str || name == .nonSpecific { return .string(text) }
        if let tree = YAMLScalar.construct(name.rawValue, text) { return tree }
        let known: [Tag.Name] = [.bool, .int, .float, .null, .timestamp, .binary]
        guard known.contains(name) else { throw unknownTag(scalar.tag, line: scalar.mark?.line) }
        throw .invalid(
            "Line \(scalar.mark?.line ?? 0) of the file has a value that is not what its tag says.",
            hint: "Fix the value, or leave out the tag.")
    }
}

extension YAMLScalar {
    /// The scalar under an explicit tag, or `nil` where the text is no such thing.
    fileprivate static func construct(_ tag: String, _ text: String) -> ConfigTree? {
        let resolved = resolve(text)
        switch (Tag.Name(rawValue: tag), resolved) {
        case (.null, .null), (.bool, .bool): return resolved
        case (.int, .number(let literal)): return literal.contains(".") ? nil : resolved
        case (.float, .number(let literal)): return .number(literal.contains(".") ? literal : literal + ".0")
        case (.float, .typed(let scalar)) where scalar.kind == .float: return resolved
        case (.timestamp, .typed(let scalar)): return TimestampText(scalar.text) == nil ? nil : resolved
        case (.binary, _):
            let base64 = text.filter { !$0.isWhitespace }
            return Data(base64Encoded: base64).map { .typed(TypedScalar(binary: Array($0))) }
        default: return nil
        }
    }
}
