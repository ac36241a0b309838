/// Values to import, with their keys, and what an import of them does to each key of the config.
///
/// A key is changed if its bytes or its content type differ. Elements that an array had before are removed also if the
/// import does not prune, so that a shorter array, or one that was split and now is not, leaves none behind.
///
/// A key that has a lease is left as it is: a lock, an election or a registration belongs to a process that is alive. If
/// it were set, it would lose its lease and never expire; if it were removed, it would be taken from its holder.
public struct ImportedValues: Sendable {
    /// The prefix, the condition, the author and the message of the import.
    public private(set) var request: ImportRequest
    /// The values by their complete keys, the prefix included.
    public let values: [Key: Value]
    /// The imported keys in their order.
    package let keys: [Key]
    /// The keys below the prefix; for `/` those that begin with `/`.
    package let ranges: [KeyRange]
    private let arrays: ImportedArrays
    private static let maximumArrays = 64

    /// Checks the values.
    ///
    /// - Throws: `DiscfgError` with code `invalidRequest` for an import that prunes and has no value, `invalidName` for a
    ///   prefix that is not a path and for a key that is not below it, `tooLarge` and `invalidRequest` for a value that
    ///   cannot be stored; these name the key.
    public init(_ values: [Key: Value], for request: ImportRequest = ImportRequest()) throws(DiscfgError) {
        let selection = try KeySelection.below(request.prefix)
        ranges = selection == .all ? [.prefix([UInt8(ascii: "/")])] : selection.ranges
        (self.request, self.values) = (request, values)
        keys = values.keys.sorted()
        let count = selection == .bare ? 0 : ranges[0].lower.count
        for key in keys where !ranges.contains(where: { $0.contains(key) }) {
            throw DiscfgError(
                .invalidName, "The key “\(key)” is not below the prefix “\(request.prefix)”.",
                hint: "Import it with a prefix that it begins with.")
        }
        for (key, value) in values { try Self.check(value, of: key) }
        guard !request.prunes || !values.isEmpty else {
            // As a rule the output of a command that has failed.
            throw DiscfgError.invalid(
                "There is nothing to import, and the import would delete every key below “\(request.prefix)”.",
                hint: "Delete the directory instead, or import without pruning.")
        }
        let arrays = ImportedArrays(values.map { ($0.key.bytes.dropFirst(count), $0.value) })
        self.arrays = arrays
        // Of many arrays all is read at once, instead of the elements of each.
        removable =
            request.prunes || arrays.count > Self.maximumArrays
            ? ranges : arrays.ranges(below: selection == .bare ? [] : ranges[0].lower)
    }

    private static func check(_ value: Value, of key: Key) throws(DiscfgError) {
        guard value.bytes.count > Value.maximumLength else { return try value.validate() }
        let error = DiscfgError(
            .tooLarge,
            "The value of “\(key)” has \(value.bytes.count) bytes; the most is \(Value.maximumLength) (1.5 MiB).",
            hint: value.isJSON
                ? "Import with “--split-arrays”, which makes a key of each element." : "Store it elsewhere.")
        throw value.isJSON ? error.overHTTP("Import with ?splitArrays, which makes a key of each element.") : error
    }

    /// The ranges, in order and without overlap, that may have keys to remove.
    package let removable: [KeyRange]

    /// The part of a key below the prefix; `nil` if the key is elsewhere.
    private func path(of key: Key) -> ArraySlice<UInt8>? {
        guard ranges.contains(where: { $0.contains(key) }) else { return nil }
        return key.bytes.dropFirst(ranges.count == 1 ? ranges[0].lower.count : 0)
    }

    /// Whether the result of the import depends on a key.
    package func concerns(_ key: Key) -> Bool {
        if values[key] != nil { return true }
        guard !removable.isEmpty, let path = path(of: key) else { return false }
        return request.prunes || arrays.isSplit(path) || arrays.hasDropped(path)
    }

    /// The same values for another author.
    package func authored(by author: String) -> ImportedValues {
        var values = self
        values.request.author = author
        return values
    }

    /// What an import does to a key.
    package enum Verdict { case add, change, remove, keep, leaveOut, ignore }

    package func verdict(on key: Key, _ item: Item?) -> Verdict {
        if let value = values[key] {
            guard let item else { return .add }
            if item.value == value { return .keep }
            return item.lease == nil ? .change : .leaveOut
        }
        guard !removable.isEmpty, let item, let path = path(of: key), !(item.isDirectory && path.isEmpty) else {
            return .ignore
        }
        let isOld = request.prunes || arrays.hasDropped(path) || (item.value.isJSONArray && arrays.isSplit(path))
        return !isOld ? .ignore : item.lease == nil ? .remove : .leaveOut
    }
}

/// What an import would change: a pure comparison of its values with the current items.
public struct ImportPlan: Sendable {
    /// Keys that do not exist yet.
    public private(set) var added: [Key] = []
    /// Keys whose value differs.
    public private(set) var changed: [Key] = []
    /// Keys that the import deletes.
    public private(set) var removed: [Key] = []
    /// The number of keys that already have the imported value.
    public private(set) var unchanged = 0
    /// The number of keys that are left as they are because they have a lease.
    public var leftOut: Int { leftOutKeys.count }
    private var leftOutKeys: [Key] = []
    /// The revision at which the config was compared.
    public var revision: Revision = 0

    package init() {}

    /// Compares; `current` has the items below the prefix, and others are ignored.
    public init(_ values: ImportedValues, current: [Key: Item]) {
        for key in values.keys { note(values.verdict(on: key, current[key]), on: key) }
        for (key, item) in current where values.values[key] == nil { note(values.verdict(on: key, item), on: key) }
        removed.sort()
    }

    /// How many keys the import adds, changes and removes, and how many it leaves as they are.
    public var counts: ImportCounts {
        ImportCounts(
            added: added.count, changed: changed.count, removed: removed.count, unchanged: unchanged, leftOut: leftOut)
    }

    /// What the import would answer, without a commit.
    public var outcome: ImportOutcome { ImportOutcome(counts: counts, revision: revision, commits: 0) }

    package mutating func note(_ verdict: ImportedValues.Verdict, on key: Key) {
        switch verdict {
        case .add: added.append(key)
        case .change: changed.append(key)
        case .remove: removed.append(key)
        case .keep: unchanged += 1
        case .leaveOut: leftOutKeys.append(key)
        case .ignore: break
        }
    }

    /// Adds what a step did that follows this one.
    package mutating func append(_ next: ImportPlan) {
        added += next.added
        changed += next.changed
        removed += next.removed
        unchanged += next.unchanged
        leftOutKeys += next.leftOutKeys
    }

    /// Counts what was done of the same import before it began again, but for keys that have a lease since.
    package mutating func include(_ earlier: ImportPlan) {
        let known = Set(added + changed + removed + leftOutKeys)
        let before = added.count + changed.count
        added += earlier.added.filter { !known.contains($0) }
        changed += earlier.changed.filter { !known.contains($0) }
        unchanged -= added.count + changed.count - before
        removed += earlier.removed.filter { !known.contains($0) }
    }
}
