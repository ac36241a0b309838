public import DiscfgCore

/// What an import is to change: a pure comparison of a file with the current items.
///
/// A key is changed when its bytes or its content type differ. An array counts as one value: keys at or below it that the
/// file does not have are removed with or without `prune`, so that a shorter array, or one that was split and now is not,
/// does not leave elements behind. Operations come in the order of their keys.
///
/// A key that has a lease is left as it is: a lock, an election or a registration belongs to a process that is alive, not to the
/// file. Set, it would lose its lease and never end; removed, it would be taken from its holder.
public struct ImportPlan: Sendable {
    /// What to do; empty when the file says what is there already.
    public private(set) var operations: [Operation] = []
    /// Keys that the file brings.
    public private(set) var added: [Key] = []
    /// Keys whose value differs.
    public private(set) var changed: [Key] = []
    /// Keys that the import deletes.
    public private(set) var removed: [Key] = []
    /// How many keys hold already what the file says.
    public private(set) var unchanged = 0
    /// How many keys the file sets or removes, and the import leaves as they are because they have a lease.
    public private(set) var leftOut = 0
    /// The revision at which the config was compared.
    public var revision: Revision = 0
    /// Every key that the comparison depends on: those of the file, and those that are deleted; not those that are left out.
    private(set) var keys: [Key] = []

    /// Whether nothing is added, changed or removed.
    public var isEmpty: Bool { added.isEmpty && changed.isEmpty && removed.isEmpty }

    /// A plan that changes nothing.
    init() {}

    /// Compares.
    ///
    /// `current` has the items below the prefix (others are ignored). With `prune`, keys below the prefix that the file
    /// does not have are deleted.
    ///
    /// - Throws: `DiscfgError` with code `invalidName` for a prefix that is no path and for a path that makes too long a key,
    ///   `tooLarge` for a value of more than 1.5 MiB; both name the path.
    public init(
        current: [Key: Item], leaves: [Leaf], prefix: String = "/", prune: Bool = false
    ) throws(DiscfgError) {
        let root = try DirectoryPath(prefix)
        let owners = ArrayOwners(leaves)
        var wanted: [Key: Value] = [:]
        wanted.reserveCapacity(leaves.count)
        for leaf in leaves {
            let key = try root.key(leaf.path)
            try Self.check(leaf.value, of: key)
            wanted[key] = leaf.value
        }
        var steps: [(key: Key, operation: Operation)] = []
        for (key, value) in wanted {
            let item = current[key]
            if item?.value == value {
                unchanged += 1
            } else if item?.lease != nil {
                leftOut += 1
                continue
            } else {
                if item == nil { added.append(key) } else { changed.append(key) }
                steps.append((key, .set(key, value)))
            }
            keys.append(key)
        }
        for (key, item) in current where wanted[key] == nil {
            guard let path = root.relative(key), prune || owners.own(path) else { continue }
            guard item.lease == nil else {
                leftOut += 1
                continue
            }
            removed.append(key)
            steps.append((key, .delete(key)))
        }
        operations = steps.sorted { $0.key < $1.key }.map(\.operation)
        keys += removed
        added.sort()
        changed.sort()
        removed.sort()
    }

    /// The keys that must not have changed since the comparison.
    ///
    /// Those that it depends on; with `prune` all below the prefix, so that no key is left that the file does not have; with a
    /// revision that the config must be at, all there are.
    func selections(for request: ImportRequest) throws(DiscfgError) -> [KeySelection] {
        if request.ifRevision != nil { return [.all] }
        if request.prunes || keys.count > Self.maximumConditions { return [try .below(request.prefix)] }
        return keys.map { .key($0) }
    }

    /// The most conditions on single keys in one transaction.
    private static let maximumConditions = 10_000

    /// Counts what was done of an earlier plan for the same file.
    mutating func include(_ earlier: ImportPlan, operations count: Int) {
        let known = Set(added + changed + removed)
        let done = Set(earlier.operations.prefix(count).compactMap(\.importedKey)).subtracting(known)
        let before = added.count + changed.count
        added = (added + earlier.added.filter(done.contains)).sorted()
        changed = (changed + earlier.changed.filter(done.contains)).sorted()
        unchanged -= added.count + changed.count - before
        removed = (removed + earlier.removed.filter(done.contains)).sorted()
    }

    private static func check(_ value: Value, of key: Key) throws(DiscfgError) {
        guard value.bytes.count > Value.maximumLength else { return }
        throw DiscfgError(
            .tooLarge,
            "The value of “\(key)” has \(value.bytes.count) bytes; the most is \(Value.maximumLength) (1.5 MiB).",
            hint: value.isJSON
                ? "Import with “--split-arrays”, which makes a key of each element." : "Store it elsewhere.")
    }
}

extension Operation {
    /// The key that an operation of an import sets or deletes.
    fileprivate var importedKey: Key? {
        switch self {
        case .set(let key, _, _), .delete(let key): key
        default: nil
        }
    }
}

/// The paths at which a file has arrays, as one leaf or split.
private struct ArrayOwners {
    private var paths: Set<[UInt8]> = []

    init(_ leaves: [Leaf]) {
        var indexes: [[UInt8]: [[UInt8]: Int?]] = [:]
        for leaf in leaves {
            let bytes = Array(leaf.path.utf8)
            if leaf.value.isJSON, leaf.value.bytes.first == UInt8(ascii: "[") { paths.insert(bytes) }
            var start = 0
            for end in bytes.indices where bytes[end] == UInt8(ascii: "/") {
                Self.note(bytes[start..<end], in: bytes[..<max(start - 1, 0)], &indexes)
                start = end + 1
            }
            Self.note(bytes[start...], in: bytes[..<max(start - 1, 0)], &indexes)
        }
        for (directory, names) in indexes where PathSegment.areIndexes(Array(names.values)) { paths.insert(directory) }
    }

    private static func note(
        _ segment: ArraySlice<UInt8>, in directory: ArraySlice<UInt8>, _ indexes: inout [[UInt8]: [[UInt8]: Int?]]
    ) {
        let index = segment.first.map { $0 >= 0x30 && $0 <= 0x39 } == true ? PathSegment(segment).index : nil
        indexes[Array(directory), default: [:]].updateValue(index, forKey: Array(segment))
    }

    /// Whether the path is, or is below, one of them.
    func own(_ path: ArraySlice<UInt8>) -> Bool {
        if paths.isEmpty { return false }
        if paths.contains([]) || paths.contains(Array(path)) { return true }
        return path.indices.contains { path[$0] == UInt8(ascii: "/") && paths.contains(Array(path[..<$0])) }
    }
}

extension ImportPlan {
    /// Writes what the import did, or would do: `{"action":"import","dryRun":false,"added":2,"changed":0,"removed":0,"unchanged":5,"leftOut":0,"cfgVersion":7}`.
    public func write(to writer: inout JSONWriter, dryRun: Bool, revision: Revision) {
        writer.object { writer in
            writer.member("action", "import")
            writer.name("dryRun")
            writer.value(.bool(dryRun))
            writer.member("added", added.count)
            writer.member("changed", changed.count)
            writer.member("removed", removed.count)
            writer.member("unchanged", unchanged)
            writer.member("leftOut", leftOut)
            writer.member("cfgVersion", revision)
        }
    }
}
