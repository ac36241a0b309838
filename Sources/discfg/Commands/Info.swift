import ArgumentParser
import DiscfgCore

/// `discfg info`: describes a config.
struct Info: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Describe a config: its revisions, settings and store.",
        discussion: """
            Examples:
              discfg info
              discfg info production -f json
            """)

    @Argument(help: ArgumentHelp("The config, if not that of --cfg.", valueName: "name"))
    var name: String?

    @OptionGroup
    var globals: GlobalOptions

    func run() async throws {
        try await globals.withSession(config: name, expiry: .committed) { session in
            let info = try await session.store.info(of: session.config)
            try session.output.answer(human: info.details(for: session.output.terminal)) {
                info.write(to: &$0, action: "info")
            }
        }
    }
}

extension ConfigInfo {
    /// The description, one thing to a line.
    func details(for terminal: Terminal) -> String {
        let options = storage.options.sorted(by: <)
        let retention = settings.retention
        let fields = [
            ("config", name.description), ("revision", String(revision)), ("oldest", String(oldest)),
            ("modified", modified.short), ("created", created.short),
            ("keeps", "\(DurationText.format(retention.age)), and the last \(retention.revisions) revisions"),
            ("store", storage.name),
        ]
        return Table.fields(
            (fields + options.map { ("  \($0.key)", $0.value) }).map { (name: $0.0, value: $0.1) }, for: terminal)
    }
}
