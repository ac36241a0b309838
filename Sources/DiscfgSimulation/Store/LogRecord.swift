package import DiscfgCore

/// One log of a config, with everything that it ever held: what answers are compared with.
package struct LogRecord: Sendable {
    package let config: ConfigName
    package let incarnation: String
    /// The revision before the first.
    package let base: Revision
    /// In the order of their revisions.
    package private(set) var commits: [Commit] = []
    /// When each commit was first seen, in microseconds; it was made between the moment before and this one.
    package private(set) var moments: [Int64] = []
    /// The items at each revision, beginning with the base, at which there are none.
    package private(set) var states: [[Key: Item]] = [[:]]
    /// What was wrong with the log itself.
    package private(set) var problems: [String] = []
    /// When it was found gone: a number of the history.
    package var removed: Int?
    /// When it was first seen.
    package let created: Int

    init(_ config: ConfigName, incarnation: String, base: Revision = 0, created: Int) {
        (self.config, self.incarnation, self.base, self.created) = (config, incarnation, base, created)
    }

    /// The newest revision.
    package var last: Revision { base + Revision(commits.count) }

    package func commit(_ revision: Revision) -> Commit? {
        revision > base && revision <= last ? commits[Int(revision - base) - 1] : nil
    }

    /// The items at a revision; `nil` if there is no such revision.
    package func state(at revision: Revision) -> [Key: Item]? {
        revision >= base && revision <= last ? states[Int(revision - base)] : nil
    }

    /// The items at a revision and all later ones.
    package func states(since revision: Revision) -> ArraySlice<[Key: Item]> {
        states[Int(min(max(revision, base), last) - base)...]
    }

    /// Takes in the next commit, and checks that it continues the log.
    mutating func add(_ commit: Commit, at moment: Int64) {
        var state = states[states.count - 1]
        let expected = last + 1
        if commit.revision != expected {
            problems.append("The log has revision \(commit.revision) where \(expected) was expected.")
        }
        if let before = commits.last, commit.time < before.time {
            problems.append("Revision \(commit.revision) is of \(commit.time), the one before of \(before.time).")
        }
        for change in commit.changes {
            let known = state[change.key]
            if change.previous != known {
                problems.append(
                    "Revision \(commit.revision) says that \(change.key) was \(change.previous.text), but it was "
                        + "\(known.text).")
            }
            if let item = change.item {
                let isSound =
                    item.key == change.key && item.modified == commit.revision
                    && item.version == (known?.version ?? 0) + 1 && item.created == known?.created ?? commit.revision
                if !isSound {
                    problems.append("Revision \(commit.revision) makes \(change.key) \(item.text) of \(known.text).")
                }
            }
            state[change.key] = change.item
        }
        commits.append(commit)
        moments.append(moment)
        states.append(state)
    }
}

extension Item {
    /// The item in a few words.
    package var text: String {
        let end = (expiry.map { " until \($0)" } ?? "") + (lease.map { " lease \($0)" } ?? "")
        return "“\(String(decoding: value.bytes, as: UTF8.self))” version \(version) @\(created)..\(modified)\(end)"
    }
}

extension Item? {
    package var text: String { self?.text ?? "absent" }
}
