/// The name of one value inside a config: 1 to 1024 bytes, compared bytewise.
///
/// The CLI, REST and etcd v2 write keys as paths (`/db/host`); etcd v3 may use any bytes. Each key has a `name` in the CLI and REST.
public struct Key: Sendable, Hashable, Comparable {
    /// The most bytes that a key may have.
    public static let maximumLength = 1024

    /// The bytes of the key.
    public let bytes: [UInt8]

    /// A key of any bytes.
    ///
    /// - Throws: `DiscfgError` with code `invalidName` when it is empty or longer than 1024 bytes.
    public init(bytes: some Collection<UInt8>) throws(DiscfgError) {
        guard !bytes.isEmpty else {
            throw DiscfgError(.invalidName, "The key is empty.", hint: "Name it, as in “/db/host”.")
        }
        guard bytes.count <= Self.maximumLength else {
            throw DiscfgError(
                .invalidName, "The key has \(bytes.count) bytes; the most is \(Self.maximumLength).",
                hint: "Shorten it.")
        }
        self.bytes = Array(bytes)
    }

    /// The key of a name: `/db/host` or `db/host`, `bare:app/name` without a leading `/`, or `bytes://` and its encoded bytes.
    ///
    /// - Throws: `DiscfgError` with code `invalidName` when it is empty, too long, badly encoded, has an empty segment or ends in `/`.
    public init(path: some StringProtocol) throws(DiscfgError) {
        try self.init(bytes: try KeyName.bytes(of: path))
    }

    /// A key of bytes that are known to be neither none nor too many.
    package init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    /// The bytes as text, or `nil` if they are not UTF-8.
    public var text: String? { String(validating: bytes, as: UTF8.self) }

    /// The one name of the key that is printed and sent, from which `init(path:)` makes the same key.
    ///
    /// It is the key itself if that is a path, `bare:` and the key if that is a path without a leading `/`, and else `escapedName`.
    public var name: String { KeyName.name(of: bytes) }

    /// The name of the key as its encoded bytes, such as `bytes:///a%0Ab`: plain ASCII without anything that a shell or a terminal
    /// takes for something else.
    public var escapedName: String { KeyName.encodedName(of: bytes) }

    /// Whether a key sorts before another, by their bytes, as in etcd and in every store.
    public static func < (left: Key, right: Key) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }
}

extension Key: CustomStringConvertible {
    /// The name of the key.
    public var description: String { name }
}

extension UInt8 {
    /// Two lower-case hexadecimal digits.
    package var hex: String { (self < 16 ? "0" : "") + String(self, radix: 16) }
}
