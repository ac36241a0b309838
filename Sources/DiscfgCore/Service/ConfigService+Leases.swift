extension ConfigService {
    /// The longest time to live of a lease: about 285 years, as in etcd.
    public static let maximumLeaseTTL: Duration = .seconds(9_000_000_000)

    /// Makes a lease, which ends after its time to live unless it is renewed.
    ///
    /// With `id` as `nil` it gets an id of its own. Throws `leaseExists`, `invalidRequest` when the id or the time to live is out
    /// of range.
    public func grantLease(_ id: Int64?, ttl: Duration, in config: ConfigName) async throws -> Lease {
        guard ttl > .zero, ttl <= Self.maximumLeaseTTL else {
            throw DiscfgError.invalid("A lease cannot live for \(ttl).", hint: "Give it 1 to 9000000000 seconds.")
        }
        guard id ?? 1 > 0 else {
            throw DiscfgError.invalid(
                "\(id ?? 0) cannot be the id of a lease.", hint: "Give a positive number, or none.")
        }
        while true {
            // Versions are only compared, so this random number decides nothing that a simulation would have to repeat.
            let lease = Lease(
                id: id ?? time.random(in: 1 ... .max), ttl: ttl, expiry: time.now() + ttl,
                version: .random(in: 0...1 << 48))
            if try await engine.createLease(lease, in: config) {
                active(config).leases.note(lease, at: time.instant())
                return lease
            }
            guard id == nil else {
                throw DiscfgError(
                    .leaseExists, "There is a lease \(lease.id) in config “\(config)” already.",
                    hint: "Give another id, or none.")
            }
            try Task.checkCancellation()
        }
    }

    /// Puts off a lease's end until its time to live from now; `nil` where there is none, or it has ended.
    ///
    /// No commit comes of it. A lease that is overdue can still be renewed as long as nobody has begun its end.
    public func renewLease(_ id: Int64, in config: ConfigName) async throws -> Lease? {
        let lease = try await engine.renewLease(id, in: config, at: time.now())
        if let lease { active(config).leases.note(lease, at: time.instant()) }
        return lease
    }

    /// The lease; `nil` where there is none, or it has ended.
    public func lease(_ id: Int64, in config: ConfigName) async throws -> Lease? {
        try await engine.lease(id, in: config).flatMap { $0.isEnding ? nil : $0 }
    }

    /// Every lease that has not ended, in the order of their ids.
    public func leases(of config: ConfigName) async throws -> [Lease] {
        var leases: [Lease] = []
        while true {
            let page = try await engine.leases(of: config, after: leases.last?.id, limit: 1000)
            if page.isEmpty { return leases.filter { !$0.isEnding } }
            leases += page
        }
    }

    /// The keys that are attached to a lease, in their order.
    public func keys(attachedTo lease: Int64, in config: ConfigName) async throws -> [Key] {
        let keys = try await engine.keys(of: lease, in: config)
        if keys.isEmpty { return [] }
        // The engine may name keys that no longer are attached.
        let items = try await engine.items(keys, in: config, consistency: .strong).items
        return items.values.filter { $0.lease == lease }.map(\.key).sorted()
    }

    /// Ends a lease now: removes what is attached to it, in one commit where one can take it all.
    ///
    /// Gives the config's revision afterwards; `nil` where there was no such lease. Throws `outcomeUnknown` if it fails after the end
    /// has begun: keys may have been removed, and the next revocation or sweep removes the rest. Throws `tooLarge` if the author has
    /// more than 256 bytes.
    public func revokeLease(_ id: Int64, author: String = "", in config: ConfigName) async throws -> Revision? {
        try Transaction(then: [], author: author).validate()
        guard let generation = try await engine.endLease(id, in: config, ifUnchanged: nil) else { return nil }
        existing(config)?.leases.forget(id)
        let message = "lease \(id) revoked"
        return try await afterWrite(
            "Lease \(id) is ending, but not all of it could be removed",
            hint: "Revoke it again; otherwise a server removes the rest when it sweeps."
        ) {
            try await finishLease(
                LeaseEnd(lease: id, generation: generation, kind: .delete, author: author, message: message), in: config
            )
        }
    }

    /// How long a lease must be overdue before a process ends it that does not run long enough to observe it.
    ///
    /// The wall clocks of such processes and of those that renew leases must not differ by more.
    public static let overdueMargin: Duration = .seconds(900)

    /// Ends the leases that nobody renewed in time, and those whose end was interrupted; returns how many.
    ///
    /// A lease is ended if it is overdue by the wall clock of this process and has been unchanged for its time to live, by the
    /// monotonic clock of this process: since it was granted or renewed here, or since it was first seen overdue here. So a wrong wall
    /// clock ends no lease that is renewed.
    ///
    /// With `margin`, for a process that does not run for so long, it is enough that a lease is overdue by that time. Such a process
    /// ends leases that are renewed if its wall clock is ahead by more than that.
    @discardableResult
    public func endOverdueLeases(in config: ConfigName, overdueBy margin: Duration? = nil) async throws -> Int {
        let now = time.now()
        // All of them: those that are not over yet must not hide others that are.
        let overdue = try await engine.overdueLeases(in: config, at: now)
        // An unused config needs no lane.
        if overdue.isEmpty, existing(config) == nil { return 0 }
        let unchanged = active(config).leases.look(at: overdue, at: time.instant())
        let margin = isPlanted(.leasesEndByWallClock) ? .zero : margin
        let late = margin.map { margin in overdue.filter { $0.expiry + margin <= now } } ?? []
        return try await end(Set(unchanged + late).sorted(by: { $0.id < $1.id }), in: config)
    }

    /// How many leases are ended at the same time; the ends of several share a commit, as other writes do.
    private static let concurrentEnds = 8

    /// Ends the leases of a list unless they have been renewed since, a few at a time, and returns how many.
    ///
    /// If a lease cannot be ended, the others are, and then the error is thrown.
    private func end(_ leases: [Lease], in config: ConfigName) async throws -> Int {
        let results = try await leases.concurrently(atMost: Self.concurrentEnds) { lease -> Result<Bool, any Error> in
            do {
                return .success(try await self.end(lease, in: config))
            } catch {
                return .failure(error)
            }
        }
        return try results.filter { try $0.get() }.count
    }

    /// - Returns: Whether the lease had not been renewed.
    private func end(_ lease: Lease, in config: ConfigName) async throws -> Bool {
        guard let generation = try await engine.endLease(lease.id, in: config, ifUnchanged: lease) else {
            return false
        }
        existing(config)?.leases.forget(lease.id)
        let message = "lease \(lease.id) expired"
        let end = LeaseEnd(lease: lease.id, generation: generation, kind: .expire, author: "", message: message)
        _ = try await finishLease(end, in: config)
        return true
    }

    /// How often the keys of an ending lease are looked at because somebody sets them meanwhile.
    private static let maximumLooks = 10

    /// Removes the keys of a lease that is ending, then the lease; safe if others do the same, and if the id is granted again.
    ///
    /// As long as the lease of this generation is there, no other lease can have its id. So what had the id at a revision that
    /// was read before the lease was seen to be there is attached to this lease. What was set later is looked at again.
    ///
    /// - Throws: `storeUnavailable` if keys were set at each look; the lease is still ending.
    private func finishLease(_ end: LeaseEnd, in config: ConfigName) async throws -> Revision {
        var end = end
        for _ in 0..<Self.maximumLooks {
            end.through = try await engine.tail(of: config).revision
            // Another process has finished it.
            guard let keys = try await engine.keys(of: end.lease, generation: end.generation, in: config) else {
                return end.through
            }
            end.keys = keys
            let outcome = try await removeKeys(end, in: config)
            if outcome.isComplete {
                try await engine.removeLease(end.lease, generation: end.generation, in: config)
                return outcome.revision
            }
        }
        throw DiscfgError(
            .storeUnavailable, "The keys of lease \(end.lease) are set again and again while it ends.",
            hint: "A server removes them when it sweeps.")
    }

    /// In one commit; in halves, where that is more than one commit takes.
    private func removeKeys(_ end: LeaseEnd, in config: ConfigName) async throws -> LeaseEnd.Outcome {
        do {
            return try await submit(end, to: config)
        } catch let error as DiscfgError where error.code == .tooLarge && end.keys.count > 1 {
            var (first, second) = (end, end)
            first.keys = Array(end.keys.prefix(end.keys.count / 2))
            second.keys = Array(end.keys.dropFirst(end.keys.count / 2))
            let before = try await removeKeys(first, in: config)
            var outcome = try await removeKeys(second, in: config)
            outcome.isComplete = outcome.isComplete && before.isComplete
            return outcome
        }
    }
}

/// The removal of what is attached to a lease, by whatever is attached to it then.
private struct LeaseEnd: Proposal {
    struct Outcome: Sendable {
        var revision: Revision
        /// Whether nothing is attached to the lease any more.
        var isComplete: Bool
    }

    let lease: Int64
    let generation: String
    let kind: Change.Kind
    let author: String
    let message: String
    var keys: [Key] = []
    /// What was set after this revision may be attached to another lease of the same id.
    var through: Revision = 0

    func touch(_ touched: inout Touched) { touched.keys.formUnion(keys) }

    func carryOut(on evaluator: inout Evaluator) throws(DiscfgError) -> Outcome {
        var isComplete = true
        for key in keys {
            guard let item = evaluator.item(key), item.lease == lease else { continue }
            if item.modified > through {
                isComplete = false
            } else {
                evaluator.record(.removed(item, kind: kind))
            }
        }
        return Outcome(revision: evaluator.revision, isComplete: isComplete)
    }
}
