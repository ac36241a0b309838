import DiscfgEtcd

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Base64 as etcd's clients send it: in the standard alphabet or the one for URLs, with or without padding.
///
/// Source: RFC 4648, sections 4 and 5.
enum EtcdBase64 {
    private static let padding = UInt8(ascii: "=")

    /// The bytes that a text stands for.
    ///
    /// - Throws: `EtcdError` with the offset from which on the text is wrong, worded as Go words it: clients compare it.
    static func decode(_ text: ArraySlice<UInt8>) throws(EtcdError) -> [UInt8] {
        // Foundation's decoder takes more than that, and does not say where it stops.
        let isPadded = text.last == padding
        let digits = isPadded ? text.dropLast(text.dropLast().last == padding ? 2 : 1) : text
        var standard = Data(digits.map(standardized))
        let wrong = standard.firstIndex { !isDigit($0) }
        let isComplete = isPadded ? text.count % 4 == 0 : digits.count % 4 != 1
        standard.append(contentsOf: repeatElement(padding, count: (4 - digits.count % 4) % 4))
        guard wrong == nil, isComplete, let bytes = Data(base64Encoded: standard) else {
            throw EtcdError(.invalidArgument, "illegal base64 data at input byte \(wrong ?? text.count)")
        }
        return [UInt8](bytes)
    }

    private static func standardized(_ character: UInt8) -> UInt8 {
        switch character {
        case UInt8(ascii: "-"): UInt8(ascii: "+")
        case UInt8(ascii: "_"): UInt8(ascii: "/")
        default: character
        }
    }

    private static func isDigit(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
            true
        default: false
        }
    }
}
