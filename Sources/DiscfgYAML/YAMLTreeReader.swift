import CYaml
import DiscfgCore
import DiscfgFormats

/// Turns the events of libyaml into a tree, and counts on the way: aliases can make it much larger than the file.
struct YAMLTreeReader {
    /// One value, and what an alias to it adds.
    private struct Node {
        var tree: ConfigTree
        /// The text of a scalar, as it can be a name.
        var text: String?
        var isPlain = false
        var values = 1
        var bytes = 0
        /// How many levels of lists and maps it has.
        var height = 0
        var line: Int

        /// Counts a node inside of this one.
        mutating func add(_ node: Node, name: String = "") {
            values += node.values
            bytes += node.bytes + name.utf8.count
            height = max(height, node.height + 1)
        }
    }

    private let events: YAMLEvents
    private var meter: ReadingMeter
    private var anchors: [[UInt8]: Node] = [:]
    private var aliasedValues = 0
    private var aliasedBytes = 0

    init(_ events: YAMLEvents, _ meter: ReadingMeter) {
        self.events = events
        self.meter = meter
    }

    /// Reads the document of that number, counted from 1.
    ///
    /// - Returns: `null` if there is no such document, and the number of documents.
    mutating func document(_ number: Int) throws(DiscfgError) -> (ConfigTree, count: Int) {
        var (tree, count) = (ConfigTree.null, 0)
        try events.advance()
        while events.type != YAML_STREAM_END_EVENT {
            if events.type == YAML_DOCUMENT_START_EVENT {
                count += 1
                if count == number {
                    try events.advance()
                    tree = try node(depth: 0).tree
                }
            }
            try meter.value()
            try events.advance()
        }
        return (tree, count)
    }

    /// Reads the node that begins with the current event, up to its last event.
    private mutating func node(depth: Int) throws(DiscfgError) -> Node {
        try meter.value()
        try checkDepth(depth)
        let anchor = events.anchor
        let node =
            switch events.type {
            case YAML_ALIAS_EVENT: try alias(depth: depth)
            case YAML_SEQUENCE_START_EVENT: try sequence(depth: depth)
            case YAML_MAPPING_START_EVENT: try mapping(depth: depth)
            default: try scalar()
            }
        if let anchor { anchors[anchor] = node }
        return node
    }

    private func checkDepth(_ depth: Int) throws(DiscfgError) {
        guard depth < ConfigTree.maximumDepth else {
            throw .invalid("The file has more than \(ConfigTree.maximumDepth) levels of nesting.", hint: "Nest less.")
        }
    }

    private mutating func alias(depth: Int) throws(DiscfgError) -> Node {
        guard let node = anchors[events.alias] else {
            throw .invalid(
                "Line \(events.line) of the file has an undefined alias.", hint: "Define its anchor before it.")
        }
        try checkDepth(depth + node.height)
        aliasedValues += node.values
        aliasedBytes += node.bytes
        guard aliasedValues <= YAMLFormat.maximumAliasedValues else {
            throw .invalid(
                "The aliases of the file stand for more than \(YAMLFormat.maximumAliasedValues) values.",
                hint: "Use fewer aliases, or write the values out.")
        }
        guard aliasedBytes <= YAMLFormat.maximumAliasedBytes else {
            throw DiscfgError(
                .tooLarge,
                "The aliases of the file stand for more than \(YAMLFormat.maximumAliasedBytes) bytes (64 MiB).",
                hint: "Use fewer aliases, or shorter values.")
        }
        try meter.add(node.values - 1)
        return node
    }

    private mutating func sequence(depth: Int) throws(DiscfgError) -> Node {
        try checkTag([YAMLTag.seq])
        var node = Node(tree: .null, line: events.line)
        var elements: [ConfigTree] = []
        try events.advance()
        while events.type != YAML_SEQUENCE_END_EVENT {
            let element = try self.node(depth: depth + 1)
            node.add(element)
            elements.append(element.tree)
            try events.advance()
        }
        node.tree = .array(elements)
        return node
    }

