import ArgumentParser
import DiscfgCore

/// `discfg cfgs`: lists configs.
struct Cfgs: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cfgs",
        abstract: "List the configs of the store.",
        discussion: """
            Example:
              discfg cfgs
            """)

    @OptionGroup
    var globals: GlobalOptions

    func run() async throws { try await Self.list(globals) }

    /// Lists configs, for `discfg cfg list` too.
    static func list(_ globals: GlobalOptions) async throws {
        try await globals.withSession { session in
            let infos = try await session.store.configs()
            var table = Table([
                .init(title: "CONFIG"), .init(title: "REVISION", isNumber: true), .init(title: "MODIFIED"),
            ])
            for info in infos { table.add([info.name.description, String(info.revision), info.modified.short]) }
            try session.output.answer(human: table.lines(for: session.output.terminal)) { writer in
                writer.object { writer in
                    writer.name("cfgs")
                    writer.array { for info in infos { info.write(to: &$0) } }
                }
            }
        }
    }
}
