import ArgumentParser
import DiscfgCore
import DiscfgFormats

/// `discfg env`: prints keys as variables.
struct Env: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "env",
        abstract: "Print keys as environment variables, quoted for a shell.",
        discussion: """
            /db/pool-size below /db is POOL_SIZE; of two prefixes the later wins.

            Examples:
              discfg env /db
              eval "$(discfg env --export /shared /app)"
            """)

    @OptionGroup
    var selection: VariableOptions

    @Flag(help: "Write “export” before each.")
    var export = false

    @OptionGroup
    var globals: GlobalOptions

    func run() async throws {
        try await globals.withSession { session in
            let values = try await session.variables(selection).values
            if session.output.isHuman {
                return try session.output.data(values.flatMap { Variables.line($0.name, $0.value, export: export) })
            }
            try session.output.answer(human: "") { writer in
                writer.object {
                    for (name, value) in values { $0.member(name, String(decoding: value, as: UTF8.self)) }
                }
            }
        }
    }
}

/// Which keys become variables.
struct VariableOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("Keys below these directories; by default all.", valueName: "prefix"))
    var prefixes: [String] = []

    @Flag(help: "Fail where two keys make one name, or a key makes none; otherwise that is a warning.")
    var strict = false

    func validate() throws { for prefix in prefixes { try Self.check(prefix) } }

    /// Refuses an empty prefix: a shell variable without a value must not mean all keys.
    static func check(_ prefix: String) throws(ValidationError) {
        if prefix.isEmpty { throw ValidationError("A prefix is empty; give “/” for all keys.") }
    }
}

extension Session {
    /// The variables that the chosen keys come to; says on standard error what is wrong with some.
    func variables(_ options: VariableOptions) async throws -> Variables {
        var variables = Variables()
        for prefix in options.prefixes.isEmpty ? ["/"] : options.prefixes {
            var items = try await store.items(below: prefix, in: config, at: nil).mapValues(\.value)
            if !KeyName.isDirectory(prefix) {
                let key = try Key(path: prefix)
                do {
                    items[key] = try await store.get(key, in: config, at: nil, consistency: .strong).item.value
                } catch let error as DiscfgError where error.code == .keyNotFound {
                    // Usually a prefix is not a key too.
                }
            }
            if items.isEmpty, prefix != "/" {
                let error = DiscfgError(
                    .keyNotFound, "There is nothing at “\(prefix)” or below it in config “\(config)”.",
                    hint: "See what there is with “discfg ls -r”.")
                if options.strict { throw error }
                Output.note("warning: \(error.message.printable)")
            }
            try variables.add(items, below: prefix, isStrict: options.strict)
        }
        for warning in variables.warnings { Output.note("warning: \(warning)") }
        return variables
    }
}
