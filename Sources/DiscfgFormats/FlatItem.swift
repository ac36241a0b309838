import DiscfgCore

/// One line of a format that has names and texts and nothing else: dotenv and Java properties.
struct FlatItem {
    let name: String
    let text: String
    let key: Key

    /// The items below a directory, in the order of their keys, each named by its segments.
    ///
    /// - Throws: `DiscfgError` that names both keys where two get one name, and the key where `name` finds none.
    static func items(
        _ items: [Key: Value], under root: DirectoryPath, name: ([String]) -> String?
    ) throws(DiscfgError) -> [FlatItem] {
        var result: [FlatItem] = []
        var keys: [[UInt8]: Key] = [:]
        for (key, value) in items.sorted(by: { $0.key < $1.key }) {
            guard root.relative(key) != nil, !DirectoryPath.isMarker(key, value) else { continue }
            guard let segments = root.segments(of: key),
                let name = name(segments.map { PathSegment($0).name })
            else {
                throw .invalid(
                    "The key “\(key)” has no name in this format.", hint: "Rename it, or export as JSON or YAML.")
            }
            if let other = keys.updateValue(key, forKey: Array(name.utf8)) {
                throw .invalid(
                    "The keys “\(other)” and “\(key)” are both “\(name)” in this format.",
                    hint: "Rename one of them, or export as JSON or YAML.")
            }
            result.append(FlatItem(name: name, text: try ConfigTree(value, of: key).flatText, key: key))
        }
        return result
    }
}
