// What a remote engine may append: commits that follow from the store's state, by an author that the caller may name.

extension ServedEngine {
    package func append(_ commits: [Commit], to config: ConfigName, incarnation: String?) async throws -> AppendOutcome
    {
        guard let first = commits.first else { throw DiscfgError.invalid("There is nothing to append.") }
        for (index, commit) in commits.enumerated() {
            try checkAsServed(commit)
            guard commit.revision == first.revision + Int64(index), index == 0 || commits[index - 1].time <= commit.time
            else { throw DiscfgError.invalid("The commits are not in the order of their revisions and times.") }
        }
        try checkSize(of: commits)
        let log = try await checkBasis(of: commits, in: config, incarnation: incarnation)
        let outcome = try await engine.append(commits, to: config, incarnation: incarnation ?? log)
        switch outcome {
        case .appended:
            service.existing(config)?.follower.note(LogPage(following: commits, incarnation: log))
            return outcome
        case .conflict(let newer): return .conflict(newer: newer.prefix(weighing: Self.pageBytes, \.weight))
        case .replaced, .leaseNotFound: return outcome
        }
    }

    private func checkSize(of commits: [Commit]) throws(DiscfgError) {
        let changes = commits.reduce(commits.count - 1) { $0 + $1.changes.count + $1.newLeases.count }
        let bytes = commits.reduce(0) { $0 + $1.weight }
        guard changes <= limits.changes, bytes <= limits.bytes else {
            throw DiscfgError(
                .tooLarge, "The append has \(changes) changes and \(bytes) bytes of keys and values.",
                hint: "The most is \(limits.changes) and \(limits.bytes); write less at once.")
        }
    }

    /// Checks that the items before the changes are those of the store, and that time does not run back.
    ///
    /// If the log goes beyond the revision before the commits, nothing is checked, because the append writes nothing then.
    /// If it does not, the items are those that the append replaces: an append succeeds only at that revision.
    /// - Returns: The incarnation of the config.
    private func checkBasis(
        of commits: [Commit], in config: ConfigName, incarnation: String?
    ) async throws -> String {
        let first = commits[0]
        let before = try await engine.traits.readsTellTail ? nil : engine.tail(of: config)
        var (expected, last): ([Key: Item?], [Key: Item?]) = ([:], [:])
        var isConsistent = true
        for change in commits.lazy.flatMap(\.changes) {
            if let item = last[change.key] {
                isConsistent = isConsistent && change.previous == item
            } else {
                expected[change.key] = .some(change.previous)
            }
            last[change.key] = .some(change.item)
        }
        let batch = try await engine.items(Array(expected.keys), in: config, consistency: .strong)
        let tail = if let tail = batch.tail ?? before { tail } else { try await engine.tail(of: config) }
        guard tail.revision < first.revision, incarnation ?? tail.incarnation == tail.incarnation else {
            return tail.incarnation
        }
        try tail.checkReadable(after: first.revision - 1)
        let wrong = expected.first { key, item in batch.items[key] != item }
        if wrong == nil, isConsistent, first.time >= tail.time {
            // Time never runs back along a log, so that a log that is ahead already stays ahead.
            if first.time > tail.time { try checkClock(first.time) }
            if let last = commits.last, last.time > first.time { try checkClock(last.time) }
            return tail.incarnation
        }
        // Where items and tail are not of one moment, another writer may have been first.
        if try await engine.tail(of: config).revision >= first.revision { return tail.incarnation }
        throw DiscfgError.invalid(
            wrong.map { "The change of “\($0.key)” replaces another item than that of the store." }
                ?? "The commit \(first.revision) contradicts those before it.",
            hint: "Evaluate the write on the items of the store.")
    }

    /// Checks what an engine takes for granted of a commit, and its author.
    func checkAsServed(_ commit: Commit) throws {
        let revision = commit.revision
        guard (1...Revision.maximumServed).contains(revision), commit.id.utf8.count == 32,
            commit.id.utf8.allSatisfy(\.isHexDigit),
            zip(commit.changes, commit.changes.dropFirst()).allSatisfy({ $0.key < $1.key })
        else { throw DiscfgError.invalid("The commit \(revision) has a wrong revision, id or order of keys.") }
        try Transaction(then: [], author: commit.author, message: commit.message).validate()
        try checkAuthor(of: commit)
        for change in commit.changes {
            guard change.isServed(at: revision) else {
                throw DiscfgError.invalid("The change of “\(change.key)” in commit \(revision) contradicts itself.")
            }
            try change.item?.value.validate()
        }
    }

    /// Checks that the author is one that the caller may name.
    ///
    /// On a server that does not prove the names of its callers, an author is a claim in any case, and a remote engine may
    /// pass on those of its own clients. Where the name of the caller is proven, no claim replaces it.
    private func checkAuthor(of commit: Commit) throws(DiscfgError) {
        if caller.proof == .none { return }
        // What is overdue is removed by no author.
        if commit.author.isEmpty, commit.changes.allSatisfy({ $0.kind == .expire }) { return }
        let authors = [commit.author] + commit.changes.compactMap(\.item?.author)
        guard let other = authors.first(where: { $0 != caller.author }) else { return }
        throw DiscfgError(
            .forbidden, "The commit \(commit.revision) is by “\(other)”, and its sender is “\(caller.author)”.",
            hint: "A server whose callers are proven takes from each only commits by that caller.")
    }
}

extension Change {
    /// Whether the change makes sense in a commit of a revision, and no number of it is out of range.
    fileprivate func isServed(at revision: Revision) -> Bool {
        (kind == .set) == (item != nil) && (item != nil || previous != nil)
            && item.map { $0.key == key && $0.modified == revision && $0.isServed } ?? true
            && previous.map { $0.key == key && $0.modified < revision && $0.isServed } ?? true
    }
}

extension Item {
    fileprivate var isServed: Bool {
        (1...Int64.max / 2).contains(version) && (1...modified).contains(created) && lease ?? 1 > 0
    }
}

extension UInt8 {
    fileprivate var isHexDigit: Bool { (0x30...0x39).contains(self) || (0x61...0x66).contains(self) }
}
