#if EtcdGRPC
import DiscfgEtcd
import GRPCServing
import SwiftProtobuf

extension EtcdCalls {
    /// etcd's `Maintenance` service.
    var maintenance: Methods {
        unary("etcdserverpb.Maintenance/Alarm") { (service, message: Etcdserverpb_AlarmRequest) in
            try service.alarm(try AlarmRequest(message))
            return Etcdserverpb_AlarmResponse()
        }
            + unary("etcdserverpb.Maintenance/Status") { (service, _: Etcdserverpb_StatusRequest) in
                Etcdserverpb_StatusResponse(try await service.status())
            }
            + unary("etcdserverpb.Maintenance/Defragment") { (service, _: Etcdserverpb_DefragmentRequest) in
                service.defragment()
                return Etcdserverpb_DefragmentResponse()
            }
            + unary("etcdserverpb.Maintenance/Hash") { (service, _: Etcdserverpb_HashRequest) in
                Etcdserverpb_HashResponse(try await service.hash())
            }
            + unary("etcdserverpb.Maintenance/HashKV") { (service, message: Etcdserverpb_HashKVRequest) in
                Etcdserverpb_HashKVResponse(try await service.hash(revision: message.revision))
            }
            + snapshot
            + unary("etcdserverpb.Maintenance/MoveLeader") { (service, message: Etcdserverpb_MoveLeaderRequest) in
                try service.moveLeader(to: message.targetID)
                return Etcdserverpb_MoveLeaderResponse()
            }
            + refusal("etcdserverpb.Maintenance/Downgrade", of: Etcdserverpb_DowngradeRequest.self) { service, _ in
                try service.downgrade()
            }
    }

    private var snapshot: Methods {
        stream("etcdserverpb.Maintenance/Snapshot") {
            (service, requests: EtcdRequests<Etcdserverpb_SnapshotRequest>, responses) in
            _ = try await requests.only()
            let snapshot = try await EtcdSnapshot(service)
            while let part = try await snapshot.next() {
                try await responses.write(Etcdserverpb_SnapshotResponse(part))
            }
        }
    }
}
#endif
