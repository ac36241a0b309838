#if EtcdGRPC
import DiscfgEtcd
import GRPCCore

/// etcd's `Cluster` service.
struct ClusterCalls: Etcdserverpb_Cluster.ServiceProtocol {
    let calls: EtcdCalls

    func memberList(
        request: ServerRequest<Etcdserverpb_MemberListRequest>, context: ServerContext
    ) async throws -> ServerResponse<Etcdserverpb_MemberListResponse> {
        try await calls.answer(request) { service, _ in
            let address = Self.address(request.metadata) ?? Self.address(context)
            return Etcdserverpb_MemberListResponse(service.memberList(clientURLs: address.map { ["http://\($0)"] }))
        }
    }

    func memberAdd(
        request: ServerRequest<Etcdserverpb_MemberAddRequest>, context: ServerContext
    ) async throws -> ServerResponse<Etcdserverpb_MemberAddResponse> {
        try calls.refuse(request) { service, _ in try service.memberAdd() }
    }

    func memberRemove(
        request: ServerRequest<Etcdserverpb_MemberRemoveRequest>, context: ServerContext
    ) async throws -> ServerResponse<Etcdserverpb_MemberRemoveResponse> {
        try calls.refuse(request) { service, message in try service.memberRemove(message.id) }
    }

    func memberUpdate(
        request: ServerRequest<Etcdserverpb_MemberUpdateRequest>, context: ServerContext
    ) async throws -> ServerResponse<Etcdserverpb_MemberUpdateResponse> {
        try calls.refuse(request) { service, message in try service.memberUpdate(message.id) }
    }

    func memberPromote(
        request: ServerRequest<Etcdserverpb_MemberPromoteRequest>, context: ServerContext
    ) async throws -> ServerResponse<Etcdserverpb_MemberPromoteResponse> {
        try calls.refuse(request) { service, message in try service.memberPromote(message.id) }
    }
}

extension ClusterCalls {
    /// The host and port by which the client calls the server; some clients put something else there.
    private static func address(_ metadata: Metadata) -> String? {
        metadata[stringValues: ":authority"].first { $0.isAddress }
    }

    /// The host and port of the connection's end here, which grpc-swift tells as `ipv4:127.0.0.1:2379`.
    private static func address(_ context: ServerContext) -> String? {
        let parts = context.localPeer.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, ["ipv4", "ipv6"].contains(parts[0]) else { return nil }
        return String(parts[1])
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
