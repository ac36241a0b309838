/// A small record that a service keeps beside a config's log, such as how far it has sent the changes; no commit comes of it.
public struct Note: Sendable, Hashable {
    /// The most bytes that a note may have.
    public static let maximumLength = 64 << 10

    /// Its name among the config's notes: 1 to 256 bytes of ASCII without spaces.
    public var name: String
    public var bytes: [UInt8]
    /// Counts the writes, from 1; what a writer says it replaces.
    public var version: Int64

    public init(name: String, bytes: [UInt8], version: Int64) {
        self.name = name
        self.bytes = bytes
        self.version = version
    }
}
