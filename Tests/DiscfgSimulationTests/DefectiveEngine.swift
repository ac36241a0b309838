import DiscfgCore
import DynamoDBPatternsTesting

/// An engine with a defect planted on purpose, to see whether the simulation finds it.
///
/// It stands between a process and the store, or in the store itself; all calls that it does not break go through.
struct DefectiveEngine: EngineWrapper {
    enum Defect: String, CaseIterable {
        /// An append to a slot that is taken is answered as if it had been carried out.
        case takesOccupiedSlot
        /// A change does not say what was there before.
        case losesPrevious
        /// Revision n + 1 is shown before n.
        case showsNextFirst
        /// Strong reads of items are answered as eventual ones.
        case weakensReads
        /// Strong reads of the tail and the log are behind.
        case weakensTail
        /// An append is answered before it is carried out.
        case answersEarly
        /// An unknown outcome is reported as a failure.
        case deniesUnknownOutcome
        /// An unknown outcome is reported as a success.
        case affirmsUnknownOutcome
        /// A writer does not recognise its own commit.
        case forgetsCommitIDs
        /// A writer goes on in a config that was created again.
        case ignoresIncarnation
        /// A lease is ended although it was renewed since it was found overdue.
        case ignoresRenewal
        /// A lease is ended as soon as it is overdue by the wall clock of any process.
        case endsLeasesByWallClock
        /// A renewal is answered, but not kept.
        case losesRenewal
        /// The end of a lease leaves its keys.
        case leavesLeasedKeys
        /// A key is attached to a lease that is ending.
        case attachesToEndedLease
        /// A compaction removes one revision more than it was asked for.
        case trimsTooMuch
        /// The log's end is not seen any more.
        case stopsTheLog
        /// An item read from a range is not the newest.
        case mixesRanges
    }

    let engine: any StorageEngine
    let defect: Defect
    let simulation: Simulation

    private var happens: Bool { simulation.chance(percent: 30) }

    func append(_ commits: [Commit], to config: ConfigName, incarnation: String?) async throws -> AppendOutcome {
        switch defect {
        case .takesOccupiedSlot:
            let outcome = try await engine.append(commits, to: config, incarnation: incarnation)
            if case .conflict(let newer) = outcome, newer.first?.id != commits[0].id, happens { return .appended }
            return outcome
        case .losesPrevious where happens:
            var commits = commits
            for index in commits.indices {
                for change in commits[index].changes.indices { commits[index].changes[change].previous = nil }
            }
            return try await engine.append(commits, to: config, incarnation: incarnation)
        case .answersEarly where happens:
            Task(executorPreference: simulation.executor) {
                try await engine.append(commits, to: config, incarnation: incarnation)
            }
            return .appended
        case .deniesUnknownOutcome, .affirmsUnknownOutcome:
            do {
                return try await engine.append(commits, to: config, incarnation: incarnation)
            } catch let error as DiscfgError where error.code == .outcomeUnknown {
                if defect == .affirmsUnknownOutcome { return .appended }
                throw DiscfgError(.storeUnavailable, "Nothing was written.")
            }
        case .forgetsCommitIDs:
            let outcome = try await engine.append(commits, to: config, incarnation: incarnation)
            guard case .conflict(var newer) = outcome else { return outcome }
            for index in newer.indices { newer[index].id = Commit.newID() }
            return .conflict(newer: newer)
        case .ignoresIncarnation:
            return try await engine.append(commits, to: config, incarnation: nil)
        case .attachesToEndedLease:
            // The lease is there again for as long as it takes.
            for id in commits.flatMap(\.changes).compactMap(\.item?.lease) {
                _ = try? await engine.createLease(
                    Lease(id: id, ttl: .seconds(3600), expiry: Timestamp(milliseconds: .max / 2)), in: config)
            }
            return try await engine.append(commits, to: config, incarnation: incarnation)
        default:
            return try await engine.append(commits, to: config, incarnation: incarnation)
        }
    }

    func tail(of config: ConfigName, knowing known: LogTail?) async throws -> LogTail {
        var tail = try await engine.tail(of: config, knowing: known)
        if defect == .weakensTail, tail.revision > max(2, tail.trimmed), happens { tail.revision -= 1 }
        return tail
    }

    func log(
        of config: ConfigName, after: Revision, limit: Int, incarnation: String?, consistency: Consistency
    ) async throws -> LogPage {
        let incarnation = defect == .ignoresIncarnation ? nil : incarnation
        var page = try await engine.log(
            of: config, after: after, limit: limit, incarnation: incarnation, consistency: consistency)
        switch defect {
        case .showsNextFirst where page.commits.count > 1 && happens: page.commits.removeFirst()
        case .stopsTheLog where page.tail > 5:
            page.commits.removeAll { $0.revision > 5 }
            page.tail = max(after, 5)
        default: break
        }
        return page
    }

    func items(_ keys: [Key], in config: ConfigName, consistency: Consistency) async throws -> ItemBatch {
        let weak = defect == .weakensReads ? .eventual : consistency
        return try await engine.items(keys, in: config, consistency: weak)
    }

    func items(
        _ range: KeyRange, in config: ConfigName, limit: Int, values: Bool, consistency: Consistency
    ) async throws -> ItemPage {
        let weak = defect == .weakensReads ? .eventual : consistency
        var page = try await engine.items(range, in: config, limit: limit, values: values, consistency: weak)
        guard defect == .mixesRanges, let last = page.items.last, happens else { return page }
        // As it was before its last change, beside others that are new.
        let change = try await engine.firstChange(to: last.key, in: config, after: last.modified - 1)
        page.items.removeLast()
        if let previous = change?.previous { page.items.append(previous) }
        return page
    }

    func leases(_ selection: LeaseSelection, of config: ConfigName) async throws -> [StoredLease] {
        switch (selection, defect) {
        case (.overdue(let now), .ignoresRenewal):
            // Found early, so that a renewal has the time to come between; no renewal changes what is found.
            var leases = try await engine.leases(.overdue(at: now + .seconds(60)), of: config)
            for index in leases.indices {
                (leases[index].lease.expiry, leases[index].lease.version) = (Timestamp(milliseconds: 0), 0)
            }
            return leases
        case (.overdue, .endsLeasesByWallClock):
            var leases = try await engine.leases(selection, of: config)
            for index in leases.indices { leases[index].lease.isEnding = true }
            return leases
        case (.withKeys, .leavesLeasedKeys):
            var leases = try await engine.leases(selection, of: config)
            for index in leases.indices { leases[index].keys = [] }
            return leases
        default: return try await engine.leases(selection, of: config)
        }
    }

    func changeLease(_ change: LeaseChange, in config: ConfigName) async throws -> StoredLease? {
        switch (change, defect) {
        case (.renew(let id, let now), .losesRenewal):
            guard var found = try await engine.leases(.one(id), of: config).first, !found.lease.isEnding else {
                return nil
            }
            found.lease.expiry = now + found.lease.ttl
            return found
        case (.end(let id, _), .ignoresRenewal):
            return try await engine.changeLease(.end(id, ifUnchanged: nil), in: config)
        default: return try await engine.changeLease(change, in: config)
        }
    }

    func trim(_ config: ConfigName, through: Revision, keepingSince moment: Timestamp) async throws -> Bool {
        let more = defect == .trimsTooMuch ? 1 : 0 as Revision
        return try await engine.trim(config, through: through + more, keepingSince: moment)
    }
}
