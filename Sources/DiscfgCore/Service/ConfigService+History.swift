extension ConfigService {
    /// Reads the commits after a revision, from memory if the watcher keeps up, and waits for the first if that is
    /// asked for.
    public func changes(_ query: ChangesQuery, in config: ConfigName) async throws -> ChangePage {
        let deadline = time.instant() + min(query.wait ?? .zero, ChangesQuery.maximumWait)
        let follower = active(config).follower
        var position = query.after
        // From the first reading on it is one log, whatever is made anew in its place.
        var incarnation = isPlanted(.followsAnyLog) ? nil : query.log
        var emptyLooks = 0
        while true {
            try Task.checkCancellation()
            let page = try await nextCommits(
                of: config, after: position, query, follower: follower, incarnation: incarnation
            ).bounded
            incarnation = page.incarnation
            if let last = page.commits.last { position = last.revision }
            let selected = page.commits.compactMap { query.select(from: $0) }
            let remaining = deadline - time.instant()
            if !selected.isEmpty || (remaining <= .zero && (page.commits.isEmpty || query.wait != nil)) {
                return ChangePage(
                    commits: selected, scanned: position, revision: max(page.tail, position), log: page.incarnation)
            }
            emptyLooks = page.commits.isEmpty ? emptyLooks + 1 : 0
            if page.commits.isEmpty {
                // A table can show the end of the log before the commits up to it can be read.
                if emptyLooks > 1, follower.view.announced.revision > position {
                    try await time.sleep(min(remaining, .milliseconds(20)))
                }
                position = try await follower.wait(
                    for: query.selection, beyond: position, log: page.incarnation, atMost: remaining)
            }
        }
    }

    /// The follower of a config, which is told how far the log goes: for watches that stay.
    package func follower(of config: ConfigName, at tail: LogTail) -> LogFollower {
        let follower = active(config).follower
        follower.note(LogPage(commits: [], tail: tail.revision, incarnation: tail.incarnation))
        return follower
    }

    /// From memory for those who wait and keep up; others look at the store.
    private func nextCommits(
        of config: ConfigName, after position: Revision, _ query: ChangesQuery, follower: LogFollower,
        incarnation: String?
    ) async throws -> LogPage {
        let limit = min(query.limit, 1000)
        if query.wait != nil, let page = follower.recent(after: position, limit: limit, incarnation: incarnation) {
            return page
        }
        do {
            // Without a log, what was trimmed is gone at once, whoever has trimmed it: the store knows.
            let source = try await incarnation == nil ? engine : reader(of: config)
            let page = try await source.log(
                of: config, after: position, limit: limit, incarnation: incarnation, consistency: .strong)
            follower.note(page)
            return page
        } catch let error as DiscfgError where error.code == .configNotFound {
            forget(config)
            throw error
        }
    }

    /// Reads commits of the selected keys, newest first; a page ends at 16 MiB, or at 1000 commits.
    public func history(_ query: HistoryQuery, in config: ConfigName) async throws -> ChangePage {
        let engine = try await reader(of: config, withTrimmed: true)
        let tail = try await engine.tail(of: config)
        var next: LogPart? = .through(query.before.map { min($0 - 1, tail.revision) } ?? tail.revision)
        var found: [Commit] = []
        let limit = min(max(query.limit, 1), 1000)
        var weight = 0
        while let part = next, found.count < limit, weight < ListQuery.maximumBytes {
            let page = try await engine.history(
                of: config, selection: query.selection, part, limit: limit - found.count)
            next = page.next
            found += page.commits
            weight += page.commits.reduce(0) { $0 + $1.weight }
        }
        return ChangePage(
            commits: found, scanned: (next?.revision ?? tail.trimmed) + 1, revision: tail.revision,
            log: tail.incarnation)
    }

    /// Computes the net effect of the commits between two revisions; `from` may be the later one.
    public func diff(_ query: DiffQuery, in config: ConfigName) async throws -> Difference {
        let tail = try await engine.tail(of: config)
        let to = query.to ?? tail.revision
        guard min(query.from, to) <= tail.revision || query.from == to else {
            throw DiscfgError(
                .futureRevision,
                "Revisions \(query.from) and \(to) are not there yet; the newest is \(tail.revision).",
                hint: "Give that revision or earlier ones.")
        }
        try tail.checkReadable(after: query.from)
        try tail.checkReadable(after: to)
        let changes = try await netChanges(
            in: config, after: min(query.from, to), through: max(query.from, to), of: query.selection)
        return Difference(from: query.from, to: to, changes: query.from <= to ? changes : changes.map(\.reversed))
    }

    /// Compacts the history, and returns the oldest revision that can be read from then on.
    public func compact(_ config: ConfigName, keeping request: CompactionRequest) async throws -> Revision {
        let tail = try await engine.tail(of: config)
        let revision: Revision
        switch request {
        case .through(let wanted): revision = wanted
        case .olderThan(let age): revision = try await engine.lastRevision(of: config, before: time.now() - age)
        }
        if revision > tail.revision { try tail.checkReadable(after: revision) }
        // Also when it was trimmed before: an interrupted compaction left some of it behind.
        if revision >= tail.trimmed {
            let moment = time.now() - compactionDelay
            var isDone = try await engine.trim(config, through: revision, keepingSince: moment)
            // The first step has hidden the history for good.
            return try await afterWrite(
                "The history of config “\(config)” is compacted, but not all of it could be removed",
                hint: "Compact again; otherwise a server removes the rest."
            ) {
                while !isDone {
                    try Task.checkCancellation()
                    isDone = try await engine.trim(config, through: revision, keepingSince: moment)
                }
                let tail = try await engine.tail(of: config)
                existing(config)?.view.noteTrimmed(tail)
                return tail.oldest
            }
        }
        return tail.oldest
    }

    /// What changed altogether between two revisions, in the order of the keys.
    private func netChanges(
        in config: ConfigName, after: Revision, through: Revision, of selection: KeySelection
    ) async throws -> [Change] {
        var net: [Key: Change] = [:]
        var position = after
        while position < through {
            let commits = try await engine.entries(of: config, after: position, limit: 1000)
            guard let last = commits.last else { break }
            for change in commits.lazy.filter({ $0.revision <= through }).flatMap(\.changes)
            where selection.contains(change.key) {
                if net[change.key] == nil { net[change.key] = change }
                if isPlanted(.differencesMissLaterChanges) { continue }
                net[change.key]?.kind = change.kind
                net[change.key]?.item = change.item
            }
            position = last.revision
        }
        return net.values.filter { !$0.item.isEquivalent(to: $0.previous) }.sorted { $0.key < $1.key }
    }
}

extension Change {
    /// What undoes the change.
    fileprivate var reversed: Change {
        Change(kind: previous == nil ? .delete : .set, key: key, item: previous, previous: item)
    }
}

extension Item? {
    /// Whether a reader would see the same: the same value, with the same end.
    fileprivate func isEquivalent(to other: Item?) -> Bool {
        self?.value == other?.value && self?.expiry == other?.expiry
    }
}
