#if EtcdGRPC
import DiscfgEtcd
import GRPCServing

extension GRPCStatus {
    /// The codes are gRPC's own, and the message is etcd's, by which its clients tell one error from another.
    init(_ error: EtcdError) {
        self.init(Code(rawValue: error.code.rawValue) ?? .unknown, error.message)
    }
}
#endif
