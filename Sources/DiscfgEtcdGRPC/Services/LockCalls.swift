#if EtcdGRPC
import DiscfgEtcd
import GRPCCore

/// etcd's `Lock` service.
struct LockCalls: V3lockpb_Lock.ServiceProtocol {
    let calls: EtcdCalls

    func lock(
        request: ServerRequest<V3lockpb_LockRequest>, context: ServerContext
    ) async throws -> ServerResponse<V3lockpb_LockResponse> {
        try await calls.answerInTime(request, context) { service, message in
            V3lockpb_LockResponse(try await service.lock(LockRequest(message)))
        }
    }

    func unlock(
        request: ServerRequest<V3lockpb_UnlockRequest>, context: ServerContext
    ) async throws -> ServerResponse<V3lockpb_UnlockResponse> {
        try await calls.answer(request) { service, message in
            V3lockpb_UnlockResponse(try await service.unlock([UInt8](message.key)))
        }
    }
}
#endif
