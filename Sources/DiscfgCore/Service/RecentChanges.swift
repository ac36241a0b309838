/// The keys that the newest commits of a log have changed: what tells whether some keys are as they were at a revision.
struct RecentChanges {
    /// The most commits that are read to find out what has changed.
    static let maximumCommits: Revision = 1000

    /// The commits beyond this revision are here.
    let since: Revision
    /// Whether earlier commits cannot be had: what they may have changed counts as changed.
    let isOldest: Bool
    /// The newest revision that changed each key.
    private var revisions: [Key: Revision] = [:]

    init(since: Revision, isOldest: Bool = false) {
        self.since = since
        self.isOldest = isOldest
    }

    /// Takes over commits that follow those that are here.
    mutating func note(_ commits: [Commit]) {
        for commit in commits {
            for change in commit.changes { revisions[change.key] = commit.revision }
        }
    }

    /// Whether none of the selected keys was changed after a revision, as far as is known.
    func isUnchanged(_ selection: KeySelection, since revision: Revision) -> Bool {
        if let key = selection.onlyKey { return revision >= since && revisions[key] ?? 0 <= revision }
        return isUnchanged(since: revision) { selection.contains($0) }
    }

    /// Whether no key for which the test holds was changed after a revision, as far as is known.
    func isUnchanged(since revision: Revision, where isSelected: (Key) -> Bool) -> Bool {
        revision >= since && !revisions.contains { $0.value > revision && isSelected($0.key) }
    }
}

extension CommitPipeline {
    /// Finds which keys were changed between a revision and the evaluator's tail.
    ///
    /// - Returns: `nil` if the log does not reach the tail: it is another log than the one that was read before.
    func recentChanges(since revision: Revision, in evaluator: Evaluator) async throws -> RecentChanges? {
        if let commits = evaluator.baseCommits(after: revision) {
            var recent = RecentChanges(since: revision)
            recent.note(commits)
            return recent
        }
        let tail = evaluator.tail
        let first = max(revision, tail.revision - RecentChanges.maximumCommits)
        var recent = RecentChanges(since: min(first, tail.revision), isOldest: first > revision)
        var position = recent.since
        while position < tail.revision {
            let page: LogPage
            do {
                page = try await engine.log(
                    of: config, after: position, limit: Int(RecentChanges.maximumCommits),
                    incarnation: tail.incarnation, consistency: .strong)
            } catch let error as DiscfgError where error.code == .compacted {
                return RecentChanges(since: tail.revision, isOldest: true)
            }
            let commits = page.commits.filter { $0.revision <= tail.revision }
            guard let last = commits.last else { return nil }
            recent.note(commits)
            position = last.revision
        }
        return recent
    }
}
