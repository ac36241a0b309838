/// What stands for a character in XML.
enum XMLEntities {
    private static let named: [String: Unicode.Scalar] = [
        "lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'",
    ]

    /// The text with its entities replaced; `nil` if one is not known.
    static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var decoded: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "&") else {
                decoded.append(byte)
                continue
            }
            // The longest is `&#x10FFFF;`.
            let name = rest.prefix(9).prefix { $0 != UInt8(ascii: ";") }
            rest = rest[name.endIndex...]
            guard rest.popFirst() == UInt8(ascii: ";"), let scalar = scalar(String(decoding: name, as: UTF8.self))
            else { return nil }
            decoded += Array(String(Character(scalar)).utf8)
        }
        return decoded
    }

    private static func scalar(_ name: String) -> Unicode.Scalar? {
        guard name.hasPrefix("#") else { return named[name] }
        let digits = name.dropFirst()
        let number = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return number.flatMap { $0 == 0 ? nil : Unicode.Scalar($0) }
    }
}
