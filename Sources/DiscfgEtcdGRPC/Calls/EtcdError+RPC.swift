#if EtcdGRPC
package import DiscfgEtcd
package import GRPCCore

/// The codes are gRPC's own, and the message is etcd's, by which its clients tell one error from another.
extension EtcdError: RPCErrorConvertible {
    package var rpcErrorCode: RPCError.Code {
        switch code {
        case .canceled: .cancelled
        case .unknown: .unknown
        case .invalidArgument: .invalidArgument
        case .deadlineExceeded: .deadlineExceeded
        case .notFound: .notFound
        case .permissionDenied: .permissionDenied
        case .resourceExhausted: .resourceExhausted
        case .failedPrecondition: .failedPrecondition
        case .outOfRange: .outOfRange
        case .unimplemented: .unimplemented
        case .unavailable: .unavailable
        case .unauthenticated: .unauthenticated
        }
    }

    package var rpcErrorMessage: String { message }

    package var rpcErrorCause: (any Error)? { nil }
}
#endif
