import AWSClient

/// The values of an event, by the names that lead to them: `dynamodb.NewImage.state.S`.
///
/// An array's elements have the path of the array; which elements a value lies in is kept, so that all parts of a
/// pattern are found in the same element.
struct EventLeaves {
    /// One value, and which element of which array it is part of.
    struct Leaf {
        var value: AttributeValue
        var places: [Int: Int]
    }

    /// By the bytes of the names: to Swift, the same character in two spellings is the same text.
    private var leaves: [[UInt8]: [Leaf]] = [:]
    private var arrays = 0

    init(of object: AttributeValue) { add(object, at: "", in: [:]) }

    subscript(path: String) -> [Leaf] { leaves[Array(path.utf8)] ?? [] }

    private mutating func add(_ value: AttributeValue, at path: String, in places: [Int: Int]) {
        switch value {
        case .map(let members):
            for (name, member) in members { add(member, at: Self.path(path, name), in: places) }
        case .list(let elements):
            let array = arrays
            arrays += 1
            for (index, element) in elements.enumerated() {
                var inner = places
                // Plain values of one array are together: sets and lists are searched as a whole.
                if element.map != nil || element.list != nil { inner[array] = index }
                add(element, at: path, in: inner)
            }
        default: leaves[Array(path.utf8), default: []].append(Leaf(value: value, places: places))
        }
    }

    /// The path of a member; a dot in a name is not told apart from a level.
    static func path(_ path: String, _ name: String) -> String { path.isEmpty ? name : path + "." + name }
}
