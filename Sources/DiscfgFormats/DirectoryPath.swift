import DiscfgCore

/// The directory that an import or an export has as its root.
struct DirectoryPath: Sendable {
    /// With a `/` at the end; empty for `bare:`.
    private let bytes: [UInt8]

    /// Reads a name; `""` and `/` are the root of the keys that begin with `/`, `bare:` that of the others, and a `/` at the end
    /// means nothing.
    ///
    /// - Throws: `DiscfgError` with code `invalidName`.
    init(_ prefix: some StringProtocol) throws(DiscfgError) {
        let selection = try KeySelection.below(String(prefix))
        bytes = selection == .all ? [UInt8(ascii: "/")] : selection.ranges[0].lower
    }

    /// Whether the key is the directory itself.
    func isNamed(by key: Key) -> Bool { key.bytes.elementsEqual(bytes.dropLast()) }

    /// What the key has after the directory, or `nil` if it is not below it.
    func relative(_ key: Key) -> ArraySlice<UInt8>? {
        let isBelow = bytes.isEmpty ? key.bytes.first != UInt8(ascii: "/") : key.bytes.starts(with: bytes)
        return isBelow ? key.bytes.dropFirst(bytes.count) : nil
    }

    /// The segments of a key below the directory; `nil` if it has no place in a file.
    ///
    /// It has none if it is not below the directory, is not UTF-8, or has an empty segment, such as behind a `/` at its end. That of
    /// a marker is not counted.
    func segments(of key: Key, isMarker: Bool = false) -> [ArraySlice<UInt8>]? {
        guard key.text != nil, let path = relative(key) else { return nil }
        let segments = path.dropLast(isMarker ? 1 : 0)
            .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return segments.contains(where: \.isEmpty) ? nil : segments
    }

    /// Whether an item only says that there is a directory, as those of etcd's v2 API do.
    static func isMarker(_ key: Key, _ value: Value) -> Bool {
        key.bytes.last == UInt8(ascii: "/") && value.contentType == Value.directory
    }

    /// The key of a path below the directory.
    ///
    /// - Throws: `DiscfgError` with code `invalidName` that names the path.
    func key(_ path: String) throws(DiscfgError) -> Key {
        let bytes = self.bytes + Array(path.utf8)
        guard bytes.count <= Key.maximumLength else { throw Self.tooLong(path, length: bytes.count) }
        return try Key(bytes: bytes)
    }

    static func tooLong(_ path: String, length: Int) -> DiscfgError {
        DiscfgError(
            .invalidName, "“\(shortened(path))” makes a key of \(length) bytes; the most is \(Key.maximumLength).",
            hint: "Shorten the names, nest less, or import under a shorter prefix.")
    }

    private static func shortened(_ path: String) -> String { path.count > 100 ? path.prefix(97) + "…" : path }
}
