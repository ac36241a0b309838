import DiscfgCore

extension EtcdService {
    /// The minimum time to live, in seconds: that of etcd with its default ticks.
    static let minimumTTL: Int64 = 2
    /// The maximum time to live, in seconds.
    static let maximumTTL: Int64 = 9_000_000_000

    /// Creates a lease; a time to live that is too short becomes the minimum.
    package func leaseGrant(_ request: LeaseGrantRequest) async throws(EtcdError) -> LeaseGrantResponse {
        try await answer {
            guard request.ttl <= Self.maximumTTL else { throw EtcdError.leaseTTLTooLarge }
            let ttl = max(request.ttl, Self.minimumTTL)
            let lease = try await store.grantLease(request.id == 0 ? nil : request.id, ttl: .seconds(ttl), in: config)
            return LeaseGrantResponse(header: try await currentHeader(), id: lease.id, ttl: ttl)
        }
    }

    /// Ends a lease, and removes the keys that are attached to it.
    package func leaseRevoke(_ id: Int64) async throws(EtcdError) -> ResponseHeader {
        try await answer {
            guard try await store.revokeLease(id, in: config) != nil else { throw EtcdError.leaseNotFound }
            return try await currentHeader()
        }
    }

    /// Renews a lease; if there is none, the answer has a time to live of 0.
    package func leaseKeepAlive(_ id: Int64) async throws(EtcdError) -> LeaseKeepAliveResponse {
        try await answer {
            // Before the lease is renewed: the answer must not have a revision at which the lease has ended.
            let header = try await currentHeader()
            let lease =
                if isPlanted(.ignoresRenewals) { try await store.lease(id, in: config) } else {
                    try await store.renewLease(id, in: config)
                }
            return LeaseKeepAliveResponse(header: header, id: id, ttl: lease?.ttl.components.seconds ?? 0)
        }
    }

    /// The remaining time of a lease; if there is none, the answer has a time to live of -1.
    package func leaseTimeToLive(_ request: LeaseTimeToLiveRequest) async throws(EtcdError) -> LeaseTimeToLiveResponse {
        try await answer {
            guard let lease = try await store.lease(request.id, in: config) else {
                return LeaseTimeToLiveResponse(header: try await currentHeader(), id: request.id, ttl: -1)
            }
            // Until its end has begun a lease can be renewed, also if it is overdue by the clock of this process.
            let left = max(.seconds(1), min(lease.ttl, lease.expiry - options.time.now()))
            let keys = request.keys ? try await store.keys(attachedTo: request.id, in: config) : []
            return LeaseTimeToLiveResponse(
                header: try await currentHeader(), id: request.id, ttl: left.components.seconds,
                grantedTTL: lease.ttl.components.seconds, keys: keys.map(\.bytes))
        }
    }

    /// All leases.
    package func leaseLeases() async throws(EtcdError) -> LeaseLeasesResponse {
        try await answer {
            let leases = try await store.leases(of: config)
            return LeaseLeasesResponse(header: try await currentHeader(), leases: leases.map(\.id))
        }
    }
}
