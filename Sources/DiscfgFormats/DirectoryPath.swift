import DiscfgCore

/// The directory that an import or an export has as its root.
struct DirectoryPath: Sendable {
    /// With a `/` at the end.
    private let bytes: [UInt8]

    /// Reads a prefix; `""` and `/` name the root, and a `/` at the end means nothing.
    ///
    /// - Throws: `DiscfgError` with code `invalidName`.
    init(_ prefix: some StringProtocol) throws(DiscfgError) {
        if prefix.isEmpty || prefix == "/" {
            bytes = [UInt8(ascii: "/")]
        } else {
            let text = String(prefix)
            let path =
                text.utf8.last == UInt8(ascii: "/") ? String(decoding: text.utf8.dropLast(), as: UTF8.self) : text
            bytes = try Key(path: path).bytes + [UInt8(ascii: "/")]
        }
    }

    /// Whether the key is the directory itself.
    func isNamed(by key: Key) -> Bool { key.bytes.elementsEqual(bytes.dropLast()) }

    /// What the key has after the directory, or `nil` where it is not below it.
    func relative(_ key: Key) -> ArraySlice<UInt8>? {
        key.bytes.starts(with: bytes) ? key.bytes.dropFirst(bytes.count) : nil
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
