import DiscfgFormats

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The tags that are read.
///
/// Source: https://yaml.org/type/.
enum YAMLTag {
    static let standard = "tag:yaml.org,2002:"
    static let nonSpecific = "!"
    static let seq = standard + "seq"
    static let map = standard + "map"
    static let str = standard + "str"
    static let scalars = ["bool", "int", "float", "null", "timestamp", "binary"].map { standard + $0 }

    /// The scalar under an explicit tag, or `nil` if the text is no such thing.
    static func construct(_ tag: String, _ text: String) -> ConfigTree? {
        guard scalars.contains(tag) else { return nil }
        let resolved = YAMLScalar.resolve(text)
        switch (tag.dropFirst(standard.count), resolved) {
        case ("null", .null), ("bool", .bool): return resolved
        case ("int", .number(let literal)): return literal.contains(".") ? nil : resolved
        case ("float", .number(let literal)): return .number(literal.contains(".") ? literal : literal + ".0")
        case ("float", .typed(let scalar)) where scalar.kind == .float: return resolved
        case ("timestamp", .typed(let scalar)): return TimestampText(scalar.text) == nil ? nil : resolved
        case ("binary", _):
            let base64 = text.filter { !$0.isWhitespace }
            return Data(base64Encoded: base64).map { .typed(TypedScalar(binary: Array($0))) }
        default: return nil
        }
    }
}
