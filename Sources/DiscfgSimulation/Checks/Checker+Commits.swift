import DiscfgCore

extension Checker {
    /// Each write is in the log exactly as often as its client may believe, and did what was asked on what was there.
    mutating func checkCommits() {
        for entry in entries {
            switch entry.call {
            case .commit(let transaction): checkCommit(entry, transaction)
            case .rollback(let revision, let selection): checkRollback(entry, to: revision, of: selection)
            default: break
            }
            if case .refused(let error) = entry.outcome, error.code == .compacted { checkCompacted(entry) }
            if case .refused(let error) = entry.outcome, !error.isDocumented(for: entry.call) {
                fail(entry, "refused with \(error.code.rawValue): \(error)")
            }
        }
    }

    /// Only what somebody compacted may be refused as compacted.
    private mutating func checkCompacted(_ entry: History.Entry) {
        let wanted: Revision
        switch entry.call {
        case .get(_, at: let revision?, _), .list(_, at: let revision?, _): wanted = revision
        case .changes(let revision, _), .rollback(let revision, _): wanted = revision
        default: return
        }
        let isCompacted = entries.contains { other in
            if case .compact(let revision) = other.call { revision > wanted && other.start < entry.end } else { false }
        }
        if !isCompacted { fail(entry, "refused as compacted, but nobody has asked for that.") }
    }

    private mutating func checkCommit(_ entry: History.Entry, _ transaction: Transaction) {
        let found = places[entry.author] ?? []
        if case .refused(let error) = entry.outcome, !found.isEmpty {
            fail(entry, "refused with \(error.code.rawValue), but it is in the log at \(found.map(\.revision)).")
        }
        let place = found.first
        guard case .result(let result)? = entry.answer else {
            // Whether it took effect is unknown; if it did, then as it was asked.
            if let place { checkEffect(of: transaction, entry, at: place, result: nil) }
            return
        }
        if result.changed {
            guard let place, place.revision == result.revision else {
                fail(entry, "answered revision \(result.revision), but is in the log at \(found.map(\.revision)).")
                return
            }
            checkEffect(of: transaction, entry, at: place, result: result)
        } else if let place {
            fail(entry, "answered that nothing changed, but is in the log at \(place.revision).")
        } else if entry.config == Scenario.main {
            checkOutcome(of: transaction, entry, result, before: main.state(at: result.revision), after: nil)
            checkFresh(entry, result.revision)
        }
    }

    private mutating func checkFresh(_ entry: History.Entry, _ revision: Revision) {
        let bound = bound(at: entry.start)
        if revision < bound { fail(entry, "is of revision \(revision), but \(bound) was acknowledged before.") }
    }

    /// Carries the transaction out on the state before its commit, and compares.
    private mutating func checkEffect(
        of transaction: Transaction, _ entry: History.Entry, at place: Place, result: TransactionResult?
    ) {
        let (log, revision) = (place.log, place.revision)
        guard let before = log.state(at: revision - 1), let after = log.state(at: revision) else { return }
        if entry.config == Scenario.main { checkFresh(entry, revision) }
        if let failed = transaction.preconditions.first(where: { !$0.holds(for: before[$0.key]) }) {
            fail(entry, "is in the log at \(revision), but \(failed) did not hold: \(before[failed.key].text).")
            return
        }
        var expected = before
        for operation in transaction.success {
            operation.carryOut(on: &expected, revision: revision)
        }
        for key in Set(expected.keys).union(after.keys) where !expected[key].isAlike(after[key]) {
            fail(entry, "made \(key) \(after[key].text) at \(revision), expected was \(expected[key].text).")
        }
        if let result { checkOutcome(of: transaction, entry, result, before: before, after: after) }
    }

