/// The names of the elements of a split array: `0`, `1`, and so on.
package enum ArrayIndex {
    /// The index that a name is: at most nine digits without leading zeros.
    package static func index(of name: some Collection<UInt8>) -> Int? {
        guard let first = name.first, name.count <= 9, first != UInt8(ascii: "0") || name.count == 1 else { return nil }
        var index = 0
        for byte in name {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            index = index * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return index
    }

    /// Whether names, in any order, are exactly `0`, `1`, … without a gap, so that they could be the indexes of an array.
    package static func areAll(_ indexes: [Int?]) -> Bool {
        guard !indexes.isEmpty else { return false }
        var seen = [Bool](repeating: false, count: indexes.count)
        for index in indexes {
            guard let index, index < seen.count, !seen[index] else { return false }
            seen[index] = true
        }
        return true
    }
}

/// The arrays among imported values, as one value or split, by their path below the prefix.
///
/// They tell which keys are elements that an array had before: those whose name is an index at or beyond its length. An
/// array that is one value has no keys of elements, so its length counts as 0.
struct ImportedArrays: Sendable {
    private var lengths: [[UInt8]: Int] = [:]

    init(_ values: [(path: ArraySlice<UInt8>, value: Value)]) {
        var names: [[UInt8]: [[UInt8]: Int?]] = [:]
        func note(_ name: ArraySlice<UInt8>, in directory: ArraySlice<UInt8>) {
            names[Array(directory), default: [:]].updateValue(ArrayIndex.index(of: name), forKey: Array(name))
        }
        for (path, value) in values {
            if value.isJSONArray { lengths[Array(path)] = 0 }
            var start = path.startIndex
            for end in path.indices where path[end] == UInt8(ascii: "/") {
                note(path[start..<end], in: path[..<max(start - 1, path.startIndex)])
                start = end + 1
            }
            note(path[start...], in: path[..<max(start - 1, path.startIndex)])
        }
        for (directory, names) in names where ArrayIndex.areAll(Array(names.values)) {
            lengths[directory] = names.count
        }
    }

    var count: Int { lengths.count }

    /// The ranges of keys that arrays may have had, in order and without overlap, given what all keys begin with.
    func ranges(below root: [UInt8]) -> [KeyRange] {
        let all = lengths.keys.flatMap { path in
            let directory = root + path
            let first = directory + (path.isEmpty ? [] : [UInt8(ascii: "/")])
            let elements = KeyRange(from: first + [UInt8(ascii: "0")], to: first + [UInt8(ascii: "9") + 1])
            return path.isEmpty ? [elements] : [KeyRange(from: directory, to: directory + [0]), elements]
        }
        return all.sorted { $0.lower.lexicographicallyPrecedes($1.lower) }.reduce(into: []) { ranges, range in
            if ranges.last?.covers(range) != true { ranges.append(range) }
        }
    }

    /// Whether a key that is not imported is of an array that is: an element beyond its end, or a key below one.
    func hasDropped(_ path: ArraySlice<UInt8>) -> Bool {
        if lengths.isEmpty { return false }
        var start = path.startIndex
        while start < path.endIndex {
            let end = path[start...].firstIndex(of: UInt8(ascii: "/")) ?? path.endIndex
            let directory = Array(path[..<max(start - 1, path.startIndex)])
            if let length = lengths[directory], let index = ArrayIndex.index(of: path[start..<end]), index >= length {
                return true
            }
            start = end + 1
        }
        return false
    }

    /// Whether a path is that of a split array, which a key with the whole array as its value may have had.
    func isSplit(_ path: ArraySlice<UInt8>) -> Bool { lengths[Array(path)].map { $0 > 0 } ?? false }
}

extension Value {
    var isJSONArray: Bool { isJSON && bytes.first == UInt8(ascii: "[") }
}
