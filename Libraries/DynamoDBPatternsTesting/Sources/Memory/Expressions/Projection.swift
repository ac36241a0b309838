import AWSClient

/// Paths put together as a tree: what of an item is wanted.
struct ProjectionNode {
    private var isWhole = false
    private var members: [String: ProjectionNode] = [:]
    private var elements: [Int: ProjectionNode] = [:]

    init(_ paths: [DocumentPath]) {
        for path in paths { add(path.parts[...]) }
    }

    private init() {}

    private mutating func add(_ parts: ArraySlice<DocumentPath.Part>) {
        switch parts.first {
        case nil: isWhole = true
        case .name(let name): members[name, default: ProjectionNode()].add(parts.dropFirst())
        case .index(let index): elements[index, default: ProjectionNode()].add(parts.dropFirst())
        }
    }

    /// The attributes of which at least a part is wanted.
    var attributes: [String] { Array(members.keys) }

    /// The wanted part of an item.
    func part(of item: Item) -> Item {
        var part: Item = [:]
        for (name, node) in members {
            if let value = item[name].flatMap({ node.part(of: $0) }) { part[name] = value }
        }
        return part
    }

    private func part(of value: AttributeValue) -> AttributeValue? {
        if isWhole { return value }
        switch value {
        case .map(let value):
            let part = part(of: value)
            return part.isEmpty ? nil : .map(part)
        case .list(let value):
            let part = elements.sorted { $0.key < $1.key }.compactMap { index, node in
                value.indices.contains(index) ? node.part(of: value[index]) : nil
            }
            return part.isEmpty ? nil : .list(part)
        default: return nil
        }
    }
}
