import DiscfgCore

extension EtcdService {
    /// The least time to live, in seconds: etcd's, with the ticks it has when nothing is said.
    static let minimumTTL: Int64 = 2
    /// The greatest time to live, in seconds.
    static let maximumTTL: Int64 = 9_000_000_000

    /// Makes a lease; one whose time to live is too short lives for the least there is.
    package func leaseGrant(_ request: LeaseGrantRequest) async throws(EtcdError) -> LeaseGrantResponse {
        try await answer {
            guard request.ttl <= Self.maximumTTL else { throw EtcdError.leaseTTLTooLarge }
            let ttl = max(request.ttl, Self.minimumTTL)
            let lease = try await store.grantLease(request.id == 0 ? nil : request.id, ttl: .seconds(ttl), in: config)
            return LeaseGrantResponse(header: try await currentHeader(), id: lease.id, ttl: ttl)
        }
    }

    /// Ends a lease, and removes what is attached to it.
    package func leaseRevoke(_ id: Int64) async throws(EtcdError) -> ResponseHeader {
        try await answer {
            guard try await store.revokeLease(id, in: config) != nil else { throw EtcdError.leaseNotFound }
            return try await currentHeader()
        }
    }

    /// Renews a lease; that there is none is said by a time to live of 0.
    package func leaseKeepAlive(_ id: Int64) async throws(EtcdError) -> LeaseKeepAliveResponse {
        try await answer {
            // Before the lease is renewed: a client must not be told of a revision at which it has ended.
            let header = try await currentHeader()
            let lease =
                if isPlanted(.ignoresRenewals) { try await store.lease(id, in: config) } else {
                    try await store.renewLease(id, in: config)
                }
            return LeaseKeepAliveResponse(header: header, id: id, ttl: lease?.ttl.components.seconds ?? 0)
        }
    }

    /// How long a lease lives; that there is none is said by a time to live of -1.
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

    /// Every lease.
    package func leaseLeases() async throws(EtcdError) -> LeaseLeasesResponse {
        try await answer {
            let leases = try await store.leases(of: config)
            return LeaseLeasesResponse(header: try await currentHeader(), leases: leases.map(\.id))
        }
    }
}
