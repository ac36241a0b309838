extension MemoryEngine {
    /// Adds the lease with a new generation, unless one of its id exists.
    public func createLease(_ lease: Lease, in config: ConfigName) async throws -> Bool {
        try withLog(config) { log in
            guard log.leases[lease.id] == nil else { return false }
            log.leases[lease.id] = lease
            log.leaseGenerations[lease.id] = UniqueID.next()
            return true
        }
    }

    /// The lease, as of now.
    public func lease(_ id: Int64, in config: ConfigName) async throws -> Lease? {
        try withLog(config) { $0.leases[id] }
    }

    /// The leases in the order of their ids, at most `limit`.
    public func leases(of config: ConfigName, after: Int64?, limit: Int) async throws -> [Lease] {
        try withLog(config) { log in
            let ids = log.leases.keys.filter { id in after.map { $0 < id } ?? true }
            return ids.sorted().prefix(limit).compactMap { log.leases[$0] }
        }
    }

    /// Moves the expiry and raises the version under the lock.
    public func renewLease(_ id: Int64, in config: ConfigName, at now: Timestamp) async throws -> Lease? {
        try withLog(config) { log in
            guard var lease = log.leases[id], !lease.isEnding else { return nil }
            lease.expiry = now + lease.ttl
            lease.version += 1
            log.leases[id] = lease
            return lease
        }
    }

    /// Marks the lease, if it is unchanged or already ending; returns its generation.
    public func endLease(_ id: Int64, in config: ConfigName, ifUnchanged lease: Lease?) async throws -> String? {
        try withLog(config) { log in
            guard let found = log.leases[id] else { return nil }
            guard found.isEnding || lease.map(found.isUnchanged) ?? true else { return nil }
            log.leases[id]?.isEnding = true
            return log.leaseGenerations[id]
        }
    }

    /// Searches all items for keys of the lease.
    public func keys(of lease: Int64, generation: String?, in config: ConfigName) async throws -> [Key]? {
        try withLog(config) { log in
            guard generation == nil || log.leaseGenerations[lease] == generation else { return nil }
            return log.items.values.filter { $0.lease == lease }.map(\.key)
        }
    }

    /// Removes the lease, if it is ending and of this generation.
    public func removeLease(_ id: Int64, generation: String?, in config: ConfigName) async throws {
        try withLog(config) { log in
            guard log.leases[id]?.isEnding == true, generation == nil || log.leaseGenerations[id] == generation else {
                return
            }
            (log.leases[id], log.leaseGenerations[id]) = (nil, nil)
        }
    }

    /// Searches all leases, those that are ending included.
    public func overdueLeases(in config: ConfigName, at now: Timestamp) async throws -> [Lease] {
        try withLog(config) { log in
            log.leases.values.filter { $0.isEnding || $0.expiry <= now }
        }
    }
}
