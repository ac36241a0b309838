#if EtcdGRPC
import DiscfgEtcd
import GRPCCore

/// etcd's `Lease` service.
struct LeaseCalls: Etcdserverpb_Lease.ServiceProtocol {
    let calls: EtcdCalls

    func leaseGrant(
        request: ServerRequest<Etcdserverpb_LeaseGrantRequest>, context: ServerContext
    ) async throws -> ServerResponse<Etcdserverpb_LeaseGrantResponse> {
        try await calls.answer(request) { service, message in
            Etcdserverpb_LeaseGrantResponse(try await service.leaseGrant(LeaseGrantRequest(message)))
        }
    }

    func leaseRevoke(
        request: ServerRequest<Etcdserverpb_LeaseRevokeRequest>, context: ServerContext
    ) async throws -> ServerResponse<Etcdserverpb_LeaseRevokeResponse> {
        try await calls.answer(request) { service, message in
            Etcdserverpb_LeaseRevokeResponse(try await service.leaseRevoke(message.id))
        }
    }

    /// One stream renews any number of leases, one after the other; it ends when its client has no more to ask.
    func leaseKeepAlive(
        request: StreamingServerRequest<Etcdserverpb_LeaseKeepAliveRequest>, context: ServerContext
    ) async throws -> StreamingServerResponse<Etcdserverpb_LeaseKeepAliveResponse> {
        try calls.stream(request.metadata, context) { service, writer in
            for try await message in request.messages {
                let response = try await service.leaseKeepAlive(message.id)
                try await writer.write(Etcdserverpb_LeaseKeepAliveResponse(response))
            }
        }
    }

    func leaseTimeToLive(
        request: ServerRequest<Etcdserverpb_LeaseTimeToLiveRequest>, context: ServerContext
    ) async throws -> ServerResponse<Etcdserverpb_LeaseTimeToLiveResponse> {
        try await calls.answer(request) { service, message in
            Etcdserverpb_LeaseTimeToLiveResponse(try await service.leaseTimeToLive(LeaseTimeToLiveRequest(message)))
        }
    }

    func leaseLeases(
        request: ServerRequest<Etcdserverpb_LeaseLeasesRequest>, context: ServerContext
    ) async throws -> ServerResponse<Etcdserverpb_LeaseLeasesResponse> {
        try await calls.answer(request) { service, _ in
            Etcdserverpb_LeaseLeasesResponse(try await service.leaseLeases())
        }
    }
}
#endif
