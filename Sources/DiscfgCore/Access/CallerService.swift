/// A store of this process on behalf of one caller: what `CallerStore` can do, and leases and ranges.
///
/// DiscfgEtcd adds etcd v2's directories.
///
/// The caller is the author of every commit: an author in a transaction or a write is replaced.
package struct CallerService: Sendable {
    /// The store, for other modules' extensions of this type; each must make `caller` the author of what it writes.
    package let service: ConfigService
    /// The caller.
    package let caller: Caller

    fileprivate init(_ service: ConfigService, caller: Caller) {
        self.service = service
        self.caller = caller
    }

    private var store: CallerStore { CallerStore(service, caller: caller) }
}

extension ConfigService {
    /// The store on behalf of a caller, with what only a store of this process can do.
    package func service(as caller: Caller) -> CallerService { CallerService(self, caller: caller) }
}

// What every store can do.
extension CallerService {
    /// Reads one page of a listing.
    package func list(_ query: ListQuery, in config: ConfigName) async throws -> Listing {
        try await store.list(query, in: config)
    }

    /// Reads the commits after a revision, and waits for the first if the query says so.
    package func changes(_ query: ChangesQuery, in config: ConfigName) async throws -> ChangePage {
        try await store.changes(query, in: config)
    }

    /// The follower of a config, which is told how far the log goes: for watches that stay.
    package func follower(of config: ConfigName, at tail: LogTail) -> LogFollower {
        service.follower(of: config, at: tail)
    }

    /// Carries out a transaction.
    package func commit(_ transaction: Transaction, to config: ConfigName) async throws -> TransactionResult {
        try await store.commit(transaction, to: config)
    }

    /// Removes history.
    package func compact(_ config: ConfigName, keeping request: CompactionRequest) async throws -> Revision {
        try await store.compact(config, keeping: request)
    }
}

// Ranges.
extension CallerService {
    /// The ends of a config's log, strongly consistent.
    package func tail(of config: ConfigName) async throws -> LogTail { try await service.tail(of: config) }

    /// The items of a range at one revision, strongly consistent.
    package func range(_ query: RangeQuery, in config: ConfigName) async throws -> RangeReading {
        try await service.range(query, in: config)
    }
}

// Leases.
extension CallerService {
    /// Creates a lease, with an id of its own if `id` is `nil`.
    package func grantLease(_ id: Int64?, ttl: Duration, in config: ConfigName) async throws -> Lease {
        try await service.grantLease(id, ttl: ttl, in: config)
    }

    /// Renews a lease; returns `nil` if the lease does not exist.
    package func renewLease(_ id: Int64, in config: ConfigName) async throws -> Lease? {
        try await service.renewLease(id, in: config)
    }

    /// Ends a lease and removes its keys; returns the revision then, or `nil` if there is no such lease.
    package func revokeLease(_ id: Int64, in config: ConfigName) async throws -> Revision? {
        try await service.revokeLease(id, author: caller.author, in: config)
    }

    /// The lease of that id; `nil` if it does not exist.
    package func lease(_ id: Int64, in config: ConfigName) async throws -> Lease? {
        try await service.lease(id, in: config)
    }

    /// Every lease that has not ended, in the order of their ids.
    package func leases(of config: ConfigName) async throws -> [Lease] { try await service.leases(of: config) }

    /// The keys that are attached to a lease, in their order.
    package func keys(attachedTo lease: Int64, in config: ConfigName) async throws -> [Key] {
        try await service.keys(attachedTo: lease, in: config)
    }
}

// Counts.
extension CallerService {
    /// How many keys and directories this process has removed because their time was over.
    package var expirations: Int { service.expirations }
}
