package struct StatusResponse: Sendable, Hashable {
    package var header: ResponseHeader
    package var version: String
    /// The size of the store in bytes; 0 if the store cannot report it.
    package var dbSize: Int64
    package var leader: UInt64
    package var raftIndex: UInt64
    package var raftTerm: UInt64
    package var raftAppliedIndex: UInt64
    package var dbSizeInUse: Int64
}

package struct AlarmRequest: Sendable, Hashable {
    package enum Action: Int, Sendable, CaseIterable { case get, activate, deactivate }
    package enum Alarm: Int, Sendable, CaseIterable { case none, noSpace, corrupt }

    package var action: Action = .get
    package var memberID: UInt64 = 0
    package var alarm: Alarm = .none

    package init() {}
}

package struct HashResponse: Sendable, Hashable {
    package var header: ResponseHeader
    package var hash: UInt32
    /// The lowest revision that the hash covers; 0 if nothing was compacted.
    package var compactRevision: Int64
}

package struct SnapshotResponse: Sendable, Hashable {
    /// The number of bytes that follow.
    package var remainingBytes: UInt64
    package var blob: [UInt8]
}

/// A server of a cluster; discfg's clusters have only one.
package struct Member: Sendable, Hashable {
    package var id: UInt64
    package var name: String
    package var peerURLs: [String]
    package var clientURLs: [String]
}

package struct MemberListResponse: Sendable, Hashable {
    package var header: ResponseHeader
    package var members: [Member]
}

package struct AuthStatusResponse: Sendable, Hashable {
    package var header: ResponseHeader
    package var enabled: Bool
}
