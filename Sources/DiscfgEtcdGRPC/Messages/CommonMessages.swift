#if EtcdGRPC
import DiscfgEtcd
import SwiftProtobuf

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension RawRepresentable where Self: CaseIterable, RawValue == Int {
    /// The case with the number of a protobuf value, which may be one that nobody knows.
    init(_ value: some SwiftProtobuf.Enum, of field: String) throws(EtcdError) {
        guard let known = Self(rawValue: value.rawValue) else {
            throw EtcdError(
                .invalidArgument,
                "discfg: \(field) is \(value.rawValue), which means nothing. Send a number below \(Self.allCases.count)."
            )
        }
        self = known
    }
}

extension Etcdserverpb_ResponseHeader {
    init(_ header: ResponseHeader) {
        self.init()
        clusterID = header.clusterID
        memberID = header.memberID
        revision = header.revision
        raftTerm = header.raftTerm
    }
}

extension Mvccpb_KeyValue {
    init(_ kv: KeyValue) {
        self.init()
        key = Data(kv.key)
        createRevision = kv.createRevision
        modRevision = kv.modRevision
        version = kv.version
        value = Data(kv.value)
        lease = kv.lease
    }
}

extension Mvccpb_Event {
    init(_ event: Event) {
        self.init()
        switch event.kind {
        case .put: type = .put
        case .delete: type = .delete
        }
        kv = Mvccpb_KeyValue(event.kv)
        if let previous = event.prevKv { prevKv = Mvccpb_KeyValue(previous) }
    }
}

/// An answer that says nothing but how the store is.
protocol HeaderAnswer: SwiftProtobuf.Message {
    var header: Etcdserverpb_ResponseHeader { get set }
}

extension HeaderAnswer {
    init(_ header: ResponseHeader) {
        self.init()
        self.header = Etcdserverpb_ResponseHeader(header)
    }
}
#endif
