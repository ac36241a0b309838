public import DiscfgCore

/// A path of etcd's v2 API: the root, a file or a directory.
///
/// A file is the key of that name. A directory is the same name with a `/` behind it: an item of that key, a marker, says when
/// the directory came to be and when it ends, and keeps it while it is empty.
public struct DirectoryPath: Sendable, Hashable, CustomStringConvertible {
    /// The most bytes that a path may have, so that its directory's key fits too.
    public static let maximumLength = Key.maximumLength - 1

    /// The directory that holds everything, and that nothing can be done to.
    public static let root = DirectoryPath(unchecked: [slash])

    private static let slash = UInt8(ascii: "/")

    /// The key of the file; of the root, `/`.
    public let file: Key

    /// A path of names between slashes; empty names are left out, and so is a slash at the end.
    ///
    /// - Throws: `DiscfgError` with code `invalidName` when it is too long or not UTF-8, or has a name `.` or `..`.
    public init(_ text: some Collection<UInt8>) throws(DiscfgError) {
        var bytes: [UInt8] = [Self.slash]
        bytes.reserveCapacity(text.count + 1)
        for byte in text where byte != Self.slash || bytes.last != Self.slash { bytes.append(byte) }
        if bytes.count > 1, bytes.last == Self.slash { bytes.removeLast() }
        guard bytes.count <= Self.maximumLength else {
            throw DiscfgError(
                .invalidName, "The path has \(bytes.count) bytes; the most is \(Self.maximumLength).",
                hint: "Shorten it.")
        }
        guard bytes.count == 1 || Self.areNames(bytes[1...]) else {
            throw DiscfgError(
                .invalidName, "The path has a name that is “.” or “..”, or is not UTF-8.",
                hint: "Name it by UTF-8 text.")
        }
        self.init(unchecked: bytes)
    }

    /// The path that a key stands for, as a file or, with a `/` behind it, as a directory; `nil` if there is none.
    ///
    /// Keys of REST and v3 may be such that no path names them: not UTF-8, not behind a `/`, or with empty names.
    init?(naming key: Key) {
        let bytes = key.isDirectory ? key.bytes.dropLast() : key.bytes[...]
        guard (2...Self.maximumLength).contains(bytes.count), bytes[0] == Self.slash, Self.areNames(bytes[1...]) else {
            return nil
        }
        self.init(file: key.isDirectory ? Key(unchecked: Array(bytes)) : key)
    }

    private init(unchecked bytes: [UInt8]) { self.init(file: Key(unchecked: bytes)) }

    private init(file: Key) { self.file = file }

    /// Whether these are names between slashes: not empty, not `.` or `..`, and UTF-8.
    private static func areNames(_ bytes: ArraySlice<UInt8>) -> Bool {
        var (length, dots, isASCII) = (0, 0, true)
        for byte in bytes {
            if byte == slash {
                if length == dots, dots <= 2 { return false }
                (length, dots) = (0, 0)
                continue
            }
            length += 1
            if byte == UInt8(ascii: ".") { dots += 1 }
            if byte >= 0x80 { isASCII = false }
        }
        if length == dots, dots <= 2 { return false }
        return isASCII || String(validating: bytes, as: UTF8.self) != nil
    }

    /// The path as text, such as `/db/host`.
    public var description: String { String(decoding: file.bytes, as: UTF8.self) }

    /// The bytes of the path's text.
    public var bytes: [UInt8] { file.bytes }

    /// Whether it is the root.
    public var isRoot: Bool { file.bytes.count == 1 }

    /// The key of the directory's marker.
    var directory: Key { isRoot ? file : Key(unchecked: file.bytes + [Self.slash]) }

    /// Everything below the directory, without its marker.
    var below: KeyRange { .below(directory) }

    /// The directory's marker, and everything below it.
    var tree: KeyRange { .prefix(directory.bytes) }

    /// The keys that `covers` holds for.
    var selection: KeySelection { isRoot ? .all : KeySelection(ranges: [.key(file), tree]) }

    /// The directories on the way, without the root, the outermost first.
    var ancestors: [DirectoryPath] {
        file.bytes.indices.dropFirst().filter { file.bytes[$0] == Self.slash }.map {
            DirectoryPath(unchecked: Array(file.bytes[..<$0]))
        }
    }

    /// A path right below this one.
    ///
    /// - Throws: `DiscfgError` with code `invalidName` when it is too long.
    func child(_ name: String) throws(DiscfgError) -> DirectoryPath {
        try DirectoryPath(directory.bytes + Array(name.utf8))
    }

    /// Whether the other is this path or below it.
    func covers(_ other: DirectoryPath) -> Bool { covers(other.file) }

    /// Whether the key is the path's file or marker, or below it.
    func covers(_ key: Key) -> Bool {
        guard !isRoot, key.bytes.count > file.bytes.count else { return isRoot || key == file }
        return key.bytes[file.bytes.count] == Self.slash && key.bytes.starts(with: file.bytes)
    }

    /// Whether a name between a directory above and this path begins with `_`, which hides it in listings of that
    /// directory.
    func isHidden(from above: DirectoryPath) -> Bool {
        let rest = file.bytes.dropFirst(above.directory.bytes.count - 1)
        return zip(rest, rest.dropFirst()).contains { $0 == Self.slash && $1 == UInt8(ascii: "_") }
    }
}

extension Key {
    /// Whether it is the key of a directory: every key that ends in `/`.
    var isDirectory: Bool { bytes.last == UInt8(ascii: "/") }
}
