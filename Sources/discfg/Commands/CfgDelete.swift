import ArgumentParser
import DiscfgCore

/// `discfg cfg delete`: deletes a config for good.
struct CfgDelete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a config, with all its keys and all its history.",
        discussion: """
            Asks you to type its name, unless --yes is given; without a terminal it is
            refused.

            Example:
              discfg cfg delete staging --yes
            """)

    @Argument(help: ArgumentHelp("The config.", valueName: "name"))
    var name: String

    @Flag(name: .shortAndLong, help: "Do not ask.")
    var yes = false

    @OptionGroup
    var globals: GlobalOptions

    func run() async throws {
        try await globals.withSession(config: name) { session in
            let info = try await session.store.info(of: session.config)
            // The store refuses to delete the default config, so there is nothing to confirm.
            if !yes, session.config != .default {
                let subject = "config “\(info.name)” with \(info.revision) revision\(info.revision == 1 ? "" : "s")"
                try Confirmation(subject: subject, name: info.name.description).ask()
            }
            try await session.store.deleteConfig(session.config)
            try session.output.answer(human: "deleted config \(name)\n") { writer in
                writer.object {
                    $0.member("action", "delete")
                    $0.member("name", name)
                }
            }
        }
    }
}
