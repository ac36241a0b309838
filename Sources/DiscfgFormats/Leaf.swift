public import DiscfgCore

/// One value of a configuration file, with the path that becomes its key.
///
/// - A string is `text/plain`; a number, `true`, `false`, `null`, an empty object and an array are `application/json`.
/// - What JSON has no type for is text with a parameter: `text/plain; type=` `offset-date-time`, `local-date-time`,
///   `local-date`, `local-time`, `float` (inf, nan) or `yaml` (a number that YAML readers disagree on, as it was written).
///   YAML's `!!binary` is `application/octet-stream; type=binary`.
/// - A `~` inside a name is written `~0`, a `/` `~1`; the empty name is the segment `~m`.
/// - A split array has a segment for each element: `0`, `1`, and so on. On export a directory with exactly these names,
///   and no gap, is an array. The names of a *map* that has just these names get `~m` in front, so that it stays a map.
public struct Leaf: Sendable, Hashable {
    /// Below the root of the file: segments with `/` between them and none in front.
    public let path: String
    /// What the key is to hold.
    public let value: Value

    /// A leaf at a path, which must be escaped.
    public init(path: String, value: Value) {
        self.path = path
        self.value = value
    }

    static func leaves(
        of tree: ConfigTree, splitArrays: Bool, cancellation: WorkCancellation = WorkCancellation()
    ) throws(DiscfgError) -> [Leaf] {
        var collector = LeafCollector(splitArrays: splitArrays, cancellation: cancellation)
        switch tree {
        case .object: try collector.collect(below: tree)
        case .array(let elements) where splitArrays && !elements.isEmpty: try collector.collect(below: tree)
        case .array(let elements) where elements.isEmpty:
            throw .invalid(
                "The file holds an empty list, and nothing to import.", hint: "Import an object with names and values.")
        case .array:
            throw .invalid(
                "The file holds a list at its root.",
                hint: "Import it with “--split-arrays”, which makes a key of each element."
            ).overHTTP("Import it with ?splitArrays, which makes a key of each element.")
        default:
            throw .invalid(
                "The file holds a single value at its root, without a name.",
                hint: "Import an object with names and values.")
        }
        return collector.leaves
    }
}

private struct LeafCollector {
    let splitArrays: Bool
    let cancellation: WorkCancellation
    var leaves: [Leaf] = []

    /// Appends the leaves below an object or array, without recursion.
    mutating func collect(below root: ConfigTree) throws(DiscfgError) {
        var open = [OpenNode(root, at: "")]
        while let last = open.indices.last {
            guard let (tree, path) = open[last].next() else {
                open.removeLast()
                continue
            }
            // Here and not with the keys: the paths of all values below a name of a megabyte would be gigabytes.
            guard path.utf8.count < Key.maximumLength else {
                throw DirectoryPath.tooLong(path, length: path.utf8.count + 1)
            }
            if isSplit(tree) { open.append(OpenNode(tree, at: path + "/")) } else { try append(tree, at: path) }
        }
    }

    /// Whether it has a leaf for each of its children.
    private func isSplit(_ tree: ConfigTree) -> Bool {
        switch tree {
        case .object: tree.hasChildren
        case .array: tree.hasChildren && (splitArrays || tree.holdsTypedScalar)
        default: false
        }
    }

    private mutating func append(_ tree: ConfigTree, at path: String) throws(DiscfgError) {
        guard leaves.count < ConfigFormat.maximumLeaves else {
            throw DiscfgError(
                .tooLarge,
                "The file makes more than \(ConfigFormat.maximumLeaves) keys, the most that one import takes.",
                hint: splitArrays
                    ? "Import it without splitting arrays, or split the file."
                    : "Split the file, and import each part.")
        }
        if leaves.count & 0xFF == 0 { try cancellation.check() }
        leaves.append(Leaf(path: path, value: tree.leafValue))
    }
}

/// An object or array whose children are being visited.
private struct OpenNode {
    private let tree: ConfigTree
    private let path: String
    /// Whether the names of an object need a mark, because they are those of an array.
    private let asMembers: Bool
    private var position = 0

    init(_ tree: ConfigTree, at path: String) {
        (self.tree, self.path) = (tree, path)
        if case .object(let members) = tree {
            asMembers = ArrayIndex.areAll(members.map { ArrayIndex.index(of: $0.name.utf8) })
        } else {
            asMembers = false
        }
    }

    /// The next child, with its path.
    mutating func next() -> (tree: ConfigTree, path: String)? {
        guard let child = tree.child(at: position) else { return nil }
        defer { position += 1 }
        guard case .object(let members) = tree else { return (child, path + String(position)) }
        return (child, path + PathSegment.escape(members[position].name, asMember: asMembers))
    }
}
