#if EtcdGRPC
import DiscfgEtcd
import SwiftProtobuf

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension LockRequest {
    init(_ message: V3lockpb_LockRequest) { self.init(name: [UInt8](message.name), lease: message.lease) }
}

extension V3lockpb_LockResponse {
    init(_ response: LockResponse) {
        self.init()
        header = Etcdserverpb_ResponseHeader(response.header)
        key = Data(response.key)
    }
}

extension V3lockpb_UnlockResponse: HeaderAnswer {}
#endif
