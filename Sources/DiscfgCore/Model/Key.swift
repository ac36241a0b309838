/// The name of one value inside a config: 1 to 1024 bytes, compared bytewise.
///
/// The CLI, REST and etcd v2 write keys as paths (`/db/host`); etcd v3 may use any bytes.
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

    /// How a path begins that names a key without a leading `/`: `bare:app/name` is the key `app/name`.
    public static let barePrefix = "bare:"

    /// A key written as a path; a leading `/` is added if it is absent, unless the path begins with `bare:`.
    ///
    /// - Throws: `DiscfgError` with code `invalidName` when it is empty, too long, has an empty segment or ends in `/`.
    public init(path: some StringProtocol) throws(DiscfgError) {
        let isBare = path.utf8.starts(with: Self.barePrefix.utf8)
        let isAbsolute = path.utf8.first == UInt8(ascii: "/")
        let text = isBare ? String(path.dropFirst(Self.barePrefix.count)) : isAbsolute ? String(path) : "/" + path
        guard !isBare || text.utf8.first != UInt8(ascii: "/") else {
            throw DiscfgError(
                .invalidName, "“\(path)” begins with “/” after “bare:”.", hint: "Write it without “bare:”.")
        }
        guard !text.isEmpty, text != "/" else {
            throw DiscfgError(.invalidName, "The key is empty.", hint: "Name it, as in “/db/host”.")
        }
        guard text.utf8.last != UInt8(ascii: "/") else {
            throw DiscfgError(
                .invalidName, "The key “\(path)” ends in “/”, which names a directory.", hint: "Leave out the last “/”."
            )
        }
        guard !text.utf8.hasEmptySegment else {
            throw DiscfgError(
                .invalidName, "The key “\(path)” has an empty segment.", hint: "Write one “/” between names.")
        }
        try self.init(bytes: text.utf8)
    }

    /// A key of bytes that are known to be neither none nor too many.
    init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    /// The bytes as text, or `nil` where they are not UTF-8.
    public var text: String? { String(validating: bytes, as: UTF8.self) }

    /// The path that names the key, with `bare:` if the key does not begin with `/`; `nil` if no path names it.
    public var path: String? {
        guard let text else { return nil }
        let path = bytes.first == UInt8(ascii: "/") ? text : Self.barePrefix + text
        return (try? Key(path: path)) == self ? path : nil
    }

    public static func < (left: Key, right: Key) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }
}

extension Key: CustomStringConvertible {
    /// The text of the key; bytes that are not UTF-8 as `\xNN`.
    public var description: String {
        text ?? bytes.map { $0 >= 0x20 && $0 < 0x7F ? String(Unicode.Scalar($0)) : "\\x" + $0.hex }.joined()
    }
}

extension UInt8 {
    /// Two lower-case hexadecimal digits.
    package var hex: String { (self < 16 ? "0" : "") + String(self, radix: 16) }
}

extension Collection<UInt8> {
    /// Whether two slashes follow each other.
    fileprivate var hasEmptySegment: Bool {
        zip(self, dropFirst()).contains { $0 == UInt8(ascii: "/") && $1 == UInt8(ascii: "/") }
    }
}
