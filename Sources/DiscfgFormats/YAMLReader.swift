package import DiscfgCore

/// What reads YAML: `YAMLReader.yams` of DiscfgYAML, or nothing.
///
/// All that a format needs is here but a parser of YAML, which brings the whole of Foundation; a program that must start fast
/// goes without.
public struct YAMLReader: Sendable {
    /// Reads one document of a file, and counts what it reads.
    package typealias Read =
        @Sendable (_ bytes: [UInt8], _ document: Int?, _ meter: ReadingMeter) -> Result<ConfigTree, DiscfgError>

    package let read: Read

    package init(_ read: @escaping Read) { self.read = read }

    static let missing = DiscfgError(
        .unsupported, "This discfg reads no YAML.",
        hint: "Send JSON or TOML; “discfg import” reads the file where it runs, and can send it to any store."
    ).overHTTP("Send JSON or TOML.")
}
