#if EtcdGRPC
@testable import DiscfgEtcdGRPC

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

func bytes(_ text: String) -> Data { Data(text.utf8) }

/// Where the range of all keys with a prefix ends.
func end(of prefix: String) -> Data {
    var end = bytes(prefix)
    if let last = end.popLast() { end.append(last + 1) }
    return end
}

func text(_ bytes: Data) -> String { String(decoding: bytes, as: UTF8.self) }

extension Mvccpb_KeyValue {
    var keyText: String { text(key) }
    var valueText: String { text(value) }
}

extension Mvccpb_Event {
    /// Such as `put a=1` or `delete a`.
    var summary: String { type == .delete ? "delete \(kv.keyText)" : "put \(kv.keyText)=\(kv.valueText)" }
}
#endif
