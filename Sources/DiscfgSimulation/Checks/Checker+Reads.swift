import DiscfgCore

extension Checker {
    /// Each read is of the state at its revision, and that is not older than it may be.
    mutating func checkReads() {
        for entry in entries where entry.config == Scenario.main {
            switch (entry.call, entry.answer) {
            case (.get(let key, let revision?, _), .reading(let reading)?):
                check(entry, key, at: revision, reading)
            case (.get(let key, nil, let consistency), .reading(let reading)?):
                let bound = consistency == .strong ? bound(at: entry.start) : ownBound(entry, key: key)
                check(entry, key, reading, since: bound)
            case (.list(let directory, let revision, let consistency), .listing(let listing)?):
                check(entry, directory, listing, at: revision, consistency)
            case (.changes(let position, let selection), .page(let page)?):
                check(entry, page, after: position, of: selection)
            default: break
            }
        }
    }

    private mutating func check(_ entry: History.Entry, _ key: Key, at revision: Revision, _ reading: Reading?) {
        guard let state = main.state(at: revision) else {
            fail(entry, "answered for revision \(revision), which there never was.")
            return
        }
        let item = state[key]
        guard reading?.item != item else { return }
        if reading == nil, mayBeOverdue(item, until: entry.endTime) { return }
        fail(entry, "told of \(reading?.item.text ?? "absent") at \(revision), but it was \(item.text).")
    }

    private mutating func check(_ entry: History.Entry, _ key: Key, _ reading: Reading?, since bound: Revision) {
        if let reading {
            guard main.state(at: reading.revision)?[key] == reading.item else {
                let item = main.state(at: reading.revision)?[key]
                fail(entry, "told of \(reading.item.text) at \(reading.revision), but it was \(item.text).")
                return
            }
            // At a later revision it may still have been so.
            guard reading.revision < bound, main.state(at: bound)?[key] != reading.item else { return }
        } else if canBeAbsent(key, since: bound, until: entry.endTime) {
            return
        }
        let known = main.state(at: bound)?[key]
        let told = reading?.item.text ?? "absent"
        fail(entry, "told of \(told), but at revision \(bound), acknowledged before, it was \(known.text).")
    }

    /// Whether there is a revision since the bound at which nobody would find the key.
    private func canBeAbsent(_ key: Key, since bound: Revision, until microseconds: Int64) -> Bool {
        main.states(since: bound).contains { $0[key] == nil || mayBeOverdue($0[key], until: microseconds) }
    }

    private mutating func check(
        _ entry: History.Entry, _ directory: String, _ listing: Listing, at revision: Revision?,
        _ consistency: Consistency
    ) {
        guard let range = try? KeySelection.below(directory) else { return }
        let found = Dictionary(listing.items.map { ($0.key, $0) }) { first, _ in first }
        guard let told = listing.revision else {
            return checkLoose(entry, found, in: range)
        }
        guard let state = main.state(at: told), revision == nil || revision == told else {
            fail(entry, "answered for revision \(told), which there never was, or was not asked for.")
            return
        }
        for key in Set(found.keys).union(state.keys) where range.contains(key) && found[key] != state[key] {
            if found[key] == nil, mayBeOverdue(state[key], until: entry.endTime) { continue }
            fail(entry, "told of \(key) as \(found[key].text) at \(told), but it was \(state[key].text).")
        }
        let bound = bound(at: entry.start)
        if revision == nil, consistency == .strong, told < bound {
            fail(entry, "is of revision \(told), but \(bound) was acknowledged before.")
        }
    }

    /// Each item of an eventual listing is one that the config had, and not older than what its process wrote.
    private mutating func checkLoose(_ entry: History.Entry, _ found: [Key: Item], in range: KeySelection) {
        let keys = Set(main.states.flatMap(\.keys)).filter { range.contains($0) }
        for key in keys.union(found.keys).sorted() {
            let bound = ownBound(entry, key: key)
            let isSound =
                found[key].map { item in main.states(since: bound).contains { $0[key] == item } }
                ?? canBeAbsent(key, since: bound, until: entry.endTime)
            if !isSound {
                fail(entry, "told of \(key) as \(found[key].text), which it was not since revision \(bound).")
            }
        }
    }

    private mutating func check(
        _ entry: History.Entry, _ page: ChangePage, after position: Revision, of selection: KeySelection
    ) {
        guard page.scanned >= position, page.scanned <= main.last else {
            fail(entry, "followed the log from \(position) to \(page.scanned); its last revision is \(main.last).")
            return
        }
        let expected = main.commits[Int(position)..<Int(page.scanned)].compactMap { $0.selecting(selection) }
        if expected != page.commits {
            let (told, there) = (page.commits.map(\.revision), expected.map(\.revision))
            fail(entry, "was told of \(told) after \(position) up to \(page.scanned), but there are \(there).")
        }
    }

    // MARK: The config that is deleted and created again

    mutating func checkOther() {
        let logs = run.store.logs(of: Scenario.other)
        for entry in entries where entry.config == Scenario.other {
            let alive = logs.filter { $0.created <= entry.end && $0.removed ?? .max >= entry.start }
            switch (entry.call, entry.outcome) {
            case (.commit, .answered(.result(let result))):
                guard let place = places[entry.author]?.first else { continue }
                if !alive.contains(where: { $0.incarnation == place.log.incarnation }) {
                    fail(entry, "committed \(result.revision) to a config that was not there.")
                }
            case (.get(let key, _, _), .answered(.reading(let reading))):
                let isSound = alive.contains { log in
                    let bound = acknowledgedRevision(of: log, before: entry.start)
                    return log.states(since: bound).contains { $0[key] == reading?.item }
                }
                if !isSound { fail(entry, "told of \(reading?.item.text ?? "absent"), which no living config had.") }
            case (.delete, .answered):
                if !alive.contains(where: { ($0.removed ?? .max) <= entry.end }) {
                    fail(entry, "was answered, but no config was removed then.")
                }
            case (.create, .answered):
                if !alive.contains(where: { $0.created >= entry.start }) {
                    fail(entry, "was answered, but no config was created then.")
                }
            case (_, .refused(let error)) where error.code == .configNotFound:
                let isThroughout = logs.contains { $0.created < entry.start && $0.removed ?? .max > entry.end }
                if isThroughout { fail(entry, "was told that there is no config, which was there all the time.") }
            default: break
            }
        }
    }

    /// The highest revision of a log that a writer was told before a moment.
    private func acknowledgedRevision(of log: LogRecord, before moment: Int) -> Revision {
        entries.reduce(1) { highest, entry in
            guard entry.config == log.config, entry.end < moment, let place = places[entry.author]?.first,
                place.log.incarnation == log.incarnation
            else { return highest }
            return max(highest, place.revision)
        }
    }
}
