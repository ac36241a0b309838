import ArgumentParser
import DiscfgCore

/// `discfg rollback`: puts keys back to what they were.
struct Rollback: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollback",
        abstract: "Put keys back to what they were, as a new commit.",
        discussion: """
            Nothing is forgotten: a rollback can be rolled back.
            A key that has or had a lease is left out: it belongs to a process.

            Examples:
              discfg rollback --to 7 --dry-run
              discfg rollback --to 7 /db -m "the new pool is too small"
            """)

    @Option(help: ArgumentHelp("The revision to go back to.", valueName: "rev"))
    var to: Revision

    @Argument(help: ArgumentHelp("Only this key, and keys below it.", valueName: "prefix"))
    var path = "/"

    @Option(name: .shortAndLong, help: ArgumentHelp("Why; kept in the history.", valueName: "text"))
    var message: String?

    @Flag(help: "Only show what would change.")
    var dryRun = false

    @OptionGroup
    var globals: GlobalOptions

    private static let reason = "of a lease now or at that revision"

    func run() async throws {
        let selection = try KeySelection.subtree(path)
        try await globals.withSession(expiry: .committed) { session in
            let output = session.output
            if dryRun {
                let now = try await session.store.diff(DiffQuery(from: to, selection: selection), in: session.config)
                let plan = RollbackPlan(undoing: now, at: session.time.now())
                Output.note(leftOut: plan.leftOut, because: Self.reason)
                let difference = Difference(from: now.to, to: to, changes: plan.changes)
                return try output.answer(human: difference.description(for: output.terminal)) {
                    difference.write(to: &$0, output.style)
                }
            }
            let request = RollbackRequest(to: to, selection: selection, message: message ?? "")
            let result = try await session.store.rollback(request, in: session.config)
            let count = result.changes.count
            if result.commits > 1 {
                Output.note(
                    "note: rolled back in \(result.commits) commits, because the store takes only so many changes in one"
                )
            }
            Output.note(leftOut: result.leftOut, because: Self.reason)
            let text =
                count == 0
                ? "nothing changed since revision \(to)\n"
                : "rolled back \(count) key\(count == 1 ? "" : "s") to revision \(to)  revision \(result.revision)\n"
            try output.answer(human: text) { result.write(to: &$0, output.style) }
        }
    }
}
