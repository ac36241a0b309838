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
            let lease = Lease(id: id ?? .random(in: 1 ... .max), ttl: ttl, expiry: time.now() + ttl)
            if try await engine.createLease(lease, in: config) { return lease }
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
        try await engine.renewLease(id, in: config, at: time.now())
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
    /// Gives the config's revision afterwards; `nil` where there was no such lease.
    public func revokeLease(_ id: Int64, author: String = "", in config: ConfigName) async throws -> Revision? {
        // An interrupted revocation is finished by whoever revokes again, or sweeps.
        guard try await engine.endLease(id, in: config, ifOverdueAt: nil) else { return nil }
        return try await finishLease(
            LeaseEnd(lease: id, kind: .delete, author: author, message: "lease \(id) revoked"), in: config)
    }

    /// Ends the leases that nobody renewed in time, and those whose end was interrupted; returns how many.
    @discardableResult
    public func endOverdueLeases(in config: ConfigName) async throws -> Int {
        var count = 0
        while true {
            let now = time.now()
            let ids = try await engine.overdueLeases(in: config, at: now, limit: 100)
            let before = count
            for id in ids where try await engine.endLease(id, in: config, ifOverdueAt: now) {
                let end = LeaseEnd(lease: id, kind: .expire, author: "", message: "lease \(id) expired")
                _ = try await finishLease(end, in: config)
                count += 1
            }
            // An index that is behind names leases that are gone: another round finds them gone as well.
            if ids.count < 100 || count == before { return count }
        }
    }

    private func finishLease(_ end: LeaseEnd, in config: ConfigName) async throws -> Revision {
        var end = end
        end.keys = try await engine.keys(of: end.lease, in: config)
        let revision = try await removeKeys(end, in: config)
        try await engine.removeLease(end.lease, in: config)
        return revision
    }

    /// In one commit; in halves, where that is more than one commit takes.
    private func removeKeys(_ end: LeaseEnd, in config: ConfigName) async throws -> Revision {
        do {
            return try await lane(config).pipeline.submit(end)
        } catch let error as DiscfgError where error.code == .tooLarge && end.keys.count > 1 {
            var (first, second) = (end, end)
            first.keys = Array(end.keys.prefix(end.keys.count / 2))
            second.keys = Array(end.keys.dropFirst(end.keys.count / 2))
            _ = try await removeKeys(first, in: config)
            return try await removeKeys(second, in: config)
        }
    }
}

/// The removal of what is attached to a lease, by whatever is attached to it then.
private struct LeaseEnd: Proposal {
    let lease: Int64
    let kind: Change.Kind
    let author: String
    let message: String
    var keys: [Key] = []

    func touch(_ touched: inout Touched) { touched.keys.formUnion(keys) }

    func carryOut(on evaluator: inout Evaluator) throws(DiscfgError) -> Revision {
        for key in keys {
            guard let item = evaluator.item(key), item.lease == lease else { continue }
            evaluator.record(.removed(item, kind: kind))
        }
        return evaluator.revision
    }
}
