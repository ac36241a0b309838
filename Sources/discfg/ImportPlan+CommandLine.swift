import DiscfgCore
import DiscfgFormats

extension ImportPlan {
    /// What would be done, a line for each key.
    func preview(for terminal: Terminal) -> String {
        let lines =
            added.map { ($0, terminal.added("+ \($0.shown.printable)")) }
            + changed.map { ($0, terminal.mark("~ \($0.shown.printable)")) }
            + removed.map { ($0, terminal.removed("- \($0.shown.printable)")) }
        return lines.sorted { $0.0 < $1.0 }.map { $0.1 + "\n" }.joined()
    }
}

extension ImportCounts {
    /// The counts, on one line; with no revision nothing was written.
    func summary(revision: Revision?) -> String {
        let counts = "\(added) added, \(changed) changed, \(removed) removed, \(unchanged) unchanged"
        if isEmpty { return "nothing changed  \(counts)\n" }
        return counts + (revision.map { "  revision \($0)" } ?? "  (not written)") + "\n"
    }
}
