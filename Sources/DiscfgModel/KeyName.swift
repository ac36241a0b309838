/// The notation in which commands, REST and files of transactions name keys.
///
/// - `/db/host` is the key of these bytes, and `db/host` the same key.
/// - `bare:app/name` is the key `app/name`, without a leading `/`; `bare:` alone is the directory of all such keys.
/// - `bytes://app%2F` is the key of the percent-encoded bytes, here `app/`. It can name any key.
///
/// In each of them a `/` at the end means a directory, and `//` is refused; an encoded `%2F` is a byte like any other. No text
/// that was a path before `bytes://` existed begins with it, because paths have no `//`.
package enum KeyName {
    /// How the name of a key without a leading `/` begins.
    package static let bare = "bare:"
    /// How the name of a key begins that is written as its bytes, percent-encoded.
    package static let encoded = "bytes://"

    private static let slash = UInt8(ascii: "/")

    /// Whether a name is that of a directory: `""` and `/` for all keys, `bare:`, or a name that ends in `/`.
    package static func isDirectory(_ name: String) -> Bool {
        name.isEmpty || name.utf8.last == slash || name == bare
    }

    /// The bytes that a name stands for; their number is not checked.
    ///
    /// - Throws: `DiscfgError` with code `invalidName` if the name is empty, has an empty segment, ends in `/` or is badly encoded.
    static func bytes(of name: some StringProtocol) throws(DiscfgError) -> [UInt8] {
        let isEncoded = name.utf8.starts(with: encoded.utf8)
        let isBare = !isEncoded && name.utf8.starts(with: bare.utf8)
        let written = Array(name.utf8.dropFirst(isEncoded ? encoded.utf8.count : isBare ? bare.utf8.count : 0))
        guard !isBare || written.first != slash else {
            throw DiscfgError(
                .invalidName, "“\(name)” begins with “/” after “bare:”.", hint: "Write it without “bare:”.")
        }
        guard !written.isEmpty, written != [slash] else {
            throw DiscfgError(.invalidName, "The key is empty.", hint: "Name it, as in “/db/host”.")
        }
        let bytes =
            isEncoded
            ? try PercentEncoding.bytes(written[...])
            : isBare || written.first == slash ? written : [slash] + written
        guard written.last != slash else {
            throw DiscfgError(
                .invalidName, "The key “\(name)” ends in “/”, which names a directory.",
                hint: "Leave out the last “/”; a key that ends so is written “\(encodedName(of: bytes))”.")
        }
        guard !written.hasEmptySegment else {
            throw DiscfgError(
                .invalidName, "The key “\(name)” has an empty segment.",
                hint: "Write one “/” between names; a key with two is written “\(encodedName(of: bytes))”.")
        }
        return bytes
    }

    /// The name of the key of some bytes: a path, with `bare:` if it does not begin with `/`, or else the encoded bytes.
    static func name(of bytes: [UInt8]) -> String {
        guard !bytes.isEmpty, bytes.last != slash, !bytes.hasEmptySegment,
            let text = String(validating: bytes, as: UTF8.self)
        else { return encodedName(of: bytes) }
        return bytes.first == slash ? text : bare + text
    }

    /// The name as `bytes://` and the bytes, of which all but letters, digits, `-`, `.`, `_`, `~` and `/` are encoded.
    ///
    /// It is plain ASCII that no shell takes for anything else. A `/` at the end, or after another, is encoded too.
    package static func encodedName(of bytes: [UInt8]) -> String {
        var name = encoded
        for (index, byte) in bytes.enumerated() {
            let isPlainSlash = byte == slash && index < bytes.count - 1 && (index == 0 || bytes[index - 1] != slash)
            PercentEncoding.append(byte, to: &name, isKept: isPlainSlash)
        }
        return name
    }

    /// The name of the directory of the keys that begin with some bytes, of which the last is a `/`; with a `/` at the end.
    package static func name(ofDirectory bytes: [UInt8]) -> String {
        bytes.count > 1 ? name(of: bytes.dropLast()) + "/" : "/"
    }
}

extension [UInt8] {
    /// Whether two slashes follow each other.
    fileprivate var hasEmptySegment: Bool {
        zip(self, dropFirst()).contains { $0 == UInt8(ascii: "/") && $1 == UInt8(ascii: "/") }
    }
}
