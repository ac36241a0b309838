import DiscfgCore
import DiscfgEtcd

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Writes etcd's answers as JSON straight into bytes: fields that have their default value are left out, integers of 64 bits
/// stand in strings, bytes are base64.
///
/// Source: <https://protobuf.dev/programming-guides/json/>, with the names of the fields as etcd's gateway 3.4 has them.
struct EtcdJSONWriter {
    private(set) var bytes: [UInt8] = []

    init(capacity: Int = 512) { bytes.reserveCapacity(capacity) }

    /// Writes an object whose members `body` writes.
    mutating func object(_ body: (inout EtcdJSONWriter) -> Void) {
        bytes.append(UInt8(ascii: "{"))
        body(&self)
        bytes.append(UInt8(ascii: "}"))
    }

    /// Writes a member that is an object.
    mutating func object(_ name: StaticString, _ body: (inout EtcdJSONWriter) -> Void) {
        self.name(name)
        object(body)
    }

    /// Writes an array of objects; none if there is nothing.
    mutating func objects<Element>(
        _ name: StaticString, _ elements: [Element], _ body: (inout EtcdJSONWriter, Element) -> Void
    ) {
        list(name, elements) { writer, element in writer.object { body(&$0, element) } }
    }

    /// Writes an array; none if there is nothing.
    mutating func list<Element>(
        _ name: StaticString, _ elements: [Element], _ body: (inout EtcdJSONWriter, Element) -> Void
    ) {
        guard !elements.isEmpty else { return }
        self.name(name)
        var separator = UInt8(ascii: "[")
        for element in elements {
            bytes.append(separator)
            body(&self, element)
            separator = UInt8(ascii: ",")
        }
        bytes.append(UInt8(ascii: "]"))
    }

    /// Writes bytes.
    mutating func data(_ name: StaticString, _ value: [UInt8]) {
        guard !value.isEmpty else { return }
        self.name(name)
        data(value)
    }

    /// Writes bytes that are no member.
    mutating func data(_ value: [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        bytes += Data(value).base64EncodedData()
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes an integer of 64 bits.
    mutating func integer(_ name: StaticString, _ value: Int64) {
        guard value != 0 else { return }
        self.name(name)
        bytes.append(UInt8(ascii: "\""))
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        digits(value.magnitude)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes an unsigned integer of 64 bits.
    mutating func integer(_ name: StaticString, _ value: UInt64) {
        guard value != 0 else { return }
        self.name(name)
        bytes.append(UInt8(ascii: "\""))
        digits(value)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes a number: an integer that has no more than 32 bits.
    mutating func number(_ name: StaticString, _ value: Int) {
        guard value != 0 else { return }
        self.name(name)
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        digits(UInt64(value.magnitude))
    }

    /// Writes a truth value.
    mutating func flag(_ name: StaticString, _ value: Bool) {
        guard value else { return }
        self.name(name)
        raw("true")
    }

    /// Writes a string.
    mutating func text(_ name: StaticString, _ value: String) {
        guard !value.isEmpty else { return }
        self.name(name)
        text(value)
    }

    /// Writes a string that is no member.
    mutating func text(_ value: String) { bytes += JSONValue.string(value).bytes }

    /// Writes what is JSON already.
    mutating func raw(_ json: StaticString) { json.withUTF8Buffer { bytes.append(contentsOf: $0) } }

    private mutating func name(_ name: StaticString) {
        if bytes.last != UInt8(ascii: "{") { bytes.append(UInt8(ascii: ",")) }
        bytes.append(UInt8(ascii: "\""))
        raw(name)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func digits(_ value: UInt64) {
        let start = bytes.count
        var rest = value
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        bytes[start...].reverse()
    }
}
