/// A lease to create.
package struct LeaseGrantRequest: Sendable, Hashable {
    /// The time to live in seconds.
    package var ttl: Int64
    /// The lease's id; 0 for one that the server chooses.
    package var id: Int64

    package init(ttl: Int64 = 0, id: Int64 = 0) {
        self.ttl = ttl
        self.id = id
    }
}

package struct LeaseGrantResponse: Sendable, Hashable {
    package var header: ResponseHeader
    package var id: Int64
    package var ttl: Int64
}

package struct LeaseKeepAliveResponse: Sendable, Hashable {
    package var header: ResponseHeader
    package var id: Int64
    /// The time to live from now on, in seconds; 0 if there is no such lease.
    package var ttl: Int64
}

package struct LeaseTimeToLiveRequest: Sendable, Hashable {
    package var id: Int64
    /// Whether to list the attached keys.
    package var keys: Bool

    package init(id: Int64 = 0, keys: Bool = false) {
        self.id = id
        self.keys = keys
    }
}

package struct LeaseTimeToLiveResponse: Sendable, Hashable {
    package var header: ResponseHeader
    package var id: Int64
    /// The remaining seconds; -1 if there is no such lease.
    package var ttl: Int64
    package var grantedTTL: Int64 = 0
    package var keys: [[UInt8]] = []
}

package struct LeaseLeasesResponse: Sendable, Hashable {
    package var header: ResponseHeader
    package var leases: [Int64]
}
