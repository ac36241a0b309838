#if EtcdGRPC
import DiscfgEtcd
import GRPCCore

/// etcd's `Election` service.
struct ElectionCalls: V3electionpb_Election.ServiceProtocol {
    let calls: EtcdCalls

    func campaign(
        request: ServerRequest<V3electionpb_CampaignRequest>, context: ServerContext
    ) async throws -> ServerResponse<V3electionpb_CampaignResponse> {
        try await calls.answerInTime(request, context) { service, message in
            V3electionpb_CampaignResponse(try await service.campaign(CampaignRequest(message)))
        }
    }

    func proclaim(
        request: ServerRequest<V3electionpb_ProclaimRequest>, context: ServerContext
    ) async throws -> ServerResponse<V3electionpb_ProclaimResponse> {
        try await calls.answer(request) { service, message in
            V3electionpb_ProclaimResponse(try await service.proclaim(ProclaimRequest(message)))
        }
    }

    func leader(
        request: ServerRequest<V3electionpb_LeaderRequest>, context: ServerContext
    ) async throws -> ServerResponse<V3electionpb_LeaderResponse> {
        try await calls.answer(request) { service, message in
            V3electionpb_LeaderResponse(try await service.leader([UInt8](message.name)))
        }
    }

    func observe(
        request: ServerRequest<V3electionpb_LeaderRequest>, context: ServerContext
    ) async throws -> StreamingServerResponse<V3electionpb_LeaderResponse> {
        try calls.stream(request.metadata, context) { service, writer in
            let observer = ElectionObserver([UInt8](request.message.name), service)
            while let response = try await observer.next() {
                try await writer.write(V3electionpb_LeaderResponse(response))
            }
        }
    }

    func resign(
        request: ServerRequest<V3electionpb_ResignRequest>, context: ServerContext
    ) async throws -> ServerResponse<V3electionpb_ResignResponse> {
        try await calls.answer(request) { service, message in
            V3electionpb_ResignResponse(try await service.resign(leader: message.leaderKey))
        }
    }
}
#endif
