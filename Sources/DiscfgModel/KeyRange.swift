/// A contiguous range of keys: from `lower`, up to and without `upper`.
public struct KeyRange: Sendable, Hashable {
    /// The least bytes inside; empty means from the first key.
    public var lower: [UInt8]
    /// The least bytes beyond, or `nil` for no end.
    public var upper: [UInt8]?

    /// A range of keys.
    public init(from lower: [UInt8], to upper: [UInt8]?) {
        self.lower = lower
        self.upper = upper
    }

    /// Every key.
    public static let all = KeyRange(from: [], to: nil)

    /// One key alone.
    public static func key(_ key: Key) -> KeyRange { KeyRange(from: key.bytes, to: key.bytes + [0]) }

    /// Every key that begins with these bytes.
    public static func prefix(_ bytes: [UInt8]) -> KeyRange { KeyRange(from: bytes, to: bytes.prefixEnd) }

    /// Every key beyond this one that begins with it: what is below a directory whose key ends in `/`.
    public static func below(_ directory: Key) -> KeyRange {
        KeyRange(from: directory.bytes + [0], to: directory.bytes.prefixEnd)
    }

    /// Whether every key of the other is in this one.
    public func covers(_ other: KeyRange) -> Bool {
        guard !other.lower.lexicographicallyPrecedes(lower) else { return false }
        guard let upper else { return true }
        return other.upper.map { !upper.lexicographicallyPrecedes($0) } ?? false
    }

    /// Whether the key is inside.
    public func contains(_ key: Key) -> Bool {
        !key.bytes.lexicographicallyPrecedes(lower) && (upper.map { key.bytes.lexicographicallyPrecedes($0) } ?? true)
    }

    /// The only key of the range; `nil` if it may contain others.
    public var onlyKey: Key? {
        guard let upper, upper.count == lower.count + 1, upper.last == 0, upper.dropLast().elementsEqual(lower) else {
            return nil
        }
        return try? Key(bytes: lower)
    }

    /// The part of the range beyond a key.
    public func after(_ key: Key) -> KeyRange {
        let next = key.bytes + [0]
        return KeyRange(from: lower.lexicographicallyPrecedes(next) ? next : lower, to: upper)
    }
}

extension [UInt8] {
    /// The least bytes greater than everything that begins with these, or `nil` if there are none.
    package var prefixEnd: [UInt8]? {
        guard let last = lastIndex(where: { $0 < 0xFF }) else { return nil }
        return Array(self[..<last]) + [self[last] + 1]
    }
}

/// The keys that a name selects: every key, the keys below a directory, or one key together with what is below it.
public struct KeySelection: Sendable, Hashable {
    /// Contiguous, in order, and without overlap.
    public let ranges: [KeyRange]
    /// Whether a deletion of the selected keys removes what stands for directories of etcd's v2 API.
    package let includesDirectories: Bool

    /// Some ranges of keys, in order and without overlap.
    package init(ranges: [KeyRange], includesDirectories: Bool = true) {
        self.ranges = ranges
        self.includesDirectories = includesDirectories
    }

    /// Every key.
    public static let all = KeySelection(ranges: [.all])

    /// No key.
    package static let nothing = KeySelection(ranges: [])

    /// The keys that do not begin with `/`; their name is `bare:`.
    public static let bare = KeySelection(ranges: [
        KeyRange(from: [], to: [UInt8(ascii: "/")]), KeyRange(from: [UInt8(ascii: "/") + 1], to: nil),
    ])

    /// One key alone.
    public static func key(_ key: Key) -> KeySelection { KeySelection(ranges: [.key(key)]) }

    /// The keys of one range.
    public static func range(_ range: KeyRange) -> KeySelection { KeySelection(ranges: [range]) }

    /// The keys of one range as reads of a range return them: without what stands for directories of etcd's v2 API.
    package static func keys(_ range: KeyRange) -> KeySelection {
        KeySelection(ranges: [range], includesDirectories: false)
    }

    /// The keys below a directory; `""` and `/` name all, and `bare:` those that do not begin with `/`.
    ///
    /// - Throws: `DiscfgError` with code `invalidName`.
    public static func below(_ directory: String) throws(DiscfgError) -> KeySelection {
        if directory == KeyName.bare { return .bare }
        guard let key = try directoryKey(directory) else { return .all }
        return KeySelection(ranges: [.prefix(key.bytes + [UInt8(ascii: "/")])])
    }

    /// A key, and what is below it as a directory; with a trailing `/` only what is below; `""`, `/` and `bare:` as for `below`.
    ///
    /// - Throws: `DiscfgError` with code `invalidName`.
    public static func subtree(_ path: String) throws(DiscfgError) -> KeySelection {
        guard !KeyName.isDirectory(path), let key = try directoryKey(path) else { return try below(path) }
        return KeySelection(ranges: [.key(key), .prefix(key.bytes + [UInt8(ascii: "/")])])
    }

    /// Whether the key is selected.
    public func contains(_ key: Key) -> Bool { ranges.contains { $0.contains(key) } }

    /// The only key of the selection; `nil` if it may contain others.
    public var onlyKey: Key? { ranges.count == 1 ? ranges[0].onlyKey : nil }

    /// The name of the selection, for messages; not every selection has one, and then the text is no name.
    public var path: String {
        exactPath ?? onlyKey?.name
            ?? ranges.map { range in
                let upper = range.upper.map { KeyName.name(of: $0) } ?? ""
                return "\(range.lower.isEmpty ? "" : KeyName.name(of: range.lower))…\(upper)"
            }.joined(separator: ", ")
    }

    /// The name from which `subtree` makes the same selection; `nil` if there is none.
    public var exactPath: String? {
        if self == .all { return "/" }
        if self == .bare { return KeyName.bare }
        guard let first = ranges.first else { return nil }
        let key = ranges.count == 2 ? first.onlyKey : nil
        let path = key?.name ?? (first.lower.last == UInt8(ascii: "/") ? KeyName.name(ofDirectory: first.lower) : "")
        return (try? KeySelection.subtree(path)) == self ? path : nil
    }

    private static func directoryKey(_ path: String) throws(DiscfgError) -> Key? {
        if path.isEmpty || path == "/" { return nil }
        return try Key(path: path.utf8.last == UInt8(ascii: "/") ? String(path.utf8.dropLast()) ?? path : path)
    }
}
