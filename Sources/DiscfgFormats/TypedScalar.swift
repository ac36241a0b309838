import DiscfgCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A scalar of a type that TOML or YAML has and JSON lacks.
///
/// It is stored as text with a parameter in its content type, such as `text/plain; type=local-date`, so that an export in a
/// format with that type gives the same data, and any other reader sees sensible text.
package struct TypedScalar: Sendable, Hashable {
    package enum Kind: String, CaseIterable, Sendable {
        case offsetDateTime = "offset-date-time"
        case localDateTime = "local-date-time"
        case localDate = "local-date"
        case localTime = "local-time"
        /// `inf`, `-inf` or `nan`.
        case float
        /// A plain YAML scalar that some YAML readers take for a number and others do not, or for another number, such as
        /// `1_000`, `010`, `0o17`, `1e3` and `22:22`; kept as written, so that every reader still sees what it saw.
        case yaml
        /// Bytes that are no text; `text` is their base64.
        case binary
    }

    package let kind: Kind
    package let text: String

    init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = text
    }

    package init(binary bytes: [UInt8]) { self.init(.binary, Data(bytes).base64EncodedString()) }

    init(_ timestamp: TimestampText) { self.init(timestamp.kind, timestamp.text) }

    /// The scalar that a stored value holds, or `nil` if it is ordinary, or was edited to something of no such type.
    init?(_ value: Value) {
        let parts = value.contentType.split(separator: ";").map { $0.filter { $0 != " " }.lowercased() }
        guard let name = parts.dropFirst().first(where: { $0.hasPrefix("type=") }),
            let kind = Kind(rawValue: String(name.dropFirst(5)))
        else { return nil }
        if kind == .binary {
            self.init(binary: value.bytes)
            return
        }
        guard let text = value.text else { return nil }
        switch kind {
        case .float: guard ["inf", "-inf", "nan"].contains(text) else { return nil }
        case .yaml: guard YAMLScalar.resolve(text) == .typed(TypedScalar(.yaml, text)) else { return nil }
        default: guard TimestampText(text)?.kind == kind else { return nil }
        }
        self.init(kind, text)
    }

    var value: Value {
        if kind == .binary {
            return Value(bytes: data, contentType: "\(Value.octets); type=binary")
        }
        return Value(bytes: Array(text.utf8), contentType: "\(Value.text); type=\(kind.rawValue)")
    }

    /// A number where the text is one in JSON too, otherwise a string.
    var json: JSONValue {
        if kind == .yaml, let value = try? JSONValue(parsing: text), case .number = value { return value }
        return .string(text)
    }

    private var data: [UInt8] { Data(base64Encoded: text).map { Array($0) } ?? [] }
}
