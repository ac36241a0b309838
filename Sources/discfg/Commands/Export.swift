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
              discfg export --rev 7 -o backup.json
            """)

    @Argument(help: ArgumentHelp("Only keys below this directory.", valueName: "prefix"))
    var prefix = "/"

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp(
            "json, yaml, toml, env or properties; by default what the name of --output says, or json.",
            valueName: "format"),
        transform: ConfigFormat.init(parsing:))
    var format: ConfigFormat?

    @Option(name: .customLong("rev"), help: ArgumentHelp("Export as of this revision.", valueName: "n"))
    var revision: Revision?

    @Option(name: .shortAndLong, help: ArgumentHelp("Write to a file.", valueName: "file"))
    var output: String?

    @OptionGroup
    var globals: GlobalOptions

    func run() async throws {
        let format = format ?? output.flatMap { ConfigFormat(fileName: $0) } ?? .json
        try await globals.withSession { session in
            let bytes = try await session.store.export(as: format, below: prefix, in: session.config, at: revision)
            let found = try await session.store.list(
                ListQuery(prefix, isRecursive: true, at: revision, limit: 1), in: session.config)
            if found.entries.isEmpty { Output.note("warning: there is nothing below “\(prefix)”; the file is empty") }
            if let output { try LocalFile.write(bytes, to: output) } else { try session.output.raw(bytes) }
        }
    }
}
