import ArgumentParser
import DiscfgCore

/// `discfg history`: who changed what, when and why.
struct History: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Show who changed what, when and why; newest first.",
        discussion: """
            With --author NAME only commits whose author contains NAME are shown, such as
            “bob” for “user/bob”. The variable DISCFG_AUTHOR does not select commits.

            Examples:
              discfg history /db
              discfg history --author bob
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
            let page = try await session.history(of: selection, by: globals.author, limit: limit)
            if page.commits.isEmpty { Output.note("note: no commit that is kept matches") }
            let text = page.commits.map { $0.description(for: session.output.terminal) }.joined(separator: "\n")
            try session.output.answer(human: text) { page.write(to: &$0, session.output.style) }
        }
    }
}

extension Session {
    /// The newest commits, of authors whose name contains the text if one is given, read in pages.
    fileprivate func history(of selection: KeySelection, by author: String?, limit: Int) async throws -> ChangePage {
        func commits(_ page: ChangePage) -> [Commit] {
            guard let author, !author.isEmpty else { return page.commits }
            return page.commits.filter { $0.author.contains(author) }
        }
        // How many more commits to read: with an author nothing says how many of them match.
        func size(_ missing: Int) -> Int { min(author == nil ? missing : 1000, 1000) }
        var all = try await store.history(HistoryQuery(selection, limit: size(limit)), in: config)
        all.commits = commits(all)
        while all.commits.count < limit, all.scanned > 1 {
            let missing = limit - all.commits.count
            let query = HistoryQuery(selection, before: all.scanned, limit: size(missing))
            let page = try await store.history(query, in: config)
            guard !page.commits.isEmpty else { break }
            all.commits += commits(page).prefix(missing)
            all.scanned = page.scanned
        }
        all.commits = Array(all.commits.prefix(limit))
        all.scanned = author == nil ? all.scanned : all.commits.last?.revision ?? all.scanned
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
