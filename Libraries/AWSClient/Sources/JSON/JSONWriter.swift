/// Writes attribute values as the JSON of the same shape: the way back from `JSONReader`.
package struct JSONWriter {
    private let sortsMembers: Bool
    private var bytes: [UInt8] = []

    private init(sortsMembers: Bool) { self.sortsMembers = sortsMembers }

    /// Writes a value; if that is asked for, with the members of objects in the order of their names.
    package static func bytes(of value: AttributeValue, sortingMembers: Bool = false) -> [UInt8] {
        var writer = JSONWriter(sortsMembers: sortingMembers)
        writer.write(value)
        return writer.bytes
    }

    private mutating func write(_ value: AttributeValue) {
        switch value {
        case .string(let text): write(text)
        case .number(let digits): bytes += digits.utf8
        case .bool(let flag): bytes += (flag ? "true" : "false").utf8
        case .list(let elements): write(elements)
        case .map(let members):
            if sortsMembers { write(members: members.sorted { $0.key < $1.key }) } else { write(members: members) }
        // The others are no JSON, and nothing makes them here.
        case .null, .binary, .stringSet, .numberSet, .binarySet: bytes += "null".utf8
        }
    }

    private mutating func write(members: some Collection<(key: String, value: AttributeValue)>) {
        var separator = UInt8(ascii: "{")
        for (name, member) in members {
            bytes.append(separator)
            write(name)
            bytes.append(UInt8(ascii: ":"))
            write(member)
            separator = UInt8(ascii: ",")
        }
        bytes += members.isEmpty ? "{}".utf8 : "}".utf8
    }

    private mutating func write(_ elements: [AttributeValue]) {
        bytes.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            write(element)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func write(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0..<0x20: bytes += "\\u00\([byte].hexadecimal)".utf8
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
