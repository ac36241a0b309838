/// The header of every answer of etcd.
package struct ResponseHeader: Sendable, Hashable {
    package var clusterID: UInt64
    package var memberID: UInt64
    /// The revision of the key-value store at the time of the answer; 0 if the answer has none.
    package var revision: Int64
    package var raftTerm: UInt64

    package init(clusterID: UInt64 = 0, memberID: UInt64 = 0, revision: Int64 = 0, raftTerm: UInt64 = 0) {
        self.clusterID = clusterID
        self.memberID = memberID
        self.revision = revision
        self.raftTerm = raftTerm
    }
}

/// A key with its value, as etcd shows it.
package struct KeyValue: Sendable, Hashable {
    package var key: [UInt8]
    package var createRevision: Int64
    package var modRevision: Int64
    package var version: Int64
    package var value: [UInt8]
    /// The lease to which the key is attached; 0 for none.
    package var lease: Int64

    package init(
        key: [UInt8] = [], createRevision: Int64 = 0, modRevision: Int64 = 0, version: Int64 = 0, value: [UInt8] = [],
        lease: Int64 = 0
    ) {
        self.key = key
        self.createRevision = createRevision
        self.modRevision = modRevision
        self.version = version
        self.value = value
        self.lease = lease
    }
}

/// A change of a key.
package struct Event: Sendable, Hashable {
    package enum Kind: Int, Sendable, CaseIterable { case put, delete }

    package var kind: Kind
    /// For a deleted key, only its name and the revision of the deletion.
    package var kv: KeyValue
    /// The previous key-value, if it was requested and there was one.
    package var prevKv: KeyValue?

    package init(_ kind: Kind, _ kv: KeyValue, prevKv: KeyValue? = nil) {
        self.kind = kind
        self.kv = kv
        self.prevKv = prevKv
    }
}
