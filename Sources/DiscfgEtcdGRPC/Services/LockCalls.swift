#if EtcdGRPC
import DiscfgEtcd
import GRPCServing
import SwiftProtobuf

extension EtcdCalls {
    /// etcd's `Lock` service.
    var lock: Methods {
        unary("v3lockpb.Lock/Lock", waits: true) { (service, message: V3lockpb_LockRequest) in
            V3lockpb_LockResponse(try await service.lock(LockRequest(message)))
        }
            + unary("v3lockpb.Lock/Unlock") { (service, message: V3lockpb_UnlockRequest) in
                V3lockpb_UnlockResponse(try await service.unlock([UInt8](message.key)))
            }
    }
}
#endif
