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
                    tree = try node().tree
                }
            }
            try meter.value()
            try events.advance()
        }
        return (tree, count)
    }

    /// A list or map whose end has not been read yet.
    private struct OpenNode {
        let isMap: Bool
        let anchor: [UInt8]?
        /// What it counts so far; its tree is set at its end.
        var node: Node
        var elements: [ConfigTree] = []
        var members: [ConfigTree.Member] = []
        var names: Set<[UInt8]> = []
        var merged: [ConfigTree.Member] = []
        /// The name of the member whose value comes next.
        var name = (text: "", isMerge: false, line: 0)
    }

    /// Reads the node that begins with the current event, up to its last event.
    ///
    /// The open lists and maps are in an array, so that the stack it needs does not depend on the input.
    private mutating func node() throws(DiscfgError) -> Node {
        var open: [OpenNode] = []
        while true {
            try meter.value()
            try checkDepth(open.count)
            let anchor = events.anchor
            var node: Node?
            switch events.type {
            case YAML_ALIAS_EVENT: node = try alias(depth: open.count)
            case YAML_SEQUENCE_START_EVENT, YAML_MAPPING_START_EVENT: open.append(try openNode(anchor))
            default: node = remember(try scalar(), as: anchor)
            }
            // Closes what ends here, up to the list or map that has another value.
            while true {
                guard let last = open.indices.last else { return node ?? Node(tree: .null, line: events.line) }
                try events.advance()
                if let node { try Self.add(node, to: &open[last]) }
                if try findNext(in: &open[last]) { break }
                node = close(open.removeLast())
            }
        }
    }

    private func openNode(_ anchor: [UInt8]?) throws(DiscfgError) -> OpenNode {
        let isMap = events.type == YAML_MAPPING_START_EVENT
        try checkTag([isMap ? YAMLTag.map : YAMLTag.seq])
        return OpenNode(isMap: isMap, anchor: anchor, node: Node(tree: .null, line: events.line))
    }

    /// Goes to the next value in a list or map; returns `false` if it ends here.
    private mutating func findNext(in open: inout OpenNode) throws(DiscfgError) -> Bool {
        guard open.isMap else { return events.type != YAML_SEQUENCE_END_EVENT }
        guard events.type != YAML_MAPPING_END_EVENT else { return false }
        open.name = try name()
        try events.advance()
        return true
    }

    private static func add(_ value: Node, to open: inout OpenNode) throws(DiscfgError) {
        guard open.isMap else {
            open.node.add(value)
            open.elements.append(value.tree)
            return
        }
        let (name, isMerge, line) = open.name
        open.node.add(value, name: name)
        if isMerge {
            open.merged += try merge(value)
            return
        }
        guard open.names.insert(Array(name.utf8)).inserted else {
            throw .invalid(
                "The name “\(name)” of line \(line) stands twice in one map.", hint: "Rename or remove one of the two.")
        }
        open.members.append(ConfigTree.Member(name: name, value: value.tree))
    }

    private mutating func close(_ open: OpenNode) -> Node {
        var (node, members, names) = (open.node, open.members, open.names)
        // What the map says itself goes before what it merges, and the first map merged before the next.
        for member in open.merged where names.insert(Array(member.name.utf8)).inserted { members.append(member) }
        node.tree = open.isMap ? .object(members) : .array(open.elements)
        return remember(node, as: open.anchor)
    }

    private mutating func remember(_ node: Node, as anchor: [UInt8]?) -> Node {
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

    private mutating func name() throws(DiscfgError) -> (text: String, isMerge: Bool, line: Int) {
        let line = events.line
        let isCollection = events.type == YAML_SEQUENCE_START_EVENT || events.type == YAML_MAPPING_START_EVENT
        if !isCollection {
            let node = events.type == YAML_ALIAS_EVENT ? try aliasName() : try scalarName()
            if let text = node.text { return (text, text == "<<" && node.isPlain, line) }
        }
        throw .invalid(
            "Line \(line) of the file has a list or a map as a name.", hint: "Use text as the name.")
    }

    private mutating func aliasName() throws(DiscfgError) -> Node {
        try meter.value()
        return try alias(depth: 0)
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
