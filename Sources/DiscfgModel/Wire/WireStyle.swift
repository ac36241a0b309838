#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How the model is written as JSON.
///
/// REST answers it, the command line prints it, and the client library reads it.
public struct WireStyle: Sendable, Hashable {
    /// The moment from which a time to live is counted.
    public var now: Timestamp
    /// Whether every value is base64, which is exact to the byte; otherwise JSON and text are embedded.
    public var isExact: Bool
    /// Whether changes carry the item before.
    public var withPrevious: Bool

    /// JSON with embedded values and without the items before, unless they are asked for.
    public init(now: Timestamp, isExact: Bool = false, withPrevious: Bool = false) {
        self.now = now
        self.isExact = isExact
        self.withPrevious = withPrevious
    }
}

extension Value {
    /// Writes the members `value`, `encoding` and `contentType`.
    ///
    /// A JSON value is embedded as JSON, text as a string, and other bytes as base64 with `"encoding":"base64"`.
    package func writeMembers(to writer: inout JSONWriter, _ style: WireStyle) {
        if !style.isExact, isJSON {
            writer.name("value")
            writer.raw(singleLineJSON)
        } else if !style.isExact, let text {
            writer.member("value", text)
        } else {
            writer.member("value", Data(bytes).base64EncodedString())
            writer.member("encoding", "base64")
        }
        writer.member("contentType", contentType)
    }

    /// The JSON without line breaks, which would end a line of an event stream; values are checked when they are stored.
    private var singleLineJSON: [UInt8] {
        guard bytes.contains(where: { $0 == 0x0A || $0 == 0x0D }) else { return bytes }
        return (try? JSONValue(parsing: bytes))?.bytes ?? Array("null".utf8)
    }

    /// Reads the members that `writeMembers` writes.
    ///
    /// Without `contentType`, a string is text and everything else JSON.
    init(wire object: JSONValue) throws(DiscfgError) {
        let type = try object.optionalString("contentType")
        let value = object["value"] ?? .string("")
        if let encoding = try object.optionalString("encoding") {
            guard encoding == "base64" else {
                throw .invalid("There is no encoding “\(encoding)”.", hint: "Use “base64”, or none.")
            }
            guard let text = value.string, let data = Data(base64Encoded: text) else {
                throw .invalid("The value is not base64.", hint: "Use the standard alphabet, with padding.")
            }
            self.init(bytes: Array(data), contentType: type ?? Value.octets)
        } else if let text = value.string, type.map({ !Value(bytes: [], contentType: $0).isJSON }) ?? true {
            self.init(bytes: Array(text.utf8), contentType: type ?? Value.text)
        } else {
            self.init(bytes: value.bytes, contentType: type ?? Value.json)
        }
    }
}

extension Key {
    /// Writes the member `key`, and the member `name` if it differs; a `key` that is not UTF-8 is base64, with
    /// `"keyEncoding":"base64"`.
    package func writeMember(to writer: inout JSONWriter) {
        writer.keyMember(bytes)
        let name = name
        if text.map({ !$0.utf8.elementsEqual(name.utf8) }) ?? true { writer.member("name", name) }
    }

    /// Reads what `writeMember` writes.
    init(wire object: JSONValue) throws(DiscfgError) { try self.init(bytes: try object.keyMember()) }
}

extension JSONWriter {
    /// Writes the member `key`: text, or base64 with the member `keyEncoding`.
    mutating func keyMember(_ bytes: [UInt8]) {
        if let text = String(validating: bytes, as: UTF8.self) {
            member("key", text)
        } else {
            member("key", Data(bytes).base64EncodedString())
            member("keyEncoding", "base64")
        }
    }
}

extension JSONValue {
    /// Reads what `keyMember` of a writer writes.
    func keyMember() throws(DiscfgError) -> [UInt8] {
        let text = try string("key")
        guard let encoding = try optionalString("keyEncoding") else { return Array(text.utf8) }
        guard encoding == "base64" else {
            throw .invalid("The keyEncoding “\(encoding)” is not known.", hint: "Use “base64”, or leave it out.")
        }
        guard let data = Data(base64Encoded: text) else { throw .invalid("The key is not base64.") }
        return Array(data)
    }
}

/// Reading members, with errors that name them.
extension JSONValue {
    func string(_ name: String) throws(DiscfgError) -> String {
        guard let value = try optionalString(name) else { throw .invalid("The member “\(name)” is missing.") }
        return value
    }

    func optionalString(_ name: String) throws(DiscfgError) -> String? {
        switch self[name] {
        case nil, .null?: return nil
        case .string(let text)?: return text
        default: throw .invalid("The member “\(name)” is not a string.")
        }
    }

    func integer(_ name: String) throws(DiscfgError) -> Int64 {
        guard let value = try optionalInteger(name) else { throw .invalid("The member “\(name)” is missing.") }
        return value
    }

    func revision(_ name: String) throws(DiscfgError) -> Revision {
        let value = try integer(name)
        guard value >= 0 else { throw .invalid("The member “\(name)” is \(value).", hint: "Write a revision, from 0.") }
        return value
    }

    func optionalInteger(_ name: String) throws(DiscfgError) -> Int64? {
        guard let member = self[name], member != .null else { return nil }
        guard let value = member.integer else { throw .invalid("The member “\(name)” is not a whole number.") }
        return value
    }

    func optionalBool(_ name: String) throws(DiscfgError) -> Bool? {
        guard let member = self[name], member != .null else { return nil }
        guard let value = member.bool else { throw .invalid("The member “\(name)” is neither true nor false.") }
        return value
    }

    func optionalArray(_ name: String) throws(DiscfgError) -> [JSONValue] {
        guard let member = self[name], member != .null else { return [] }
        guard let value = member.array else { throw .invalid("The member “\(name)” is not an array.") }
        return value
    }

    func timestamp(_ name: String) throws(DiscfgError) -> Timestamp {
        guard let value = try optionalTimestamp(name) else { throw .invalid("The member “\(name)” is missing.") }
        return value
    }

    func optionalTimestamp(_ name: String) throws(DiscfgError) -> Timestamp? {
        guard let text = try optionalString(name) else { return nil }
        guard let value = Timestamp(text) else {
            throw .invalid("The member “\(name)” is not a time such as 2026-01-31T08:15:00Z.")
        }
        return value
    }

    /// Checks that an object has no member but these: a misspelt one must not be ignored.
    func allowOnly(_ names: Set<String>) throws(DiscfgError) {
        guard let object else { throw .invalid("A JSON object was expected.", hint: "Write it as {…}.") }
        for name in object.names where !names.contains(name) {
            throw .invalid(
                "There is no member “\(name)” here.", hint: "There are: \(names.sorted().joined(separator: ", ")).")
        }
    }
}

extension JSONWriter {
    /// Writes an array of whatever `body` writes for each element.
    mutating func array<Element>(of elements: some Sequence<Element>, _ body: (inout JSONWriter, Element) -> Void) {
        array { for element in elements { body(&$0, element) } }
    }
}
