#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Base64 in events: the standard alphabet with padding.
///
/// Source: RFC 4648, section 4.
enum EventBase64 {
    /// Decodes a text; `nil` if it is not base64.
    static func decode(_ text: String) -> [UInt8]? { Data(base64Encoded: text).map { [UInt8]($0) } }

    /// Encodes bytes.
    static func encode(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
}
