#if EtcdGRPC
import DiscfgEtcd
import GRPCServing
import SwiftProtobuf

extension EtcdCalls {
    /// etcd's `Election` service.
    var election: Methods {
        unary("v3electionpb.Election/Campaign", waits: true) { (service, message: V3electionpb_CampaignRequest) in
            V3electionpb_CampaignResponse(try await service.campaign(CampaignRequest(message)))
        }
            + unary("v3electionpb.Election/Proclaim") { (service, message: V3electionpb_ProclaimRequest) in
                V3electionpb_ProclaimResponse(try await service.proclaim(ProclaimRequest(message)))
            }
            + unary("v3electionpb.Election/Leader") { (service, message: V3electionpb_LeaderRequest) in
                V3electionpb_LeaderResponse(try await service.leader([UInt8](message.name)))
            }
            + stream("v3electionpb.Election/Observe") {
                (service, requests: EtcdRequests<V3electionpb_LeaderRequest>, responses) in
                let observer = ElectionObserver([UInt8](try await requests.only().name), service)
                while let response = try await observer.next() {
                    try await responses.write(V3electionpb_LeaderResponse(response))
                }
            }
            + unary("v3electionpb.Election/Resign") { (service, message: V3electionpb_ResignRequest) in
                V3electionpb_ResignResponse(try await service.resign(leader: message.leaderKey))
            }
    }
}
#endif
