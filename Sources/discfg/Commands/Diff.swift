import ArgumentParser
import DiscfgCore

/// `discfg diff`: what differs between two revisions.
struct Diff: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Show what differs between two revisions.",
        discussion: """
            With one revision, between that and now; with none, what the last commit
            changed. Exits with 0 when nothing differs, and with 1 when something does.

            Examples:
              discfg diff
              discfg diff 3 7 --prefix /db
            """)

    @Argument(help: ArgumentHelp("The revision to begin with; by default that before the current.", valueName: "rev1"))
    var from: Revision?

    @Argument(help: ArgumentHelp("The revision to end with; by default the current.", valueName: "rev2"))
    var to: Revision?

    @Option(help: ArgumentHelp("Only this key, and keys below it.", valueName: "prefix"))
    var prefix = "/"

    @OptionGroup
    var globals: GlobalOptions

    func run() async throws {
        let selection = try KeySelection.subtree(prefix)
        try await globals.withSession(expiry: .committed) { session in
            var start = from
            if start == nil {
                let info = try await session.store.info(of: session.config)
                start = max(info.oldest, info.revision - 1)
            }
            let difference = try await session.store.diff(
                DiffQuery(from: start ?? 1, to: to, selection: selection), in: session.config)
            try session.output.answer(human: difference.description(for: session.output.terminal)) {
                difference.write(to: &$0, session.output.style)
            }
            if !difference.changes.isEmpty { throw ExitCode(1) }
        }
    }
}

extension Difference {
    /// The difference as people know it from patches; empty when there is none.
    func description(for terminal: Terminal) -> String {
        if changes.isEmpty { return "" }
        return terminal.removed("--- revision \(from)") + "\n" + terminal.added("+++ revision \(to)") + "\n"
            + changes.map { $0.patch(for: terminal) }.joined()
    }
}

extension Change {
    /// The key before and after; of a text of several lines only the lines that differ.
    func patch(for terminal: Terminal) -> String {
        let (old, new) = (previous?.value.lines ?? [], item?.value.lines ?? [])
        let name = key.shown.printable
        if old.count <= 1, new.count <= 1 {
            let before = previous.map { _ in terminal.removed("- \(name) = \(old.joined())") + "\n" } ?? ""
            let after = item.map { _ in terminal.added("+ \(name) = \(new.joined())") + "\n" } ?? ""
            return before + after
        }
        var text = terminal.mark("@@ \(name) @@") + "\n"
        let difference = new.difference(from: old)
        for case .remove(let line, let content, _) in difference.removals {
            text += terminal.removed("- \(line + 1): \(content)") + "\n"
        }
        for case .insert(let line, let content, _) in difference.insertions {
            text += terminal.added("+ \(line + 1): \(content)") + "\n"
        }
        return text
    }
}

extension Value {
    /// The lines of a text, without what would steer a terminal; of other bytes only their number.
    fileprivate var lines: [String] {
        guard let text, contentType != Value.octets else { return ["<\(bytes.count) bytes>"] }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }
        return lines.count > 1 && lines.last == "" ? lines.dropLast() : lines
    }
}
