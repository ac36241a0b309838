/// The name of a config: one key space with its own revisions, history and change feed.
///
/// It matches `[A-Za-z0-9][A-Za-z0-9._-]{0,63}`.
public struct ConfigName: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The name as text.
    public let description: String

    /// The config that always exists.
    public static let `default` = ConfigName(unchecked: "default")

    /// Checks a name.
    ///
    /// - Throws: `DiscfgError` with code `invalidName`.
    public init(_ text: some StringProtocol) throws(DiscfgError) {
        let bytes = Array(text.utf8)
        guard (1...64).contains(bytes.count), bytes[0].isASCIIAlphanumeric,
            bytes.allSatisfy({ $0.isASCIIAlphanumeric || [0x2E, 0x5F, 0x2D].contains($0) })
        else {
            throw DiscfgError(
                .invalidName, "“\(text)” is not a name for a config.",
                hint: "Use 1 to 64 letters, digits, “.”, “_” and “-”, beginning with a letter or a digit.")
        }
        self.description = String(text)
    }

    private init(unchecked text: String) { self.description = text }

    /// Whether a name sorts before another, by the order of `String`.
    public static func < (left: ConfigName, right: ConfigName) -> Bool { left.description < right.description }
}

extension UInt8 {
    fileprivate var isASCIIAlphanumeric: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }
}
