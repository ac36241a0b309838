#if EtcdGRPC
import DiscfgEtcd
import GRPCServing
import SwiftProtobuf

extension EtcdCalls {
    /// etcd's `KV` service.
    var kv: Methods {
        // One key is read from memory, if the store has it there; a range may be large.
        unary("etcdserverpb.KV/Range", isQuick: { $0.rangeEnd.isEmpty }) {
            (service, message: Etcdserverpb_RangeRequest) in
            Etcdserverpb_RangeResponse(try await service.range(try RangeRequest(message)))
        }
            + unary("etcdserverpb.KV/Put") { (service, message: Etcdserverpb_PutRequest) in
                Etcdserverpb_PutResponse(try await service.put(PutRequest(message)))
            }
            + unary("etcdserverpb.KV/DeleteRange") { (service, message: Etcdserverpb_DeleteRangeRequest) in
                Etcdserverpb_DeleteRangeResponse(try await service.deleteRange(DeleteRangeRequest(message)))
            }
            + unary("etcdserverpb.KV/Txn") { (service, message: Etcdserverpb_TxnRequest) in
                Etcdserverpb_TxnResponse(try await service.txn(try TxnRequest(message)))
            }
            + unary("etcdserverpb.KV/Compact") { (service, message: Etcdserverpb_CompactionRequest) in
                Etcdserverpb_CompactionResponse(try await service.compact(CompactionRequest(message)))
            }
    }
}
#endif
