import DiscfgCore

/// Reads a directory as it stands at one revision: what is right in it, or all that is below it.
struct DirectoryReader {
    /// The most bytes that one listing holds.
    static let maximumBytes = 64 << 20
    /// What a node weighs beside its key and value.
    private static let nodeWeight = 64
    private static let longestPage = 1000

    let snapshot: SnapshotReader
    let path: DirectoryPath
    let isRecursive: Bool

    /// The directory.
    ///
    /// - Returns: The node and the revision at which it stood so; no node where nothing is at the path or below it.
    /// - Throws: `tooLarge`, and what the engine throws.
    func read() async throws -> (node: DirectoryNode?, revision: Revision?) {
        var items: [Item] = []
        var (rest, revision): (KeyRange?, Revision?) = (path.tree, nil)
        var weight = 0
        var snapshot = snapshot
        var length = isRecursive ? Self.longestPage : snapshot.engine.traits.pageLength
        while let range = rest {
            let page = try await snapshot.page(of: range, at: revision, isPaging: true, limit: length)
            (revision, rest) = (page.revision, page.rest)
            let skipped = take(page.items, into: &items, weight: &weight)
            guard weight <= Self.maximumBytes else { throw tooLarge }
            if let skipped, let remaining = rest, remaining.lower.lexicographicallyPrecedes(skipped) {
                rest = KeyRange(from: skipped, to: remaining.upper)
            } else {
                length = min(length * 2, Self.longestPage)
            }
        }
        return (node(of: items), revision)
    }

    /// Takes what counts of a page; of each directory in the directory, unless all is read, only its first key.
    ///
    /// - Returns: Where to go on when the page ended inside such a directory.
    private func take(_ page: [Item], into items: inout [Item], weight: inout Int) -> [UInt8]? {
        for item in page {
            if !isRecursive, let last = items.last, let end = child(of: last), item.key.bytes.starts(with: end) {
                continue
            }
            guard DirectoryPath(naming: item.key) != nil else { continue }
            items.append(item)
            weight += item.weight + Self.nodeWeight
        }
        guard !isRecursive, let last = items.last else { return nil }
        return child(of: last)?.prefixEnd
    }

    /// The key of the directory right in the directory that the item is in or stands for.
    private func child(of item: Item) -> [UInt8]? {
        let start = path.directory.bytes.count
        guard item.key.bytes.count > start else { return nil }
        return item.key.bytes[start...].firstIndex(of: UInt8(ascii: "/")).map { Array(item.key.bytes[...$0]) }
    }

    private func node(of items: [Item]) -> DirectoryNode? {
        var node: DirectoryNode
        if path.isRoot {
            node = DirectoryNode(path: path, isDirectory: true, created: 0, modified: 0)
        } else if let first = items.first {
            node =
                first.key == path.directory
                ? DirectoryNode(first, at: path) : DirectoryNode(impliedBy: first, at: path)
        } else {
            return nil
        }
        node.children = children(of: path, among: items[...])
        return node
    }

    /// What is right in a directory, in the order of the paths, without what is hidden; where a key is both, it is a file.
    private func children(of directory: DirectoryPath, among items: ArraySlice<Item>) -> [DirectoryNode] {
        var nodes: [DirectoryNode] = []
        let start = directory.directory.bytes.count
        var rest = items
        if rest.first?.key == directory.directory { rest.removeFirst() }
        while let first = rest.first {
            let slash = first.key.bytes[start...].firstIndex(of: UInt8(ascii: "/"))
            let isHidden = first.key.bytes[start] == UInt8(ascii: "_")
            guard let slash else {
                if !isHidden, let path = DirectoryPath(naming: first.key) {
                    nodes.append(DirectoryNode(first, at: path))
                }
                rest.removeFirst()
                continue
            }
            let key = Key(unchecked: Array(first.key.bytes[...slash]))
            let inside = rest.prefix { $0.key.bytes.starts(with: key.bytes) }
            rest = rest[inside.endIndex...]
            guard !isHidden, let path = DirectoryPath(naming: key) else { continue }
            var node = first.key == key ? DirectoryNode(first, at: path) : DirectoryNode(impliedBy: first, at: path)
            if isRecursive { node.children = children(of: path, among: inside) }
            nodes.append(node)
        }
        return nodes.inOrder
    }

    private var tooLarge: DiscfgError {
        DiscfgError(
            .tooLarge, "The directory “\(path)” holds more than \(Self.maximumBytes) bytes.",
            hint: "List the directories in it one by one.")
    }
}

extension [DirectoryNode] {
    /// In the order of their paths, one for each: a directory's key comes later than its path.
    fileprivate var inOrder: [DirectoryNode] {
        let sorted = sorted { left, right in
            left.path == right.path ? !left.isDirectory && right.isDirectory : left.path.file < right.path.file
        }
        var nodes: [DirectoryNode] = []
        nodes.reserveCapacity(sorted.count)
        for node in sorted where nodes.last?.path != node.path { nodes.append(node) }
        return nodes
    }
}
