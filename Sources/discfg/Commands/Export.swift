import ArgumentParser
import DiscfgCore
import DiscfgFormats

/// `discfg export`: writes keys as a file.
struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write keys as a file: JSON, YAML, TOML, dotenv or Java properties.",
        discussion: """
            Examples:
              discfg export /app --as yaml
              discfg export --rev 7 -o before.json
            """)

    @Argument(help: ArgumentHelp("Only keys below this directory.", valueName: "prefix"))
    var prefix = "/"

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp(
            "json, yaml, toml, env or properties; by default what the name of --output says, then --format, or json.",
            valueName: "format"),
        completion: .list(ConfigFormat.allCases.map(\.rawValue)), transform: ConfigFormat.init(parsing:))
    var format: ConfigFormat?

    @Option(name: .customLong("rev"), help: ArgumentHelp("Export as of this revision.", valueName: "n"))
    var revision: Revision?

    @Option(name: .shortAndLong, help: ArgumentHelp("Write to a file.", valueName: "file"), completion: .file())
    var output: String?

    @OptionGroup
    var globals: GlobalOptions

    /// What to say about keys that do not begin with `/`, which a file of the root does not have.
    static func warning(leavingOut keys: some Sequence<Key>, below prefix: String) -> String? {
        guard prefix == "/" else { return nil }
        let bare = keys.filter { $0.bytes.first != UInt8(ascii: "/") }.sorted()
        guard let first = bare.first else { return nil }
        return "warning: \(bare.count) key\(bare.count == 1 ? "" : "s") without a leading “/” left out, such as "
            + "“\(first.shown.printable)”; export a directory of them as “bare:DIR”"
    }

    func validate() throws { try VariableOptions.check(prefix) }

    /// The format of the file: as --as says, as the name of --output says, or that of all answers.
    func fileFormat(for answers: OutputFormat) -> ConfigFormat {
        format ?? output.flatMap { ConfigFormat(fileName: $0) } ?? (answers == .yaml ? .yaml : .json)
    }

    func run() async throws {
        try await globals.withSession { session in
            let format = fileFormat(for: session.output.format)
            let items = try await session.store.items(below: prefix, in: session.config, at: revision)
            let values = items.withoutLeases
            let bytes = try await format.bytes(of: values, under: prefix)
            if items.isEmpty {
                Output.note("warning: there is nothing below “\(prefix.printable)”; the file is empty")
            }
            if let warning = Self.warning(leavingOut: values.keys, below: prefix) { Output.note(warning) }
            Output.note(leftOut: items.count - values.count, because: "of a lease")
            if let output { try LocalFile.write(bytes, to: output) } else { try session.output.data(bytes) }
        }
    }
}
