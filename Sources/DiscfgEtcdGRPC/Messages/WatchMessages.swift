#if EtcdGRPC
import DiscfgEtcd
import SwiftProtobuf

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension WatchRequest {
    /// What is asked; `nil` where that is nothing, which etcd passes over.
    init?(_ message: Etcdserverpb_WatchRequest) throws {
        switch message.requestUnion {
        case .createRequest(let request): self = .create(try WatchCreateRequest(request))
        case .cancelRequest(let request): self = .cancel(request.watchID)
        case .progressRequest: self = .progress
        case nil: return nil
        }
    }
}

extension WatchCreateRequest {
    fileprivate init(_ message: Etcdserverpb_WatchCreateRequest) throws {
        self.init(
            key: [UInt8](message.key), rangeEnd: [UInt8](message.rangeEnd), startRevision: message.startRevision)
        progressNotify = message.progressNotify
        filters = try message.filters.map { try Filter($0, of: "filters") }
        prevKv = message.prevKv
        watchID = message.watchID
        fragment = message.fragment
    }
}

extension Etcdserverpb_WatchResponse {
    init(_ response: WatchResponse) {
        self.init()
        header = Etcdserverpb_ResponseHeader(response.header)
        watchID = response.watchID
        created = response.created
        canceled = response.canceled
        compactRevision = response.compactRevision
        cancelReason = response.cancelReason
        fragment = response.fragment
        events = response.events.map { Mvccpb_Event($0) }
    }
}
#endif
