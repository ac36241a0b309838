import ArgumentParser
import DiscfgCore

/// `discfg which`: tells what the other commands work on.
struct Which: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "which",
        abstract: "Tell which config and which store are used here, and why.",
        discussion: """
            Example:
              discfg which
            """)

    @OptionGroup
    var globals: GlobalOptions

    func run() throws {
        let settings = try globals.settings()
        let terminal = Terminal(.output, environment: settings.environment)
        let fields = [
            ("config", settings.config.name.description), ("from", settings.config.source.description),
            ("store", settings.store.description),
        ]
        let text = Table.fields(fields.map { (name: $0.0, value: $0.1) }, for: terminal)
        try Output(format: settings.format, terminal: terminal).answer(human: text) { writer in
            writer.object { writer in
                writer.member("action", "which")
                writer.member("name", settings.config.name.description)
                writer.member("from", settings.config.source.description)
                writer.member("store", settings.store.description)
            }
        }
    }
}
