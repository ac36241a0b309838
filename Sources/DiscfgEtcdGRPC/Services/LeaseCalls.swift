#if EtcdGRPC
import DiscfgEtcd
import GRPCServing
import SwiftProtobuf

extension EtcdCalls {
    /// etcd's `Lease` service.
    var lease: Methods {
        unary("etcdserverpb.Lease/LeaseGrant") { (service, message: Etcdserverpb_LeaseGrantRequest) in
            Etcdserverpb_LeaseGrantResponse(try await service.leaseGrant(LeaseGrantRequest(message)))
        }
            + unary("etcdserverpb.Lease/LeaseRevoke") { (service, message: Etcdserverpb_LeaseRevokeRequest) in
                Etcdserverpb_LeaseRevokeResponse(try await service.leaseRevoke(message.id))
            }
            // One stream renews any number of leases, one after the other; it ends when its client has no more to ask.
            + stream("etcdserverpb.Lease/LeaseKeepAlive") {
                (service, requests: EtcdRequests<Etcdserverpb_LeaseKeepAliveRequest>, responses) in
                try await requests.forEach { message in
                    let response = try await service.leaseKeepAlive(message.id)
                    try await responses.write(Etcdserverpb_LeaseKeepAliveResponse(response))
                }
            }
            + unary("etcdserverpb.Lease/LeaseTimeToLive") { (service, message: Etcdserverpb_LeaseTimeToLiveRequest) in
                Etcdserverpb_LeaseTimeToLiveResponse(
                    try await service.leaseTimeToLive(LeaseTimeToLiveRequest(message)))
            }
            + unary("etcdserverpb.Lease/LeaseLeases") { (service, _: Etcdserverpb_LeaseLeasesRequest) in
                Etcdserverpb_LeaseLeasesResponse(try await service.leaseLeases())
            }
    }
}
#endif
