/// The numbers that DynamoDB writes.
package enum DecimalText {
    /// DynamoDB's have 38 digits and exponents of three; the rest is room for zeros.
    private static let maximumLength = 256

    /// Whether it is a decimal number such as `-12`, `0.5` or `1E+3`, of a sensible length.
    package static func isNumber(_ text: String) -> Bool {
        var rest = Substring(text).utf8[...]
        guard rest.count <= maximumLength else { return false }
        if let first = rest.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "+") { rest.removeFirst() }
        var digits = dropDigits(&rest)
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            digits += dropDigits(&rest)
        }
        guard digits > 0 else { return false }
        guard let exponent = rest.first else { return true }
        guard exponent | 0x20 == UInt8(ascii: "e") else { return false }
        rest.removeFirst()
        if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { rest.removeFirst() }
        return dropDigits(&rest) > 0 && rest.isEmpty
    }

    private static func dropDigits(_ text: inout Substring.UTF8View) -> Int {
        let before = text.count
        text = text.drop { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        return before - text.count
    }
}
