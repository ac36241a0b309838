extension AggregateHead {
    /// The name of the attribute of a member, in ASCII.
    ///
    /// DynamoDB tells names apart by their bytes, while Swift takes some that differ for equal.
    static func attribute(ofMember id: String) -> String {
        id.utf8.reduce(into: memberPrefix) { name, byte in
            if byte < 0x80, byte != UInt8(ascii: "%") {
                name.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                name += "%" + String(byte, radix: 16)
            }
        }
    }

    /// The identity of the member whose attribute has this name; `nil` for that of something else.
    static func id(ofAttribute name: String) -> String? {
        guard var rest = name.dropping(prefix: memberPrefix)?.utf8[...] else { return nil }
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let escaped = UInt8(String(Substring(rest.prefix(2))), radix: 16) else { return nil }
            bytes.append(escaped)
            rest = rest.dropFirst(2)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
