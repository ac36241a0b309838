/// A path into a JSON document, such as `/servers/0/host`.
///
/// `~1` stands for `/` and `~0` for `~` inside a name; the empty pointer is the whole document. Source: RFC 6901.
public struct JSONPointer: Sendable, Hashable, CustomStringConvertible {
    /// The names and indexes, unescaped.
    public let tokens: [String]

    /// Parses a pointer.
    ///
    /// - Throws: `DiscfgError` with code `invalidRequest` when it does not begin with `/` or has a stray `~`.
    public init(_ text: String) throws(DiscfgError) {
        guard text.isEmpty || text.hasPrefix("/") else {
            throw .invalid("The JSON Pointer “\(text)” does not begin with “/”.", hint: "Write “/\(text)” (RFC 6901).")
        }
        var tokens: [String] = []
        for token in text.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            tokens.append(try PathEscape.unescape(token))
        }
        self.tokens = tokens
    }

    public var description: String { tokens.map { "/" + PathEscape.escape($0) }.joined() }
}

extension JSONValue {
    /// The value that the pointer names, or `nil` where the document has none.
    public func value(at pointer: JSONPointer) -> JSONValue? {
        var value = self
        for token in pointer.tokens {
            switch value {
            case .object(let members):
                guard let next = members[token] else { return nil }
                value = next
            case .array(let elements):
                guard token == "0" || token.first != "0", let index = Int(token), elements.indices.contains(index),
                    token.first != "+"
                else { return nil }
                value = elements[index]
            default: return nil
            }
        }
        return value
    }

    /// The document after a JSON merge patch: members of the patch replace, `null` removes, objects merge.
    ///
    /// Source: RFC 7396.
    public func merging(_ patch: JSONValue) -> JSONValue {
        guard case .object(let changes) = patch else { return patch }
        var result = object ?? JSONObject()
        for (name, change) in changes {
            result[name] = change == .null ? nil : (result[name] ?? .null).merging(change)
        }
        return .object(result)
    }
}

/// The escapes of RFC 6901, which discfg also uses for names that become one segment of a key.
public enum PathEscape {
    /// The name with `~` as `~0` and `/` as `~1`.
    public static func escape(_ name: String) -> String {
        guard name.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else { return name }
        return name.reduce(into: "") { $0 += $1 == "~" ? "~0" : $1 == "/" ? "~1" : String($1) }
    }

    /// The name that the escaped text stands for.
    ///
    /// - Throws: `DiscfgError` with code `invalidRequest` when a `~` is followed by neither `0` nor `1`.
    public static func unescape(_ text: some StringProtocol) throws(DiscfgError) -> String {
        var result = ""
        var rest = Substring(text)
        while let tilde = rest.firstIndex(of: "~") {
            result += rest[..<tilde]
            switch rest[tilde...].dropFirst().first {
            case "0": result += "~"
            case "1": result += "/"
            default:
                throw .invalid("“\(text)” has a “~” that is not part of “~0” or “~1”.", hint: "Write “~0” for “~”.")
            }
            rest = rest[tilde...].dropFirst(2)
        }
        return result + rest
    }
}