    /// Compares what the client was told with the state that it was told of.
    private mutating func checkOutcome(
        of transaction: Transaction, _ entry: History.Entry, _ result: TransactionResult, before: [Key: Item]?,
        after: [Key: Item]?
    ) {
        guard let before else {
            fail(entry, "answered revision \(result.revision), which there never was.")
            return
        }
        let state = after ?? before
        let failed = transaction.preconditions.first { !$0.holds(for: before[$0.key]) }
        guard failed == result.failed else {
            fail(entry, "failed \(String(describing: result.failed)), expected \(String(describing: failed)).")
            return
        }
        if let failed, before[failed.key] != result.current {
            fail(entry, "told of \(result.current.text) at \(result.revision), but it was \(before[failed.key].text).")
        }
        let operations = failed == nil ? transaction.success : transaction.failure
        for (operation, outcome) in zip(operations, result.outcomes) {
            switch operation {
            case .get(let key), .set(let key, _, _), .patch(let key, _):
                guard state[key] != outcome.item else { continue }
                fail(entry, "told of \(outcome.item.text) at \(result.revision), but it was \(state[key].text).")
            case .getAll(let range):
                let items = state.values.filter { range.contains($0.key) }.sorted { $0.key < $1.key }
                guard items != outcome.found else { continue }
                fail(entry, "told of \(outcome.found.map(\.text)), but there was \(items.map(\.text)).")
            default: break
            }
        }
    }

    private mutating func checkRollback(_ entry: History.Entry, to revision: Revision, of selection: KeySelection) {
        let found = places[entry.author] ?? []
        if case .refused(let error) = entry.outcome, !found.isEmpty {
            fail(entry, "refused with \(error.code.rawValue), but it is in the log at \(found.map(\.revision)).")
        }
        guard let place = found.first, let then = main.state(at: revision), let now = main.state(at: place.revision)
        else { return }
        for key in Set(then.keys).union(now.keys) where selection.contains(key) {
            // What has an end may have ended meanwhile.
            guard then[key]?.expiry == nil, now[key]?.expiry == nil, then[key]?.value != now[key]?.value else {
                continue
            }
            fail(entry, "left \(key) \(now[key].text) at \(place.revision); it was \(then[key].text).")
        }
    }
}

extension DiscfgError {
    /// Whether a client of a store with faults may be answered so.
    fileprivate func isDocumented(for call: History.Call) -> Bool {
        switch call {
        case .commit: [.storeUnavailable, .configNotFound, .leaseNotFound, .overloaded].contains(code)
        case .get(_, at: nil, _), .list(_, at: nil, _), .grant, .renew, .revoke:
            [.storeUnavailable, .configNotFound].contains(code)
        default:
            [
                .storeUnavailable, .configNotFound, .configExists, .compacted, .futureRevision, .overloaded,
            ].contains(code)
        }
    }
}

extension DiscfgCore.Operation {
    /// What the operation does, told independently of the evaluator.
    fileprivate func carryOut(on items: inout [Key: Item], revision: Revision) {
        switch self {
        case .set(let key, let value, let expiry):
            var item = items[key].next(key, value, revision)
            if case .lease(let id) = expiry { item.lease = id }
            if case .after = expiry { item.expiry = Timestamp(milliseconds: 0) }
            items[key] = item
        case .patch(let key, let patch):
            let document = items[key].flatMap { try? JSONValue(parsing: $0.value.bytes) } ?? .object(JSONObject())
            var item = items[key].next(key, Value(document.merging(patch)), revision)
            (item.lease, item.expiry) = (items[key]?.lease, items[key]?.expiry)
            items[key] = item
        case .delete(let key): items[key] = nil
        case .deleteAll(let selection): items = items.filter { !selection.contains($0.key) }
        default: break
        }
    }
}

extension Item? {
    /// The item that follows when the key is set.
    fileprivate func next(_ key: Key, _ value: Value, _ revision: Revision) -> Item {
        Item(
            key: key, value: value, version: (self?.version ?? 0) + 1, created: self?.created ?? revision,
            modified: revision, modifiedAt: Timestamp(milliseconds: 0))
    }

    /// Whether both are the same as far as a transaction decides it: times are the writer's.
    fileprivate func isAlike(_ other: Item?) -> Bool {
        self?.value.bytes == other?.value.bytes && self?.version == other?.version && self?.created == other?.created
            && self?.modified == other?.modified && self?.lease == other?.lease
            && (self?.expiry == nil) == (other?.expiry == nil) && (self == nil) == (other == nil)
    }
}
