#if EtcdGRPC
import DiscfgEtcd
import SwiftProtobuf

extension Etcdserverpb_AuthStatusResponse {
    init(_ response: AuthStatusResponse) {
        self.init()
        header = Etcdserverpb_ResponseHeader(response.header)
        enabled = response.enabled
    }
}

extension Etcdserverpb_AuthDisableResponse: HeaderAnswer {}
extension Etcdserverpb_AuthUserListResponse: HeaderAnswer {}
extension Etcdserverpb_AuthRoleListResponse: HeaderAnswer {}
#endif
