import ArgumentParser
import DiscfgCore

/// `discfg version`: prints the version.
struct Version: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "version", abstract: "Print the version.")

    @OptionGroup
    var globals: GlobalOptions

    func run() throws {
        let settings = try globals.settings()
        let output = Output(format: settings.format, terminal: Terminal(.output, environment: settings.environment))
        try output.answer(human: "discfg \(Discfg.version)\n") { writer in
            writer.object { $0.member("version", Discfg.version) }
        }
    }
}
