import DiscfgCore
import DiscfgEtcd
import HTTPTypes
import Hummingbird

extension EtcdV3Routes {
    func addKeys(to table: RouteTable) {
        unary("kv/range", to: table, RangeRequest.self) { service, request throws(EtcdError) in
            try await service.range(request)
        }
        unary("kv/put", to: table, PutRequest.self) { service, request throws(EtcdError) in
            try await service.put(request)
        }
        unary("kv/deleterange", to: table, DeleteRangeRequest.self) { service, request throws(EtcdError) in
            try await service.deleteRange(request)
        }
        unary("kv/txn", to: table, TxnRequest.self) { service, request throws(EtcdError) in
            try await service.txn(request)
        }
        unary("kv/compaction", to: table, CompactionRequest.self) { service, request throws(EtcdError) in
            HeaderResponse(header: try await service.compact(request))
        }
        on("watch", to: table) { service, call throws(EtcdError) in try await watch(service, call) }
    }

    func addLeases(to table: RouteTable) {
        unary("lease/grant", to: table, LeaseGrantRequest.self) { service, request throws(EtcdError) in
            try await service.leaseGrant(request)
        }
        // Some clients know the second path only.
        for path in ["lease", "kv/lease"] {
            unary("\(path)/revoke", to: table, IDRequest<Int64>.self) { service, request throws(EtcdError) in
                HeaderResponse(header: try await service.leaseRevoke(request.id))
            }
            unary("\(path)/timetolive", to: table, LeaseTimeToLiveRequest.self) { service, request throws(EtcdError) in
                try await service.leaseTimeToLive(request)
            }
            unary("\(path)/leases", to: table, EmptyRequest.self) { service, _ throws(EtcdError) in
                try await service.leaseLeases()
            }
        }
        on("lease/keepalive", to: table) { service, call throws(EtcdError) in try await keepAlive(service, call) }
    }

    func addCoordination(to table: RouteTable) {
        waiting("lock/lock", to: table, LockRequest.self) { service, request throws(EtcdError) in
            try await service.lock(request)
        }
        unary("lock/unlock", to: table, NameRequest.self) { service, request throws(EtcdError) in
            HeaderResponse(header: try await service.unlock(request.bytes))
        }
        waiting("election/campaign", to: table, CampaignRequest.self) { service, request throws(EtcdError) in
            try await service.campaign(request)
        }
        unary("election/proclaim", to: table, ProclaimRequest.self) { service, request throws(EtcdError) in
            HeaderResponse(header: try await service.proclaim(request))
        }
        unary("election/resign", to: table, ProclaimRequest.self) { service, request throws(EtcdError) in
            HeaderResponse(header: try await service.resign(leader: request.leader))
        }
        unary("election/leader", to: table, NameRequest.self) { service, request throws(EtcdError) in
            try await service.leader(request.bytes)
        }
        on("election/observe", to: table) { service, call throws(EtcdError) in try await observe(service, call) }
    }

    func addMaintenance(to table: RouteTable) {
        unary("maintenance/status", to: table, EmptyRequest.self) { service, _ throws(EtcdError) in
            try await service.status()
        }
        unary("maintenance/alarm", to: table, AlarmRequest.self) { service, request throws(EtcdError) in
            try service.alarm(request)
            return EmptyResponse()
        }
        unary("maintenance/defragment", to: table, EmptyRequest.self) { service, _ throws(EtcdError) in
            service.defragment()
            return EmptyResponse()
        }
        // The gateway of 3.4 reads no revision here.
        unary("maintenance/hash", to: table, EmptyRequest.self) { service, _ throws(EtcdError) in
            try await service.hash()
        }
        unary("maintenance/transfer-leadership", to: table, IDRequest<UInt64>.self) {
            service, request throws(EtcdError) in
            try service.moveLeader(to: request.id)
            return EmptyResponse()
        }
        on("maintenance/snapshot", to: table) { service, call throws(EtcdError) in try await snapshot(service, call) }
    }

    func addCluster(to table: RouteTable) {
        on("cluster/member/list", to: table) { service, call throws(EtcdError) in
            // The URL by which the caller came is one by which it comes again.
            let urls = call.request.head.authority.map { ["\(call.request.head.scheme ?? "http")://\($0)"] }
            return .etcd(service.memberList(clientURLs: urls).json)
        }
        unary("cluster/member/add", to: table, EmptyRequest.self) { service, _ throws(EtcdError) -> EmptyResponse in
            try service.memberAdd()
        }
        unary("cluster/member/remove", to: table, IDRequest<UInt64>.self) {
            service, request throws(EtcdError) -> EmptyResponse in try service.memberRemove(request.id)
        }
        unary("cluster/member/update", to: table, IDRequest<UInt64>.self) {
            service, request throws(EtcdError) -> EmptyResponse in try service.memberUpdate(request.id)
        }
        unary("cluster/member/promote", to: table, IDRequest<UInt64>.self) {
            service, request throws(EtcdError) -> EmptyResponse in try service.memberPromote(request.id)
        }
    }

    func addAuth(to table: RouteTable) {
        unary("auth/enable", to: table, EmptyRequest.self) { service, _ throws(EtcdError) -> EmptyResponse in
            try service.authEnable()
        }
        unary("auth/disable", to: table, EmptyRequest.self) { service, _ throws(EtcdError) in
            HeaderResponse(header: try await service.authDisable())
        }
        unary("auth/authenticate", to: table, EmptyRequest.self) { service, _ throws(EtcdError) -> EmptyResponse in
            try service.authenticate()
        }
        unary("auth/user/add", to: table, AuthNameRequest.self) {
            service, request throws(EtcdError) -> EmptyResponse in try service.userAdd(name: request.name)
        }
        unary("auth/role/add", to: table, AuthNameRequest.self) {
            service, request throws(EtcdError) -> EmptyResponse in try service.roleAdd(name: request.name)
        }
        unary("auth/user/list", to: table, EmptyRequest.self) { service, _ throws(EtcdError) in
            HeaderResponse(header: try await service.userList())
        }
        unary("auth/role/list", to: table, EmptyRequest.self) { service, _ throws(EtcdError) in
            HeaderResponse(header: try await service.roleList())
        }
        for call in ["get", "delete", "changepw", "grant", "revoke"] {
            unary("auth/user/\(call)", to: table, EmptyRequest.self) { service, _ throws(EtcdError) -> EmptyResponse in
                try service.userMissing()
            }
        }
        for call in ["get", "delete", "grant", "revoke"] {
            unary("auth/role/\(call)", to: table, EmptyRequest.self) { service, _ throws(EtcdError) -> EmptyResponse in
                try service.roleMissing()
            }
        }
    }
}
