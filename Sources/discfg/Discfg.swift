import ArgumentParser

/// The command line of discfg.
struct Discfg: AsyncParsableCommand {
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "discfg",
        abstract: "Configuration with revisions, history and watch, in one file, in DynamoDB or behind a server.",
        discussion: """
            Try:
              discfg set /db/host localhost
              discfg get /db/host
              discfg history /db

            A config is a key space with revisions of its own; the config “default” always
            exists. Data goes to standard output, everything else to standard error. Exit
            status: 1 not found or condition failed, 2 usage, 3 store. Every command but
            “help” takes --store, --cfg, --format, --log-level and --author, before its
            name or after it.
            """,
        version: "discfg \(version)",
        groupedSubcommands: [
            CommandGroup(
                name: "Configs", subcommands: [Create.self, Use.self, Which.self, Info.self, Cfgs.self, Cfg.self]),
            CommandGroup(
                name: "Keys", subcommands: [SetCommand.self, Get.self, Ls.self, Delete.self, Edit.self, Txn.self]),
            CommandGroup(
                name: "History", subcommands: [History.self, Diff.self, Rollback.self, Watch.self, Compact.self]),
            CommandGroup(name: "Files", subcommands: [Import.self, Export.self]),
            CommandGroup(name: "Processes", subcommands: [Exec.self, Env.self]),
            CommandGroup(name: "Notifications", subcommands: [Notify.self]),
            CommandGroup(
                name: "Server",
                subcommands: [Serve.self, StoreCommand.self, Version.self, Completions.self, Complete.self]),
        ])

    /// Parses, runs, and ends the process with discfg's own statuses, which differ from those of the parser.
    static func main() async {
        var words = Array(CommandLine.arguments.dropFirst())
        do {
            try CommandLineWords.checkEncoding()
            words = try CommandLineWords(words).words
            var command = try parseAsRoot(words)
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            Failure(error, words: words).exit()
        }
    }
}
