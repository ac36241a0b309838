#if EtcdGRPC
import DiscfgEtcd
import GRPCCore
import SwiftProtobuf

/// etcd's `KV` service.
struct KVCalls: Etcdserverpb_KV.ServiceProtocol {
    let calls: EtcdCalls

    func range(
        request: ServerRequest<Etcdserverpb_RangeRequest>, context: ServerContext
    ) async throws -> ServerResponse<Etcdserverpb_RangeResponse> {
        try await calls.answer(request) { service, message in
            Etcdserverpb_RangeResponse(try await service.range(try RangeRequest(message)))
        }
    }

    func put(
        request: ServerRequest<Etcdserverpb_PutRequest>, context: ServerContext
    ) async throws -> ServerResponse<Etcdserverpb_PutResponse> {
        try await calls.answer(request) { service, message in
            Etcdserverpb_PutResponse(try await service.put(PutRequest(message)))
        }
    }

    func deleteRange(
        request: ServerRequest<Etcdserverpb_DeleteRangeRequest>, context: ServerContext
    ) async throws -> ServerResponse<Etcdserverpb_DeleteRangeResponse> {
        try await calls.answer(request) { service, message in
            Etcdserverpb_DeleteRangeResponse(try await service.deleteRange(DeleteRangeRequest(message)))
        }
    }

    func txn(
        request: ServerRequest<Etcdserverpb_TxnRequest>, context: ServerContext
    ) async throws -> ServerResponse<Etcdserverpb_TxnResponse> {
        try await calls.answer(request) { service, message in
            Etcdserverpb_TxnResponse(try await service.txn(try TxnRequest(message)))
        }
    }

    func compact(
        request: ServerRequest<Etcdserverpb_CompactionRequest>, context: ServerContext
    ) async throws -> ServerResponse<Etcdserverpb_CompactionResponse> {
        try await calls.answer(request) { service, message in
            Etcdserverpb_CompactionResponse(try await service.compact(CompactionRequest(message)))
        }
    }
}

extension KVCalls {
    /// The calls that are made all the time, without grpc-swift's executor of calls.
    func shortcuts(_ errors: ErrorAnswers, limit: Int) -> [String: UnaryShortcut<EtcdTransport.Bytes>] {
        typealias Method = Etcdserverpb_KV.Method
        func shortcut<Input: Message, Output: Message>(
            _ method: MethodDescriptor,
            _ body:
                @escaping @Sendable (ServerRequest<Input>, ServerContext) async throws -> ServerResponse<Output>
        ) -> (String, UnaryShortcut<EtcdTransport.Bytes>) {
            let name = method.fullyQualifiedMethod
            return (name, UnaryShortcut(errors: errors, limit: MessageLimit(of: name, large: limit), body))
        }
        return Dictionary(
            uniqueKeysWithValues: [
                shortcut(Method.Range.descriptor, range(request:context:)),
                shortcut(Method.Put.descriptor, put(request:context:)),
                shortcut(Method.DeleteRange.descriptor, deleteRange(request:context:)),
                shortcut(Method.Txn.descriptor, txn(request:context:)),
            ])
    }
}

extension UnaryShortcut {
    /// The shortcut of a method of a service.
    fileprivate init<Input: Message, Output: Message>(
        errors: ErrorAnswers, limit: MessageLimit,
        _ method: @escaping @Sendable (ServerRequest<Input>, ServerContext) async throws -> ServerResponse<Output>
    ) {
        self.init(errors: errors, limit: limit) { (message: Input, metadata, context) in
            try await method(ServerRequest(metadata: metadata, message: message), context).message
        }
    }
}
#endif
