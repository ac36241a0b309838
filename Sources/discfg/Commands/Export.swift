import ArgumentParser
import DiscfgCore
import DiscfgFormats

/// `discfg export`: writes keys as a file.
struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write keys as a file: JSON, YAML, TOML, dotenv or Java properties.",
        discussion: """
            A file has the keys that begin with “/”, or those of “bare:” that do not.
            What cannot be in it is counted in a warning, and the exit status stays 0.

            Examples:
              discfg export /app --as yaml
              discfg export --rev 7 -o before.json
              discfg export bare: --strict
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

    @Flag(help: "Fail if a key cannot be in the file; otherwise that is a warning.")
    var strict = false

    @OptionGroup
    var globals: GlobalOptions

    /// What to say about keys that the file does not have: a line for those of `bare:`, and one for those that no file has.
    static func warnings(leavingOut keys: [Key]) -> [String] {
        let bare = keys.filter { $0.name.utf8.starts(with: KeyName.bare.utf8) }
        let strange = keys.filter { !$0.name.utf8.starts(with: KeyName.bare.utf8) }
        func line(_ keys: [Key], _ what: String, _ hint: String) -> String? {
            keys.first.map {
                "\(keys.count) key\(keys.count == 1 ? "" : "s") \(what) left out, such as “\($0.shown)”; \(hint)"
            }
        }
        return [
            line(bare, "without a leading “/”", "“discfg export bare:” has them"),
            line(strange, "that no file has a place for", "read them with “discfg get”"),
        ].compactMap { $0 }
    }

    func validate() throws { try VariableOptions.check(prefix) }

    /// The format of the file: as --as says, as the name of --output says, or that of all answers.
    func fileFormat(for answers: OutputFormat) -> ConfigFormat {
        format ?? output.flatMap { ConfigFormat(fileName: $0) } ?? (answers == .yaml ? .yaml : .json)
    }

    func run() async throws {
        try await globals.withSession { session in
            let format = fileFormat(for: session.output.format)
            let file = try await session.store.export(as: format, below: prefix, in: session.config, at: revision)
            let warnings = Self.warnings(leavingOut: file.leftOut)
            if strict, !warnings.isEmpty {
                throw DiscfgError.invalid(
                    "Not every key can be in the file: \(warnings.joined(separator: ". ")).",
                    hint: "Leave out --strict.")
            }
            for warning in warnings { Output.note("warning: \(warning)") }
            Output.note(leftOut: file.leased, "with a lease")
            if file.keys == 0, file.leased == 0, warnings.isEmpty {
                Output.note("warning: there is nothing below “\(prefix.printable)”; the file is empty")
            }
            if let output { try LocalFile.write(file.bytes, to: output) } else { try session.output.data(file.bytes) }
        }
    }
}
