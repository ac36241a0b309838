import ArgumentParser
import DiscfgCore
import DiscfgFormats
import DiscfgYAML

/// `discfg import`: takes keys from a file.
struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Set keys from a file: JSON, YAML, TOML, dotenv or Java properties.",
        discussion: """
            Objects become paths; scalars and arrays become values that keep their type.
            What is there already is not written again.

            Examples:
              discfg import settings.yaml --prefix /app --dry-run
              kubectl get cm app -o json | jq .data |
                discfg import - --as json --prefix /cm --prune
            """)

    @Argument(help: ArgumentHelp("The file; “-” for standard input.", valueName: "file"), completion: .file())
    var file: String

    @OptionGroup(title: "Reading the file")
    var reading: ImportOptions

    @Option(help: ArgumentHelp("Put the keys below this directory.", valueName: "prefix"))
    var prefix = "/"

    @Flag(help: "Delete keys below the prefix that the file does not have.")
    var prune = false

    @Option(
        help: ArgumentHelp("Only if the config is still at this revision; otherwise exit with 1.", valueName: "rev"))
    var ifRevision: Revision?

    @Flag(help: "Only show what would change.")
    var dryRun = false

    @Option(name: .shortAndLong, help: ArgumentHelp("Why; kept in the history.", valueName: "text"))
    var message: String?

    @OptionGroup
    var globals: GlobalOptions

    private static let reason = "they have a lease"

    func validate() throws { _ = try reading.format(of: file) }

    func run() async throws {
        let leaves = try await reading.format(of: file).leaves(
            of: try LocalFile.read(file), document: reading.document, splitArrays: reading.splitArrays,
            yaml: .yams)
        try await globals.withSession { session in
            let request = ImportRequest(
                prefix: prefix, prunes: prune, ifRevision: ifRevision, message: message ?? Self.reason(for: file))
            if dryRun {
                let plan = try await session.store.planImport(of: leaves, as: request, in: session.config)
                Output.note(leftOut: plan.leftOut, because: Self.reason)
                return try session.show(plan)
            }
            var bar: ProgressBar?
            let outcome = try await session.store.importLeaves(leaves, as: request, in: session.config) { done, total in
                bar = bar ?? ProgressBar("importing", total: total)
                bar?.advance(to: done)
            }
            bar?.finish()
            if outcome.commits > 1 {
                Output.note(
                    "note: imported in \(outcome.commits) commits, because it is too large for one")
            }
            Output.note(leftOut: outcome.plan.leftOut, because: Self.reason)
            try session.output.answer(human: outcome.plan.summary(revision: outcome.revision)) {
                outcome.plan.write(to: &$0, dryRun: false, revision: outcome.revision)
            }
        }
    }

    /// What the history says when nothing was said: that it was an import, and of which file.
    static func reason(for file: String) -> String {
        file == "-" ? "import" : "import \(file.split(separator: "/").last ?? "")"
    }
}

extension Session {
    /// Shows what an import would do.
    fileprivate func show(_ plan: ImportPlan) throws {
        try output.answer(human: plan.preview(for: output.terminal) + plan.summary(revision: nil)) {
            plan.write(to: &$0, dryRun: true, revision: plan.revision)
        }
    }
}

/// How a file is read.
struct ImportOptions: ParsableArguments {
    @Option(
        name: .customLong("as"),
        help: ArgumentHelp(
            "json, yaml, toml, env or properties; by default what the file's name says.", valueName: "format"),
        completion: .list(ConfigFormat.allCases.map(\.rawValue)), transform: ConfigFormat.init(parsing:))
    var format: ConfigFormat?

    @Flag(help: "Make a key of each element of an array.")
    var splitArrays = false

    @Option(help: ArgumentHelp("Which document of a YAML stream, counted from 1.", valueName: "n"))
    var document: Int?

    func format(of file: String) throws -> ConfigFormat {
        if let format { return format }
        guard let format = ConfigFormat(fileName: file) else {
            throw ValidationError("The name of “\(file)” does not tell its format; name it with --as.")
        }
        return format
    }
}

extension ConfigFormat {
    /// Reads the name of a format.
    ///
    /// - Throws: `DiscfgError` with code `invalidRequest`.
    init(parsing name: String) throws(DiscfgError) {
        guard let format = ConfigFormat(name: name) else {
            let known = ConfigFormat.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalid("There is no such format.", hint: "There are \(known).")
        }
        self = format
    }
}
