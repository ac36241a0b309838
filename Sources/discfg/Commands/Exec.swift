import ArgumentParser
import DiscfgCore

/// `discfg exec`: runs a program with keys as its environment.
struct Exec: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exec",
        abstract: "Run a command with keys as environment variables.",
        usage: "discfg exec [<prefix> ...] [<options>] -- <command> ...",
        discussion: """
            The command replaces the discfg process: it receives the signals, and its exit
            status is the one you see; 127 if it is not found, 126 if it cannot be run.
            /db/pool-size below /db is POOL_SIZE; of two prefixes the later wins.

            Examples:
              discfg exec /db -- psql
              discfg exec /shared /app --pristine -- ./server --port 80
            """)

    @OptionGroup
    var selection: VariableOptions

    @Flag(help: "Start the command with these variables alone.")
    var pristine = false

    /// How the words behind “--” arrive, each with a point in front, as a word may be empty; see `CommandLineWords`.
    static let commandOption = "command-word"

    @Option(name: .customLong(commandOption), help: .hidden, transform: { String($0.dropFirst()) })
    var command: [String] = []

    @OptionGroup
    var globals: GlobalOptions

    func validate() throws {
        if command.isEmpty { throw ValidationError("No command is given; write it after “--”.") }
    }

    func run() async throws {
        var variables = Variables()
        try await globals.withSession { variables = try await $0.variables(selection) }
        let inherited = try globals.settings().environment
        let environment = Self.environment(of: variables, inherited: pristine ? [:] : inherited)
        let path = variables.values.last { $0.name == "PATH" }.map { String(decoding: $0.value, as: UTF8.self) }
        let program = ProcessReplacement(
            command: command, environment: environment, searchPath: path ?? inherited["PATH"] ?? "/usr/bin:/bin")
        let status = program.replace()
        Output.note(
            "error: “\(command[0])” \(status == 127 ? "is not found" : "cannot be run").\n"
                + "hint: Check its name, its permissions and PATH.")
        throw ExitCode(status)
    }

    /// Each variable as `NAME=value`; those of keys replace those that were inherited.
    static func environment(of variables: Variables, inherited: [String: String]) -> [[UInt8]] {
        var all = inherited.mapValues { Array($0.utf8) }
        for (name, value) in variables.values { all[name] = value }
        return all.sorted { $0.key < $1.key }.map { Array("\($0.key)=".utf8) + $0.value }
    }
}
