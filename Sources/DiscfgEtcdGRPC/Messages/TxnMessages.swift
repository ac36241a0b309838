#if EtcdGRPC
import DiscfgEtcd
import SwiftProtobuf

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Compare {
    init(_ message: Etcdserverpb_Compare) throws(EtcdError) {
        self.init(
            [UInt8](message.key), rangeEnd: [UInt8](message.rangeEnd), try Target(message.target, of: "target"),
            try Result(message.result, of: "result"), message.targetUnion.map { Operand($0) })
    }
}

extension Compare.Operand {
    fileprivate init(_ union: Etcdserverpb_Compare.OneOf_TargetUnion) {
        switch union {
        case .version(let version): self = .version(version)
        case .createRevision(let revision): self = .createRevision(revision)
        case .modRevision(let revision): self = .modRevision(revision)
        case .value(let value): self = .value([UInt8](value))
        case .lease(let lease): self = .lease(lease)
        }
    }
}

extension TxnRequest {
    /// How deep transactions are nested is bounded by what the decoder of protobuf allows.
    init(_ message: Etcdserverpb_TxnRequest) throws(EtcdError) {
        self.init(
            compare: try message.compare.map(Compare.init),
            success: try message.success.map(RequestOp.init),
            failure: try message.failure.map(RequestOp.init))
    }
}

extension RequestOp {
    fileprivate init(_ message: Etcdserverpb_RequestOp) throws(EtcdError) {
        switch message.request {
        case .requestRange(let request): self = .range(try RangeRequest(request))
        case .requestPut(let request): self = .put(PutRequest(request))
        case .requestDeleteRange(let request): self = .deleteRange(DeleteRangeRequest(request))
        case .requestTxn(let request): self = .txn(try TxnRequest(request))
        case nil: self = .none
        }
    }
}

extension Etcdserverpb_TxnResponse {
    init(_ response: TxnResponse) {
        self.init()
        header = Etcdserverpb_ResponseHeader(response.header)
        succeeded = response.succeeded
        responses = response.responses.map { Etcdserverpb_ResponseOp($0) }
    }
}

extension Etcdserverpb_ResponseOp {
    fileprivate init(_ response: ResponseOp) {
        self.init()
        switch response {
        case .range(let response): responseRange = Etcdserverpb_RangeResponse(response)
        case .put(let response): responsePut = Etcdserverpb_PutResponse(response)
        case .deleteRange(let response): responseDeleteRange = Etcdserverpb_DeleteRangeResponse(response)
        case .txn(let response): responseTxn = Etcdserverpb_TxnResponse(response)
        }
    }
}
#endif
