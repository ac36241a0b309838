#if EtcdGRPC
import DiscfgEtcd
import GRPCServing
import NIOCore
import NIOHPACK
import SwiftProtobuf

extension EtcdCalls {
    /// etcd's `Cluster` service.
    var cluster: Methods {
        unary("etcdserverpb.Cluster/MemberList") { (service, _: Etcdserverpb_MemberListRequest, call) in
            let address = Self.calledAddress(call) ?? Self.localAddress(call)
            return Etcdserverpb_MemberListResponse(service.memberList(clientURLs: address.map { ["http://\($0)"] }))
        }
            + refusal("etcdserverpb.Cluster/MemberAdd", of: Etcdserverpb_MemberAddRequest.self) { service, _ in
                try service.memberAdd()
            }
            + refusal("etcdserverpb.Cluster/MemberRemove", of: Etcdserverpb_MemberRemoveRequest.self) {
                try $0.memberRemove($1.id)
            }
            + refusal("etcdserverpb.Cluster/MemberUpdate", of: Etcdserverpb_MemberUpdateRequest.self) {
                try $0.memberUpdate($1.id)
            }
            + refusal("etcdserverpb.Cluster/MemberPromote", of: Etcdserverpb_MemberPromoteRequest.self) {
                try $0.memberPromote($1.id)
            }
    }

    /// The host and port by which the client calls the server; some clients put something else there.
    private static func calledAddress(_ call: GRPCCall) -> String? {
        call.metadata[":authority"].first { $0.isAddress }
    }

    /// The host and port of the connection's end here.
    private static func localAddress(_ call: GRPCCall) -> String? {
        guard let address = call.localAddress, let host = address.ipAddress, let port = address.port else {
            return nil
        }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}

extension String {
    /// Whether it is a host, which is a name or an IP address, with a port.
    fileprivate var isAddress: Bool {
        guard utf8.count <= 300, let colon = lastIndex(of: ":"), UInt16(self[index(after: colon)...]) != nil else {
            return false
        }
        let host = self[..<colon]
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        return !host.isEmpty
            && host.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                case UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ":"), UInt8(ascii: "%"): isBracketed
                default: false
                }
            }
    }
}
#endif
