/// A small record next to a config's log, such as the progress of a notification; writing it makes no commit.
///
/// A write names the version that it replaces, so of several writers of one version one succeeds.
public struct Cell: Sendable, Hashable {
    /// The maximum number of bytes of a cell.
    public static let maximumLength = 64 << 10

    /// Its name among the config's cells: 1 to 256 bytes of ASCII without spaces.
    public var name: String
    /// The content, at most `maximumLength` bytes; the engine does not interpret it.
    public var bytes: [UInt8]
    /// The number of writes, from 1; a writer names the version that it replaces.
    public var version: Int64

    /// A cell as it is stored.
    public init(name: String, bytes: [UInt8], version: Int64) {
        self.name = name
        self.bytes = bytes
        self.version = version
    }
}
