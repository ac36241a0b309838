#if EtcdGRPC
import DiscfgEtcd
import SwiftProtobuf

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Etcdserverpb_StatusResponse {
    init(_ response: StatusResponse) {
        self.init()
        header = Etcdserverpb_ResponseHeader(response.header)
        version = response.version
        dbSize = response.dbSize
        leader = response.leader
        raftIndex = response.raftIndex
        raftTerm = response.raftTerm
        raftAppliedIndex = response.raftAppliedIndex
        dbSizeInUse = response.dbSizeInUse
    }
}

extension AlarmRequest {
    init(_ message: Etcdserverpb_AlarmRequest) throws(EtcdError) {
        self.init()
        action = try Action(message.action, of: "action")
        memberID = message.memberID
        alarm = try Alarm(message.alarm, of: "alarm")
    }
}

extension Etcdserverpb_HashResponse {
    init(_ response: HashResponse) {
        self.init()
        header = Etcdserverpb_ResponseHeader(response.header)
        hash = response.hash
    }
}

extension Etcdserverpb_HashKVResponse {
    init(_ response: HashResponse) {
        self.init()
        header = Etcdserverpb_ResponseHeader(response.header)
        hash = response.hash
        compactRevision = response.compactRevision
    }
}

extension Etcdserverpb_SnapshotResponse {
    init(_ response: SnapshotResponse) {
        self.init()
        remainingBytes = response.remainingBytes
        blob = Data(response.blob)
    }
}

extension Etcdserverpb_MemberListResponse {
    init(_ response: MemberListResponse) {
        self.init()
        header = Etcdserverpb_ResponseHeader(response.header)
        members = response.members.map { Etcdserverpb_Member($0) }
    }
}

extension Etcdserverpb_Member {
    fileprivate init(_ member: Member) {
        self.init()
        id = member.id
        name = member.name
        peerUrls = member.peerURLs
        clientUrls = member.clientURLs
    }
}
#endif
