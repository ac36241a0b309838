import DiscfgCore

extension EtcdError {
    /// Translates any error into etcd's.
    package init(answering error: any Error) {
        switch error {
        case let error as EtcdError: self = error
        case is CancellationError: self = EtcdError(.canceled, "context canceled")
        case let error as DiscfgError: self.init(error)
        default: self.init(.unknown, "discfg: Something failed inside the server.")
        }
    }

    private init(_ error: DiscfgError) {
        switch error.code {
        case .keyNotFound: self = .keyNotFound
        case .compacted: self = .compacted
        case .futureRevision: self = .futureRevision
        case .leaseNotFound: self = .leaseNotFound
        case .leaseExists: self = .leaseExists
        case .storeNotWritable: self = .noSpace
        case .overloaded: self = .tooManyRequests
        // As with etcd, it is unknown whether the write took effect.
        case .outcomeUnknown: self = .timeout
        default: self.init(Self.code(of: error.code), "discfg: \(error)")
        }
    }

    private static func code(of code: DiscfgError.Code) -> Code {
        switch code {
        case .invalidName, .invalidRequest, .tooLarge, .notJSON: .invalidArgument
        case .configNotFound: .notFound
        case .forbidden: .permissionDenied
        case .unsupported: .unimplemented
        case .storeUnavailable: .unavailable
        default: .unknown
        }
    }
}
