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
        guard text.isEmpty || text.utf8.first == UInt8(ascii: "/") else {
            throw .invalid("The JSON Pointer “\(text)” does not begin with “/”.", hint: "Write “/\(text)” (RFC 6901).")
        }
        var tokens: [String] = []
        for token in text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst() {
            tokens.append(try PathEscape.unescape(Substring(token)))
        }
        self.tokens = tokens
    }

    /// The pointer as text (RFC 6901), such as `/db/hosts/0`; empty for the whole value.
    public var description: String { tokens.map { "/" + PathEscape.escape($0) }.joined() }
}

extension JSONValue {
    /// The value that the pointer names, or `nil` if the document has none.
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
        var open = [OpenMerge(changes, into: self)]
        while true {
            let last = open.count - 1
            if let (name, change) = open[last].nextChange() {
                if case .object(let changes) = change {
                    open.append(OpenMerge(changes, into: open[last].result[name] ?? .null, name: name))
                } else {
                    open[last].result[name] = change
                }
                continue
            }
            let merged = open.removeLast()
            guard last > 0 else { return .object(merged.result) }
            open[last - 1].result[merged.name] = .object(merged.result)
        }
    }
}

/// An object into which a merge patch is being merged: an explicit stack of them spares recursion.
private struct OpenMerge {
    var result: JSONObject
    /// Its name in the object that contains it.
    let name: String
    private let changes: JSONObject
    private let names: [String]
    private var position = 0

    init(_ changes: JSONObject, into value: JSONValue, name: String = "") {
        self.changes = changes
        self.name = name
        result = value.object ?? JSONObject()
        result.remove(changes.filter { $0.value == .null }.map(\.name))
        names = changes.names
    }

    /// The next member that the patch sets.
    mutating func nextChange() -> (name: String, value: JSONValue)? {
        while position < names.count {
            let name = names[position]
            position += 1
            if let value = changes[name], value != .null { return (name, value) }
        }
        return nil
    }
}

/// The escapes of RFC 6901, which discfg also uses for names that become one segment of a key.
///
/// They work on bytes: to Swift, a slash with a combining mark behind it is another character than a slash.
enum PathEscape {
    private static let (tilde, slash) = (UInt8(ascii: "~"), UInt8(ascii: "/"))

    /// The name with `~` as `~0` and `/` as `~1`.
    static func escape(_ name: String) -> String {
        guard name.utf8.contains(where: { $0 == tilde || $0 == slash }) else { return name }
        var bytes: [UInt8] = []
        for byte in name.utf8 {
            bytes += byte == tilde ? [tilde, UInt8(ascii: "0")] : byte == slash ? [tilde, UInt8(ascii: "1")] : [byte]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The name that the escaped text stands for.
    ///
    /// - Throws: `DiscfgError` with code `invalidRequest` when a `~` is followed by neither `0` nor `1`.
    static func unescape(_ text: some StringProtocol) throws(DiscfgError) -> String {
        var bytes: [UInt8] = []
        var iterator = text.utf8.makeIterator()
        while let byte = iterator.next() {
            guard byte == tilde else {
                bytes.append(byte)
                continue
            }
            switch iterator.next() {
            case UInt8(ascii: "0"): bytes.append(tilde)
            case UInt8(ascii: "1"): bytes.append(slash)
            default:
                throw .invalid("“\(text)” has a “~” that is not part of “~0” or “~1”.", hint: "Write “~0” for “~”.")
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
