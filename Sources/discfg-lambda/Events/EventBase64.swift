#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Base64 as events have it: the standard alphabet with padding.
///
/// Source: RFC 4648, section 4.
enum EventBase64 {
    /// The bytes that a text stands for; `nil` when it is not base64.
    static func decode(_ text: String) -> [UInt8]? { Data(base64Encoded: text).map { [UInt8]($0) } }

    /// The text for these bytes.
    static func encode(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
}
