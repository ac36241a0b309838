#if EtcdGRPC
import DiscfgEtcd
import SwiftProtobuf

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension LeaderKey {
    fileprivate init(_ message: V3electionpb_LeaderKey) {
        self.init(
            name: [UInt8](message.name), key: [UInt8](message.key), rev: message.rev, lease: message.lease)
    }
}

extension V3electionpb_LeaderKey {
    fileprivate init(_ leader: LeaderKey) {
        self.init()
        name = Data(leader.name)
        key = Data(leader.key)
        rev = leader.rev
        lease = leader.lease
    }
}

extension CampaignRequest {
    init(_ message: V3electionpb_CampaignRequest) {
        self.init(name: [UInt8](message.name), lease: message.lease, value: [UInt8](message.value))
    }
}

extension V3electionpb_CampaignResponse {
    init(_ response: CampaignResponse) {
        self.init()
        header = Etcdserverpb_ResponseHeader(response.header)
        leader = V3electionpb_LeaderKey(response.leader)
    }
}

extension ProclaimRequest {
    init(_ message: V3electionpb_ProclaimRequest) {
        self.init(leader: message.hasLeader ? LeaderKey(message.leader) : nil, value: [UInt8](message.value))
    }
}

extension V3electionpb_ProclaimResponse: HeaderAnswer {}

extension V3electionpb_ResignRequest {
    /// Who resigns, where that was said.
    var leaderKey: LeaderKey? { hasLeader ? LeaderKey(leader) : nil }
}

extension V3electionpb_ResignResponse: HeaderAnswer {}

extension V3electionpb_LeaderResponse {
    init(_ response: LeaderResponse) {
        self.init()
        header = Etcdserverpb_ResponseHeader(response.header)
        kv = Mvccpb_KeyValue(response.kv)
    }
}
#endif
