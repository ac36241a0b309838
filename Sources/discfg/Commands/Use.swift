import ArgumentParser
import DiscfgCore

/// `discfg use`: remembers a config for a directory.
struct Use: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "use",
        abstract: "Remember a config for this directory, in “.discfg”.",
        discussion: """
            It holds in the directories below as well; --cfg and DISCFG_CFG go before it.

            Example:
              discfg use production
            """)

    @Argument(help: ArgumentHelp("The config, which must exist.", valueName: "name"))
    var name: String

    @OptionGroup
    var globals: GlobalOptions

    func run() async throws {
        try await globals.withSession(config: name) { session in
            let info = try await session.store.info(of: session.config)
            let path = try DirectoryFile.write(session.config, in: CurrentProcess.directory)
            try session.output.answer(human: "using \(session.config), as \(path.printable) says\n") {
                info.write(to: &$0, action: "use")
            }
        }
    }
}
