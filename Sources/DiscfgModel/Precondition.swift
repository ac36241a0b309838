/// A condition on a key, or on every key of a range, under which a transaction's changes are made.
public struct Precondition: Sendable, Hashable {
    /// The test of a condition.
    public enum Test: Sendable, Hashable {
        case absent
        case present
        /// The key has this version; 0 means that it is absent.
        case version(Int64)
        /// This revision changed the key last; 0 means that it is absent.
        case revision(Revision)
        /// The value is exactly these bytes.
        case value([UInt8])
        /// A property of the key compares to an operand as the relation states.
        case compare(Operand, Relation)
        /// No commit after the revision has changed any of these keys; the precondition's own key is ignored.
        ///
        /// It fails for a revision after the newest, if the commits after the revision were compacted, and if there are
        /// more than a thousand of them.
        case unchanged(KeySelection, since: Revision)
    }

    /// The operand of a comparison with a property of a key; the numbers of an absent key are 0.
    public enum Operand: Sendable, Hashable {
        case version(Int64)
        /// The revision that created the key.
        case created(Revision)
        /// The revision of the last change.
        case modified(Revision)
        /// The lease that the key is attached to; 0 for none.
        case lease(Int64)
        /// An absent key has no value to compare: no relation holds.
        case value([UInt8])
    }

    /// The relation between the key's property and the operand.
    public enum Relation: Sendable, Hashable {
        case equal, notEqual, less, greater
    }

    /// The key whose item is tested; the beginning of the range if there is one.
    public var key: Key
    /// A range of which every key must pass the test; `nil` for `key` alone.
    ///
    /// If the range is empty, an absent key must pass the test.
    ///
    /// Markers of directories count as absent, also as `key`, as in the listing of a range.
    public var range: KeyRange?
    /// What must hold for the key, or for every key of the range.
    public var test: Test

    /// A condition on one key, or on every key of a range.
    public init(_ key: Key, _ test: Test, over range: KeyRange? = nil) {
        self.key = key
        self.range = range
        self.test = test
    }

    /// The condition that no commit after a revision has changed any of the selected keys.
    public static func unchanged(_ selection: KeySelection, since revision: Revision) -> Precondition {
        Precondition(selection.onlyKey ?? Key(unchecked: Array("/".utf8)), .unchanged(selection, since: revision))
    }

    /// The key that the condition names; `nil` if it is a condition on a range of keys.
    package var onlyKey: Key? {
        if case .unchanged(let selection, _) = test { return selection.onlyKey }
        return key
    }

    /// Whether the condition holds for the key's item; `nil` if the key is absent.
    ///
    /// `unchanged` cannot be tested on one item, and fails.
    public func holds(for item: Item?) -> Bool {
        switch test {
        case .absent: item == nil
        case .present: item != nil
        case .version(let version): (item?.version ?? 0) == version
        case .revision(let revision): (item?.modified ?? 0) == revision
        case .value(let bytes): item?.value.bytes == bytes
        case .compare(let operand, let relation): relation.holds(between: item, and: operand)
        case .unchanged: false
        }
    }

    /// The condition as a phrase that ends “…, but”; shows no value.
    var phrase: String {
        switch test {
        case .absent: "“\(key)” to be absent"
        case .present: "“\(key)” to be present"
        case .version(let version): "“\(key)” to have version \(version)"
        case .revision(let revision): "“\(key)” to be at revision \(revision)"
        case .value: "“\(key)” to hold the given value"
        case .compare: "“\(key)” to compare as given"
        case .unchanged(.all, let revision): "the config to be at revision \(revision) still"
        case .unchanged(let selection, let revision): "“\(selection.path)” to be unchanged since revision \(revision)"
        }
    }
}

extension Precondition.Relation {
    fileprivate func holds(between item: Item?, and operand: Precondition.Operand) -> Bool {
        switch operand {
        case .version(let version): holds(between: item?.version ?? 0, and: version)
        case .created(let revision): holds(between: item?.created ?? 0, and: revision)
        case .modified(let revision) where isPlanted(.absentEqualsAnything):
            holds(between: item?.modified ?? revision, and: revision)
        case .modified(let revision): holds(between: item?.modified ?? 0, and: revision)
        case .lease(let lease): holds(between: item?.lease ?? 0, and: lease)
        case .value(let bytes): item.map { holds(between: $0.value.bytes, and: bytes) } ?? false
        }
    }

    private func holds(between left: Int64, and right: Int64) -> Bool {
        switch self {
        case .equal: left == right
        case .notEqual: left != right
        case .less: left < right
        case .greater: left > right
        }
    }

    private func holds(between left: [UInt8], and right: [UInt8]) -> Bool {
        switch self {
        case .equal: left == right
        case .notEqual: left != right
        case .less: left.lexicographicallyPrecedes(right)
        case .greater: right.lexicographicallyPrecedes(left)
        }
    }
}
