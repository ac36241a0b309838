import DiscfgCore

/// What a plain YAML scalar means.
///
/// YAML 1.1 and 1.2 readers agree on most scalars, and those become null, bool, number, timestamp or string; `yes`, `no`, `on`
/// and `off` are bools as in 1.1. On some numbers they do not agree: `1_000`, `0b101` and `22:22` are numbers in 1.1 only,
/// `1e3` and `0o17` in 1.2 only, `010` is 8 or 10. These are kept as they are written.
/// Source: https://yaml.org/type/ for 1.1, as PyYAML reads it, and section 10.3 of YAML 1.2.
package enum YAMLScalar {
    package static func resolve(_ text: String) -> ConfigTree {
        guard let first = text.utf8.first else { return .null }
        switch text {
        case "~", "null", "Null", "NULL": return .null
        case "true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON": return .bool(true)
        case "false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF": return .bool(false)
        case ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF": return .typed(TypedScalar(.float, "inf"))
        case "-.inf", "-.Inf", "-.INF": return .typed(TypedScalar(.float, "-inf"))
        case ".nan", ".NaN", ".NAN": return .typed(TypedScalar(.float, "nan"))
        default: break
        }
        // Everything else with a type begins like a number.
        guard first.isDigit || first == UInt8(ascii: "-") || first == UInt8(ascii: "+") || first == UInt8(ascii: ".")
        else {
            return .string(text)
        }
        if let number = number(text) { return .number(number) }
        if isNumberToSome(text) { return .typed(TypedScalar(.yaml, text)) }
        if let timestamp = TimestampText(text), timestamp.kind != .localTime { return .typed(TypedScalar(timestamp)) }
        return .string(text)
    }

    /// The number, as JSON writes it, where every reader sees the same one.
    private static func number(_ text: String) -> String? {
        if text.hasPrefix("0x") {
            let digits = text.dropFirst(2)
            guard digits.utf8.allSatisfy(\.isHexDigit), let value = UInt64(digits, radix: 16) else { return nil }
            return String(value)
        }
        var scanner = NumberScanner(text)
        let sign = scanner.sign() == "-" ? "-" : ""
        let whole = scanner.digits()
        if scanner.isAtEnd {
            return whole == "0" || (!whole.isEmpty && !whole.hasPrefix("0")) ? sign + whole : nil
        }
        // A sign before a bare point is a number in 1.2 only.
        guard scanner.take("."), !whole.isEmpty || !scanner.hadSign else { return nil }
        let fraction = scanner.digits()
        guard !whole.isEmpty || !fraction.isEmpty, let exponent = scanner.exponent(signRequired: true), scanner.isAtEnd
        else {
            return nil
        }
        let leading = String(whole.drop { $0 == "0" })
        return sign + (leading.isEmpty ? "0" : leading) + "." + (fraction.isEmpty ? "0" : fraction) + exponent
    }

    /// Whether the text is a number to some reader of 1.1 or 1.2.
    private static func isNumberToSome(_ text: String) -> Bool {
        var scanner = NumberScanner(text)
        _ = scanner.sign()
        if scanner.take("0b") { return scanner.isRest { $0 == 0x30 || $0 == 0x31 || $0 == 0x5F } }
        if scanner.take("0o") { return scanner.isRest { ($0 >= 0x30 && $0 <= 0x37) || $0 == 0x5F } }
        if scanner.take("0x") { return scanner.isRest { $0.isHexDigit || $0 == 0x5F } }
        let whole = scanner.digits(orUnderscores: true)
        if whole.hasPrefix("_") { return false }
        var isSexagesimal = false
        while !whole.isEmpty, scanner.take(":") {
            isSexagesimal = true
            guard let part = Int(scanner.digits()), part < 60 else { return false }
        }
        if isSexagesimal, scanner.isAtEnd { return true }
        var fraction = ""
        if scanner.take(".") { fraction = scanner.digits(orUnderscores: true) }
        guard !whole.isEmpty || !fraction.isEmpty, scanner.exponent(signRequired: false) != nil else { return false }
        return scanner.isAtEnd
    }
}

/// Reads the parts of a number from the front.
private struct NumberScanner {
    private var rest: ArraySlice<UInt8>
    private(set) var hadSign = false

    init(_ text: String) { rest = Array(text.utf8)[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func sign() -> Character? {
        guard let first = rest.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "+") else { return nil }
        rest.removeFirst()
        hadSign = true
        return Character(Unicode.Scalar(first))
    }

    mutating func take(_ text: StaticString) -> Bool {
        let bytes = Array("\(text)".utf8)
        guard rest.starts(with: bytes) else { return false }
        rest = rest.dropFirst(bytes.count)
        return true
    }

    mutating func digits(orUnderscores: Bool = false) -> String {
        let digits = rest.prefix { $0.isDigit || (orUnderscores && $0 == 0x5F) }
        rest = rest[digits.endIndex...]
        return String(decoding: digits, as: UTF8.self)
    }

    /// The exponent, empty if there is none; `nil` if it has no digits, or no sign and needs one.
    mutating func exponent(signRequired: Bool) -> String? {
        guard take("e") || take("E") else { return "" }
        let sign = rest.first == UInt8(ascii: "-") ? "-" : "+"
        let isSigned = take("-") || take("+")
        let digits = digits()
        return digits.isEmpty || (signRequired && !isSigned) ? nil : "e" + sign + digits
    }

    func isRest(_ isAllowed: (UInt8) -> Bool) -> Bool { !rest.isEmpty && rest.allSatisfy(isAllowed) }
}

extension UInt8 {
    fileprivate var isDigit: Bool { self >= 0x30 && self <= 0x39 }
    fileprivate var isHexDigit: Bool { isDigit || (self >= 0x41 && self <= 0x46) || (self >= 0x61 && self <= 0x66) }
}
