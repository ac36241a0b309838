/// The keys to read; `Range` of etcd's `KV` service.
package struct RangeRequest: Sendable, Hashable {
    package enum SortOrder: Int, Sendable, CaseIterable { case none, ascend, descend }
    package enum SortTarget: Int, Sendable, CaseIterable { case key, version, create, mod, value }

    package var key: [UInt8]
    /// The end of the range; empty for `key` alone, one zero byte for no end.
    package var rangeEnd: [UInt8]
    /// The maximum number of keys; 0 for all.
    package var limit: Int64
    /// The revision to read at; 0 for now.
    package var revision: Int64
    package var sortOrder: SortOrder = .none
    package var sortTarget: SortTarget = .key
    /// Whether an older state is allowed; discfg reads the newest in any case.
    package var serializable = false
    package var keysOnly = false
    package var countOnly = false
    package var minModRevision: Int64 = 0
    package var maxModRevision: Int64 = 0
    package var minCreateRevision: Int64 = 0
    package var maxCreateRevision: Int64 = 0

    package init(key: [UInt8] = [], rangeEnd: [UInt8] = [], limit: Int64 = 0, revision: Int64 = 0) {
        self.key = key
        self.rangeEnd = rangeEnd
        self.limit = limit
        self.revision = revision
    }
}

package struct RangeResponse: Sendable, Hashable {
    package var header = ResponseHeader()
    package var kvs: [KeyValue] = []
    package var more = false
    /// The number of keys in the range, regardless of the limit and the filters.
    package var count: Int64 = 0

    package init() {}
}

/// A key to set; `Put` of etcd's `KV` service.
package struct PutRequest: Sendable, Hashable {
    package var key: [UInt8]
    package var value: [UInt8]
    package var lease: Int64
    package var prevKv = false
    package var ignoreValue = false
    package var ignoreLease = false

    package init(key: [UInt8] = [], value: [UInt8] = [], lease: Int64 = 0) {
        self.key = key
        self.value = value
        self.lease = lease
    }
}

package struct PutResponse: Sendable, Hashable {
    package var header = ResponseHeader()
    package var prevKv: KeyValue?

    package init() {}
}

/// The keys to remove; `DeleteRange` of etcd's `KV` service.
package struct DeleteRangeRequest: Sendable, Hashable {
    package var key: [UInt8]
    package var rangeEnd: [UInt8]
    package var prevKv = false

    package init(key: [UInt8] = [], rangeEnd: [UInt8] = []) {
        self.key = key
        self.rangeEnd = rangeEnd
    }
}

package struct DeleteRangeResponse: Sendable, Hashable {
    package var header = ResponseHeader()
    package var deleted: Int64 = 0
    package var prevKvs: [KeyValue] = []

    package init() {}
}

/// The history to remove; `Compact` of etcd's `KV` service.
package struct CompactionRequest: Sendable, Hashable {
    package var revision: Int64
    /// Whether to wait until the space is free; discfg always does.
    package var physical = false

    package init(revision: Int64 = 0) { self.revision = revision }
}
