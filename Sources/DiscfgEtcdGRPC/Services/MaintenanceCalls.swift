#if EtcdGRPC
import DiscfgEtcd
import GRPCCore

/// etcd's `Maintenance` service.
struct MaintenanceCalls: Etcdserverpb_Maintenance.ServiceProtocol {
    let calls: EtcdCalls

    func alarm(
        request: ServerRequest<Etcdserverpb_AlarmRequest>, context: ServerContext
    ) async throws -> ServerResponse<Etcdserverpb_AlarmResponse> {
        try await calls.answer(request) { service, message in
            try service.alarm(try AlarmRequest(message))
            return Etcdserverpb_AlarmResponse()
        }
    }

    func status(
        request: ServerRequest<Etcdserverpb_StatusRequest>, context: ServerContext
    ) async throws -> ServerResponse<Etcdserverpb_StatusResponse> {
        try await calls.answer(request) { service, _ in Etcdserverpb_StatusResponse(try await service.status()) }
    }

    func defragment(
        request: ServerRequest<Etcdserverpb_DefragmentRequest>, context: ServerContext
    ) async throws -> ServerResponse<Etcdserverpb_DefragmentResponse> {
        try await calls.answer(request) { service, _ in
            service.defragment()
            return Etcdserverpb_DefragmentResponse()
        }
    }

    func hash(
        request: ServerRequest<Etcdserverpb_HashRequest>, context: ServerContext
    ) async throws -> ServerResponse<Etcdserverpb_HashResponse> {
        try await calls.answer(request) { service, _ in Etcdserverpb_HashResponse(try await service.hash()) }
    }

    func hashKV(
        request: ServerRequest<Etcdserverpb_HashKVRequest>, context: ServerContext
    ) async throws -> ServerResponse<Etcdserverpb_HashKVResponse> {
        try await calls.answer(request) { service, message in
            Etcdserverpb_HashKVResponse(try await service.hash(revision: message.revision))
        }
    }

    func snapshot(
        request: ServerRequest<Etcdserverpb_SnapshotRequest>, context: ServerContext
    ) async throws -> StreamingServerResponse<Etcdserverpb_SnapshotResponse> {
        try calls.stream(request.metadata, context) { service, writer in
            let snapshot = try await EtcdSnapshot(service)
            while let part = try await snapshot.next() {
                try await writer.write(Etcdserverpb_SnapshotResponse(part))
            }
        }
    }

    func moveLeader(
        request: ServerRequest<Etcdserverpb_MoveLeaderRequest>, context: ServerContext
    ) async throws -> ServerResponse<Etcdserverpb_MoveLeaderResponse> {
        try await calls.answer(request) { service, message in
            try service.moveLeader(to: message.targetID)
            return Etcdserverpb_MoveLeaderResponse()
        }
    }

    func downgrade(
        request: ServerRequest<Etcdserverpb_DowngradeRequest>, context: ServerContext
    ) async throws -> ServerResponse<Etcdserverpb_DowngradeResponse> {
        try calls.refuse(request) { service, _ in try service.downgrade() }
    }
}
#endif
