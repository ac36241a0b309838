import ArgumentParser
import DiscfgCore

/// `discfg watch`: follows changes.
struct Watch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Follow changes as they are made.",
        usage: "discfg watch [<key or prefix>] [<options>] [-- <command> ...]",
        discussion: """
            A lost connection is made again, and nothing is missed. A command behind “--”
            is run for each change, one at a time: the value is its standard input, and in
            its environment are DISCFG_CFG, DISCFG_KEY, DISCFG_KIND (set, delete or
            expire), DISCFG_VALUE (unless it has more than 100,000 bytes or a zero byte),
            DISCFG_REVISION, DISCFG_VERSION, DISCFG_CHANGED_BY and DISCFG_MESSAGE. When it
            fails, that is reported, and the watch goes on.

            Examples:
              discfg watch /db
              discfg watch --after 7 -f json
              discfg watch /nginx -- sh -c 'nginx -s reload'
            """)

    @Argument(help: ArgumentHelp("Only this key, and keys below it.", valueName: "key or prefix"))
    var path = "/"

    @Option(help: ArgumentHelp("Begin with what came after this revision, not with what comes now.", valueName: "rev"))
    var after: Revision?

    @Option(help: ArgumentHelp("End after that many changes.", valueName: "n"))
    var count: Int?

    @Argument(parsing: .postTerminator, help: ArgumentHelp("Run for each change.", valueName: "command"))
    var command: [String] = []

    @OptionGroup
    var globals: GlobalOptions

    func validate() throws {
        if let count, count < 1 { throw ValidationError("A count of \(count) is not positive.") }
    }

    func run() async throws {
        let selection = try KeySelection.subtree(path)
        if !command.isEmpty { CurrentProcess.ignoreBrokenPipes() }
        let settings = try globals.settings()
        _ = try await StopSignals.stoppable {
            try await Session.with(settings, expiry: .committed) { session in
                let info = try await session.store.info(of: session.config)
                var watcher = Watcher(
                    session: session, selection: selection, position: after ?? info.revision, log: info.log)
                watcher.remaining = count
                let action = ChangeAction(session: session, command: command)
                try await session.expiringMeanwhile { try await watcher.run(action) }
            }
        }
    }
}
