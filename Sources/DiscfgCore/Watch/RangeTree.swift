/// Ranges of keys, in a tree that finds those around a key.
///
/// A treap in the order of the ranges, in which each node knows the greatest end below it. Adding, removing and each range
/// that is found take logarithmic time on average. The nodes are immutable, and a change copies the path to its place.
struct RangeTree: Sendable {
    private final class Node: Sendable {
        let range: KeyRange
        /// The heap order, which keeps the tree balanced: random, and the same for the same range.
        let priority: Int
        let left: Node?
        let right: Node?
        /// The greatest end of this range and those below; `nil` for no end.
        let end: [UInt8]?

        init(_ range: KeyRange, priority: Int, left: Node?, right: Node?) {
            (self.range, self.priority, self.left, self.right) = (range, priority, left, right)
            var end = range.upper
            for child in [left, right] {
                guard let child else { continue }
                if let old = end, let new = child.end {
                    if old.lexicographicallyPrecedes(new) { end = new }
                } else {
                    end = nil
                }
            }
            self.end = end
        }

        func with(left: Node?, right: Node?) -> Node {
            Node(range, priority: priority, left: left, right: right)
        }
    }

    private var root: Node?

    /// Adds a range that is not there yet.
    mutating func insert(_ range: KeyRange) {
        let (before, after) = Self.split(root, at: range)
        let node = Node(range, priority: range.hashValue, left: nil, right: nil)
        root = Self.join(Self.join(before, node), after)
    }

    /// Removes a range, if it is there.
    mutating func remove(_ range: KeyRange) { root = Self.removing(range, from: root) }

    /// Calls `body` with each range that contains the key.
    func forEach(around key: Key, _ body: (KeyRange) -> Void) { Self.visit(root, key, body) }

    private static func visit(_ node: Node?, _ key: Key, _ body: (KeyRange) -> Void) {
        guard let node, node.end.map({ key.bytes.lexicographicallyPrecedes($0) }) ?? true else { return }
        visit(node.left, key, body)
        // Those to the right begin here or later.
        if key.bytes.lexicographicallyPrecedes(node.range.lower) { return }
        if node.range.contains(key) { body(node.range) }
        visit(node.right, key, body)
    }

    /// The ranges before one, and the others.
    private static func split(_ node: Node?, at range: KeyRange) -> (before: Node?, after: Node?) {
        guard let node else { return (nil, nil) }
        if node.range.precedes(range) {
            let (before, after) = split(node.right, at: range)
            return (node.with(left: node.left, right: before), after)
        }
        let (before, after) = split(node.left, at: range)
        return (before, node.with(left: after, right: node.right))
    }

    /// One tree of two, of which the ranges of the first are before those of the second.
    private static func join(_ first: Node?, _ second: Node?) -> Node? {
        guard let first else { return second }
        guard let second else { return first }
        if first.priority > second.priority {
            return first.with(left: first.left, right: join(first.right, second))
        }
        return second.with(left: join(first, second.left), right: second.right)
    }

    private static func removing(_ range: KeyRange, from node: Node?) -> Node? {
        guard let node else { return nil }
        if node.range == range { return join(node.left, node.right) }
        if node.range.precedes(range) {
            return node.with(left: node.left, right: removing(range, from: node.right))
        }
        return node.with(left: removing(range, from: node.left), right: node.right)
    }
}

extension KeyRange {
    /// The order by the beginnings, and by the ends of ranges that begin together.
    fileprivate func precedes(_ other: KeyRange) -> Bool {
        if lower != other.lower { return lower.lexicographicallyPrecedes(other.lower) }
        guard let upper else { return false }
        return other.upper.map { upper.lexicographicallyPrecedes($0) } ?? true
    }
}
