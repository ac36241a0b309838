/// Makes a result of a tree from the leaves up, without recursion: the stack it needs does not depend on the depth of the tree.
///
/// - Parameters:
///   - root: The tree.
///   - children: The nodes directly below a node, in order; it is called for a node before it is called for those.
///   - combine: The result of a node and the results of its children.
/// - Returns: The result of the root.
/// - Throws: What `children` and `combine` throw.
func fold<Node, Result, Failure: Error>(
    _ root: Node, children: (Node) throws(Failure) -> [Node], combine: (Node, [Result]) throws(Failure) -> Result
) throws(Failure) -> Result {
    var open: [(node: Node, children: [Node], results: [Result])] = []
    var node = root
    while true {
        open.append((node, try children(node), []))
        while let last = open.indices.last, open[last].results.count == open[last].children.count {
            let done = open.removeLast()
            let result = try combine(done.node, done.results)
            guard last > 0 else { return result }
            open[last - 1].results.append(result)
        }
        let last = open.count - 1
        node = open[last].children[open[last].results.count]
    }
}
