/// A lock to wait for.
package struct LockRequest: Sendable, Hashable {
    package var name: [UInt8]
    /// The lease whose end releases the lock; 0 for a new one of 60 seconds.
    package var lease: Int64

    package init(name: [UInt8] = [], lease: Int64 = 0) {
        self.name = name
        self.lease = lease
    }
}

package struct LockResponse: Sendable, Hashable {
    package var header: ResponseHeader
    /// The key that exists as long as the lock is held.
    package var key: [UInt8]
}

/// The identity of a leader: its key, and the revision that created the key.
package struct LeaderKey: Sendable, Hashable {
    package var name: [UInt8]
    package var key: [UInt8]
    package var rev: Int64
    package var lease: Int64

    package init(name: [UInt8] = [], key: [UInt8] = [], rev: Int64 = 0, lease: Int64 = 0) {
        self.name = name
        self.key = key
        self.rev = rev
        self.lease = lease
    }
}

/// An election to win.
package struct CampaignRequest: Sendable, Hashable {
    package var name: [UInt8]
    package var lease: Int64
    package var value: [UInt8]

    package init(name: [UInt8] = [], lease: Int64 = 0, value: [UInt8] = []) {
        self.name = name
        self.lease = lease
        self.value = value
    }
}

package struct CampaignResponse: Sendable, Hashable {
    package var header: ResponseHeader
    package var leader: LeaderKey
}

/// The new value of a leader.
package struct ProclaimRequest: Sendable, Hashable {
    package var leader: LeaderKey?
    package var value: [UInt8]

    package init(leader: LeaderKey? = nil, value: [UInt8] = []) {
        self.leader = leader
        self.value = value
    }
}

package struct LeaderResponse: Sendable, Hashable {
    package var header: ResponseHeader
    package var kv: KeyValue
}
