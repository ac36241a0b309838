import DiscfgCore

extension ConfigTree {
    /// The tree that the items below a directory stand for.
    ///
    /// - Throws: `DiscfgError` that names the keys when one is a value and a directory at once, or is no path.
    init(_ items: [Key: Value], under root: DirectoryPath, arrayAtRoot: Bool = true) throws(DiscfgError) {
        let top = Directory()
        for (key, value) in items.sorted(by: { $0.key < $1.key }) {
            if root.isNamed(by: key) {
                top.item = (key, value)
            } else if root.relative(key) != nil {
                try top.insert(key, value, below: root)
            }
        }
        if top.item != nil, top.children.isEmpty {
            self = try top.rootValue()
        } else {
            self = try top.tree(arrayAtRoot: arrayAtRoot)
        }
    }
}

/// A directory while it is being filled; a class, because paths are inserted one by one from the top.
private final class Directory {
    var item: (key: Key, value: Value)?
    var children: [(segment: [UInt8], directory: Directory)] = []
    private var positions: [[UInt8]: Int] = [:]

    func insert(_ key: Key, _ value: Value, below root: DirectoryPath) throws(DiscfgError) {
        // A marker of an empty directory has no value of its own.
        let isMarker = DirectoryPath.isMarker(key, value)
        guard let segments = root.segments(of: key, isMarker: isMarker) else {
            throw .invalid(
                "The key “\(key)” is not a path, so it has no place in the file.",
                hint: "Export a prefix that it is not below.")
        }
        var directory = self
        for segment in segments { directory = directory.child(Array(segment)) }
        if !isMarker { directory.item = (key, value) }
    }

    private func child(_ segment: [UInt8]) -> Directory {
        if let position = positions[segment] { return children[position].directory }
        let child = Directory()
        positions[segment] = children.count
        children.append((segment, child))
        return child
    }

    func tree(arrayAtRoot: Bool = true) throws(DiscfgError) -> ConfigTree {
        try fold(
            self,
            children: { directory throws(DiscfgError) in
                try directory.checkConflict()
                return directory.children.map(\.directory)
            },
            combine: { directory, values throws(DiscfgError) in
                try directory.tree(of: values, allowsArray: arrayAtRoot || directory !== self)
            })
    }

    private func checkConflict() throws(DiscfgError) {
        guard let item, !children.isEmpty else { return }
        // An empty object says only that there is a directory.
        guard try ConfigTree(item.value, of: item.key) == .object([]) else { throw conflict(item.key) }
    }

    /// The tree of this directory, with the trees of its children.
    private func tree(of values: [ConfigTree], allowsArray: Bool) throws(DiscfgError) -> ConfigTree {
        if let item, children.isEmpty { return try ConfigTree(item.value, of: item.key) }
        let segments = children.map { PathSegment($0.segment) }
        if allowsArray, ArrayIndex.areAll(segments.map(\.index)) {
            return .array(zip(segments, values).sorted { ($0.0.index ?? 0) < ($1.0.index ?? 0) }.map(\.1))
        }
        return .object(try members(segments, values))
    }

    private func members(_ segments: [PathSegment], _ values: [ConfigTree]) throws(DiscfgError) -> [ConfigTree.Member] {
        var first: [[UInt8]: Int] = [:]
        for (position, segment) in segments.enumerated() {
            // “a~x” and “a~0x” are two keys and one name.
            if let other = first.updateValue(position, forKey: Array(segment.name.utf8)) {
                let keys = [other, position].compactMap { children[$0].directory.firstKey?.description }
                throw .invalid(
                    "The keys “\(keys.joined(separator: "” and “"))” have one name in the file.",
                    hint: "Rename one of them.")
            }
        }
        return zip(segments, values).map { ConfigTree.Member(name: $0.name, value: $1) }
    }

    /// The value of the root itself, where nothing is below it.
    func rootValue() throws(DiscfgError) -> ConfigTree {
        let tree = try tree()
        guard let item else { return tree }
        guard case .object = tree else {
            throw .invalid(
                "“\(item.key)” is a single value, not a directory.", hint: "Read it with “discfg get \(item.key)”."
            ).overHTTP("Read it with GET /v1/CONFIG/keys\(item.key).")
        }
        return tree
    }

    /// The key of the first item at or below the directory.
    private var firstKey: Key? {
        var rest = [self]
        while let directory = rest.popLast() {
            if let item = directory.item { return item.key }
            rest += directory.children.reversed().map(\.directory)
        }
        return nil
    }

    private func conflict(_ key: Key) -> DiscfgError {
        let below = children.lazy.compactMap { $0.directory.firstKey }.first?.description ?? "\(key)/"
        return .invalid(
            "“\(key)” is a value, and “\(below)” is below it; a file can hold only one of them.",
            hint: "Rename or delete one, or export a prefix that has only one.")
    }
}
