extension MemoryEngine {
    /// The selected leases, as of one moment.
    public func leases(_ selection: LeaseSelection, of config: ConfigName) async throws -> [StoredLease] {
        try withLog(config) { log in
            switch selection {
            case .one(let id): return log.leases[id].map { [$0] } ?? []
            case .withKeys(let id, let generation):
                guard var found = log.leases[id], generation ?? found.generation == found.generation else { return [] }
                found.keys = log.items.values.filter { $0.lease == id }.map(\.key)
                return [found]
            case .all(let after, let limit):
                let ids = log.leases.keys.filter { id in after.map { $0 < id } ?? true }
                return ids.sorted().prefix(limit).compactMap { log.leases[$0] }
            case .overdue(let now):
                return log.leases.values.filter { $0.lease.isEnding || $0.lease.expiry <= now }
            }
        }
    }

    /// Changes a lease under the lock.
    public func changeLease(_ change: LeaseChange, in config: ConfigName) async throws -> StoredLease? {
        try withLog(config) { log in
            switch change {
            case .create(let lease):
                guard log.leases[lease.id] == nil else { return nil }
                log.leases[lease.id] = StoredLease(lease, generation: UniqueID.next())
                return log.leases[lease.id]
            case .renew(let id, let now):
                guard var found = log.leases[id], !found.lease.isEnding else { return nil }
                found.lease.expiry = now + found.lease.ttl
                found.lease.version += 1
                log.leases[id] = found
                return found
            case .end(let id, let known):
                guard var found = log.leases[id] else { return nil }
                guard found.lease.isEnding || known.map(found.lease.isUnchanged) ?? true else { return nil }
                found.lease.isEnding = true
                log.leases[id] = found
                return found
            case .remove(let id, let generation):
                guard let found = log.leases[id], found.lease.isEnding,
                    generation ?? found.generation == found.generation
                else { return nil }
                log.leases[id] = nil
                return nil
            }
        }
    }
}
