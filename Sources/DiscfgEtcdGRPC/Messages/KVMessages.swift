#if EtcdGRPC
import DiscfgEtcd
import SwiftProtobuf

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension RangeRequest {
    init(_ message: Etcdserverpb_RangeRequest) throws(EtcdError) {
        self.init(
            key: [UInt8](message.key), rangeEnd: [UInt8](message.rangeEnd), limit: message.limit,
            revision: message.revision)
        sortOrder = try SortOrder(message.sortOrder, of: "sort_order")
        sortTarget = try SortTarget(message.sortTarget, of: "sort_target")
        serializable = message.serializable
        keysOnly = message.keysOnly
        countOnly = message.countOnly
        minModRevision = message.minModRevision
        maxModRevision = message.maxModRevision
        minCreateRevision = message.minCreateRevision
        maxCreateRevision = message.maxCreateRevision
    }
}

extension Etcdserverpb_RangeResponse {
    init(_ response: RangeResponse) {
        self.init()
        header = Etcdserverpb_ResponseHeader(response.header)
        kvs = response.kvs.map { Mvccpb_KeyValue($0) }
        more = response.more
        count = response.count
    }
}

extension PutRequest {
    init(_ message: Etcdserverpb_PutRequest) {
        self.init(key: [UInt8](message.key), value: [UInt8](message.value), lease: message.lease)
        prevKv = message.prevKv
        ignoreValue = message.ignoreValue
        ignoreLease = message.ignoreLease
    }
}

extension Etcdserverpb_PutResponse {
    init(_ response: PutResponse) {
        self.init()
        header = Etcdserverpb_ResponseHeader(response.header)
        if let previous = response.prevKv { prevKv = Mvccpb_KeyValue(previous) }
    }
}

extension DeleteRangeRequest {
    init(_ message: Etcdserverpb_DeleteRangeRequest) {
        self.init(key: [UInt8](message.key), rangeEnd: [UInt8](message.rangeEnd))
        prevKv = message.prevKv
    }
}

extension Etcdserverpb_DeleteRangeResponse {
    init(_ response: DeleteRangeResponse) {
        self.init()
        header = Etcdserverpb_ResponseHeader(response.header)
        deleted = response.deleted
        prevKvs = response.prevKvs.map { Mvccpb_KeyValue($0) }
    }
}

extension CompactionRequest {
    init(_ message: Etcdserverpb_CompactionRequest) {
        self.init(revision: message.revision)
        physical = message.physical
    }
}

extension Etcdserverpb_CompactionResponse: HeaderAnswer {}
#endif
