import ArgumentParser
import DiscfgCore

/// `discfg history`: who changed what, when and why.
struct History: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Show who changed what, when and why; newest first.",
        discussion: """
            Examples:
              discfg history /db
              discfg history /db/host -n 100 -f json
            """)

    @Argument(help: ArgumentHelp("Only commits that touched this key, or a key below it.", valueName: "key or prefix"))
    var path = "/"

    @Option(name: [.customShort("n"), .long], help: ArgumentHelp("The most commits.", valueName: "n"))
    var limit = 20

    @OptionGroup
    var globals: GlobalOptions

    func validate() throws {
        guard limit > 0 else { throw ValidationError("A limit of \(limit) is not positive.") }
    }

    func run() async throws {
        let selection = try KeySelection.subtree(path)
        try await globals.withSession(expiry: .committed) { session in
            let page = try await session.history(of: selection, limit: limit)
            let text = page.commits.map { $0.description(for: session.output.terminal) }.joined(separator: "\n")
            try session.output.answer(human: text) { page.write(to: &$0, session.output.style) }
        }
    }
}

extension Session {
    /// The newest commits, read in pages.
    fileprivate func history(of selection: KeySelection, limit: Int) async throws -> ChangePage {
        var all = try await store.history(HistoryQuery(selection, limit: min(limit, 1000)), in: config)
        while all.commits.count < limit, all.scanned > 1 {
            let query = HistoryQuery(selection, before: all.scanned, limit: min(limit - all.commits.count, 1000))
            let page = try await store.history(query, in: config)
            guard !page.commits.isEmpty else { break }
            all.commits += page.commits
            all.scanned = page.scanned
        }
        return all
    }
}

extension Commit {
    /// The commit as a short paragraph: a line about it, then one for each change.
    func description(for terminal: Terminal) -> String {
        let title = [terminal.mark("revision \(revision)"), time.short, author.printable, message.printable]
        return title.filter { !$0.isEmpty }.joined(separator: "  ") + "\n"
            + changes.map { "    " + $0.line(for: terminal) + "\n" }.joined()
    }
}

extension Change {
    /// The change on one line, with values shortened.
    func line(for terminal: Terminal) -> String {
        let name = key.shown.printable
        let before = previous.map { "  (was \($0.value.summary(limit: 40)))" } ?? ""
        return switch kind {
        case .set: terminal.added("set") + "    \(name) = \(item?.value.summary() ?? "")\(before)"
        case .delete: terminal.removed("delete") + " \(name)\(before)"
        case .expire: terminal.removed("expire") + " \(name)\(before)"
        }
    }
}
