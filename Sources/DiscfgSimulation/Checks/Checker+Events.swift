import DiscfgCore
import DynamoDBPatternsTesting

extension Checker {
    /// Each watch was sent every event from its first revision on, once, in order, those of a revision together.
    mutating func checkWatches() {
        for watch in run.history.watches {
            var next = nextEvents(after: watch.first - 1, of: watch)
            for delivery in watch.deliveries {
                if let promised = delivery.promised, let next, next.revision <= promised {
                    fail("\(watch.name) was told that all is delivered up to \(promised), but not \(next.revision).")
                    break
                }
                guard take(delivery, from: &next, of: watch) else { break }
            }
            if watch.isComplete, let next { fail("\(watch.name) never saw revision \(next.revision).") }
        }
    }

    private struct Events {
        var revision: Revision
        /// Each key, with its value if there is one.
        var values: [[UInt8]: [UInt8]?]
    }

    private func nextEvents(after revision: Revision, of watch: History.Watch) -> Events? {
        guard revision < main.last else { return nil }
        for commit in main.commits[Int(max(0, revision))...] {
            let changes = commit.changes.filter { watch.range.contains($0.key) }
            if changes.isEmpty { continue }
            let values = changes.map { ($0.key.bytes, $0.item?.value.bytes) }
            return Events(revision: commit.revision, values: Dictionary(values) { first, _ in first })
        }
        return nil
    }

    private mutating func take(
        _ delivery: History.Delivery, from next: inout Events?, of watch: History.Watch
    ) -> Bool {
        var rest = delivery.changes[...]
        while let first = rest.first {
            let together = rest.prefix { $0.revision == first.revision }
            rest = rest.dropFirst(together.count)
            let values = Dictionary(together.map { ($0.key, $0.value) }) { first, _ in first }
            guard let expected = next, expected.revision == first.revision, expected.values == values,
                values.count == together.count
            else {
                let due = next.map { "\($0.values.count) events of \($0.revision)" } ?? "nothing"
                fail("\(watch.name) was sent \(together.count) events of \(first.revision); due was \(due).")
                return false
            }
            next = nextEvents(after: first.revision, of: watch)
        }
        return true
    }

    // MARK: Leases

    /// What is attached to a lease lives as long as the lease does, no longer, and no shorter, however wrong the wall clocks are.
    mutating func checkLeases() {
        var lives: [Int64: [(entry: History.Entry, ttl: Int64)]] = [:]
        var revoked: [Int64: Int] = [:]
        /// When somebody began to revoke a lease, whatever came of it.
        var revocations: [Int64: Int64] = [:]
        for entry in entries {
            if case .revoke(let id) = entry.call {
                revocations[id] = min(revocations[id] ?? .max, entry.startTime)
            }
            switch (entry.call, entry.answer) {
            case (.grant, .lease(let lease?)?), (.renew, .lease(let lease?)?):
                lives[lease.id, default: []].append((entry, lease.ttl.microseconds))
            case (.revoke(let id), .revision(_?)?): revoked[id] = min(revoked[id] ?? .max, entry.end)
            default: break
            }
        }
        for (commit, moment) in zip(main.commits, main.moments) {
            for change in commit.changes where change.kind == .expire {
                // A revocation that was cut off is finished by whoever sweeps.
                guard let lease = change.previous?.lease, revocations[lease] ?? .max > moment else { continue }
                for (entry, ttl) in lives[lease] ?? []
                where entry.endTime < moment && moment < entry.startTime + ttl {
                    fail("\(change.key) expired at \(commit.revision), too early for \(entry.summary).")
                }
            }
            for lease in commit.newLeases {
                guard let end = revoked[lease], let id = Int(commit.author.dropFirst(3)),
                    entries.indices.contains(id), entries[id].start > end
                else { continue }
                fail("\(entries[id].summary) attached a key to lease \(lease), which had been revoked.")
            }
        }
        for item in (main.states.last ?? [:]).values.sorted(by: { $0.key < $1.key }) {
            if let lease = item.lease { fail("\(item.key) outlived lease \(lease): \(item.text).") }
            if item.expiry != nil { fail("\(item.key) outlived its time: \(item.text).") }
        }
    }

    // MARK: Locks

    /// At most one client has the lock, as long as its lease is sure to be there.
    mutating func checkLocks() {
        typealias Check = LinearizabilityCheck<LockModel>
        var history: [Check.Entry] = []
        for entry in entries {
            guard case .lock(let client) = entry.call else { continue }
            let unlock = entries.first { if case .unlock(client) = $0.call { true } else { false } }
            var call = Int(entry.startTime)
            var output: Bool?
            if case .lease(let lease?)? = entry.answer,
                let grant = entries.first(where: { $0.grantedLease == lease.id })
            {
                // From this moment on it may have lost the lease, whatever it thinks.
                let sure = min(unlock?.startTime ?? .max, grant.startTime + lease.ttl.microseconds)
                if sure > entry.endTime { (call, output) = (Int(sure), true) }
            }
            history.append(
                Check.Entry(.acquire(client), output, call: Int(entry.startTime), answer: Int(entry.endTime)))
            history.append(Check.Entry(.release(client), nil, call: call, answer: nil))
        }
        if case .violation(let unplaced) = Check(LockModel()).verdict(on: history) {
            let left = unplaced.map { "\(history[$0].input)" }.joined(separator: ", ")
            fail("Two clients had the lock at a time; without a place: \(left)")
        }
    }
}

extension History.Watch {
    fileprivate var name: String { "Watch \(id) of \(client) from \(first)" }
}

extension History.Entry {
    fileprivate var grantedLease: Int64? {
        if case .grant = call, case .lease(let lease?)? = answer { lease.id } else { nil }
    }
}
