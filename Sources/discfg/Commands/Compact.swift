import ArgumentParser
import DiscfgCore

/// `discfg compact`: forgets history.
struct Compact: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact",
        abstract: "Forget old history; the current keys stay.",
        discussion: """
            Examples:
              discfg compact --to 1000
              discfg compact --keep 30d
            """)

    @Option(help: ArgumentHelp("The oldest revision that can still be read afterwards.", valueName: "rev"))
    var to: Revision?

    @Option(
        help: ArgumentHelp("Keep what is younger than this, such as 30d.", valueName: "duration"),
        transform: { try DurationText.parse($0) })
    var keep: Duration?

    @OptionGroup
    var globals: GlobalOptions

    func validate() throws {
        guard (to == nil) != (keep == nil) else { throw ValidationError("Give either --to REV or --keep DURATION.") }
    }

    func run() async throws {
        let request = to.map { CompactionRequest.through($0) } ?? .olderThan(keep ?? .zero)
        try await globals.withSession(expiry: .committed) { session in
            let oldest = try await session.store.compact(session.config, keeping: request)
            let revision = try await afterWrite("The history of config “\(session.config)” is compacted") {
                try await session.store.revision(of: session.config)
            }
            try session.output.answer(human: "the oldest revision that can be read is \(oldest)\n") {
                $0.object {
                    $0.member("action", "compact")
                    $0.member("cfgOldest", oldest)
                    $0.member("cfgVersion", revision)
                }
            }
        }
    }
}
