#if EtcdGRPC
import DiscfgEtcd
import SwiftProtobuf

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension LeaseGrantRequest {
    init(_ message: Etcdserverpb_LeaseGrantRequest) { self.init(ttl: message.ttl, id: message.id) }
}

extension Etcdserverpb_LeaseGrantResponse {
    init(_ response: LeaseGrantResponse) {
        self.init()
        header = Etcdserverpb_ResponseHeader(response.header)
        id = response.id
        ttl = response.ttl
    }
}

extension Etcdserverpb_LeaseRevokeResponse: HeaderAnswer {}

extension Etcdserverpb_LeaseKeepAliveResponse {
    init(_ response: LeaseKeepAliveResponse) {
        self.init()
        header = Etcdserverpb_ResponseHeader(response.header)
        id = response.id
        ttl = response.ttl
    }
}

extension LeaseTimeToLiveRequest {
    init(_ message: Etcdserverpb_LeaseTimeToLiveRequest) { self.init(id: message.id, keys: message.keys) }
}

extension Etcdserverpb_LeaseTimeToLiveResponse {
    init(_ response: LeaseTimeToLiveResponse) {
        self.init()
        header = Etcdserverpb_ResponseHeader(response.header)
        id = response.id
        ttl = response.ttl
        grantedTtl = response.grantedTTL
        keys = response.keys.map { Data($0) }
    }
}

extension Etcdserverpb_LeaseLeasesResponse {
    init(_ response: LeaseLeasesResponse) {
        self.init()
        header = Etcdserverpb_ResponseHeader(response.header)
        leases = response.leases.map { id in .with { $0.id = id } }
    }
}
#endif