    private mutating func mapping(depth: Int) throws(DiscfgError) -> Node {
        try checkTag([YAMLTag.map])
        var node = Node(tree: .null, line: events.line)
        var members: [ConfigTree.Member] = []
        var names: Set<[UInt8]> = []
        var merged: [ConfigTree.Member] = []
        try events.advance()
        while events.type != YAML_MAPPING_END_EVENT {
            let (name, isMerge, line) = try name()
            try events.advance()
            let value = try self.node(depth: depth + 1)
            node.add(value, name: name)
            try events.advance()
            if isMerge {
                merged += try Self.merge(value)
                continue
            }
            guard names.insert(Array(name.utf8)).inserted else {
                throw .invalid(
                    "The name “\(name)” of line \(line) stands twice in one map.",
                    hint: "Rename or remove one of the two.")
            }
            members.append(ConfigTree.Member(name: name, value: value.tree))
        }
        // What the map says itself goes before what it merges, and the first map merged before the next.
        for member in merged where names.insert(Array(member.name.utf8)).inserted { members.append(member) }
        node.tree = .object(members)
        return node
    }

    private mutating func name() throws(DiscfgError) -> (text: String, isMerge: Bool, line: Int) {
        let line = events.line
        let isCollection = events.type == YAML_SEQUENCE_START_EVENT || events.type == YAML_MAPPING_START_EVENT
        if !isCollection {
            let node = events.type == YAML_ALIAS_EVENT ? try node(depth: 0) : try scalarName()
            if let text = node.text { return (text, text == "<<" && node.isPlain, line) }
        }
        throw .invalid(
            "Line \(line) of the file has a list or a map as a name.", hint: "Use text as the name.")
    }

    /// The scalar that is a name; it is text, whatever its tag.
    private mutating func scalarName() throws(DiscfgError) -> Node {
        try meter.value()
        let (text, anchor) = (events.scalar, events.anchor)
        var node = Node(tree: .string(text), text: text, isPlain: events.isPlain, line: events.line)
        node.bytes = text.utf8.count
        if let anchor {
            node.tree = try scalarTree(text)
            anchors[anchor] = node
        }
        return node
    }

    private static func merge(_ node: Node) throws(DiscfgError) -> [ConfigTree.Member] {
        switch node.tree {
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

    private static func notMergeable(_ node: Node) -> DiscfgError {
        .invalid(
            "Line \(node.line) of the file merges (“<<”) something that is not a map.",
            hint: "Merge a map or a list of maps, or write the name as \"<<\".")
    }

    private func scalar() throws(DiscfgError) -> Node {
        let text = events.scalar
        var node = Node(tree: try scalarTree(text), text: text, isPlain: events.isPlain, line: events.line)
        node.bytes = text.utf8.count
        return node
    }
}

extension YAMLTreeReader {
    private func checkTag(_ known: [String]) throws(DiscfgError) {
        guard let tag = events.tag, tag != YAMLTag.nonSpecific, !known.contains(tag) else { return }
        throw unknownTag(tag)
    }

    private func unknownTag(_ tag: String) -> DiscfgError {
        let name = tag.hasPrefix(YAMLTag.standard) ? "!!" + tag.dropFirst(YAMLTag.standard.count) : tag
        return .invalid(
            "Line \(events.line) of the file has the tag “\(name)”, which is not supported.",
            hint: "Write the value without it.")
    }

    private func scalarTree(_ text: String) throws(DiscfgError) -> ConfigTree {
        if events.isText { return .string(text) }
        guard let tag = events.tag else { return events.isPlain ? YAMLScalar.resolve(text) : .string(text) }
        if tag == YAMLTag.str || tag == YAMLTag.nonSpecific { return .string(text) }
        if let tree = YAMLTag.construct(tag, text) { return tree }
        guard YAMLTag.scalars.contains(tag) else { throw unknownTag(tag) }
        throw .invalid(
            "Line \(events.line) of the file has a value that is not what its tag says.",
            hint: "Correct the value, or leave out the tag.")
    }
}
