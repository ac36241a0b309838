/// Numbers, dates, times and words of TOML.
enum TOMLLiteral {
    /// The value that the text stands for; `nil` if it is none.
    static func value(_ text: String) -> ConfigTree? {
        switch text {
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "inf", "+inf": return .typed(TypedScalar(.float, "inf"))
        case "-inf": return .typed(TypedScalar(.float, "-inf"))
        case "nan", "+nan", "-nan": return .typed(TypedScalar(.float, "nan"))
        default: break
        }
        if isTimestamp(text) { return TimestampText(text).map { .typed(TypedScalar($0)) } }
        if let number = prefixedInteger(text) ?? decimal(text) { return .number(number) }
        return nil
    }

    /// Whether the text has exactly the form of a date, a time or both; its numbers are checked elsewhere.
    private static func isTimestamp(_ text: String) -> Bool {
        var rest = text.utf8.map { $0 >= 0x30 && $0 <= 0x39 ? UInt8(ascii: "d") : $0 }[...]
        func take(_ form: StaticString) -> Bool {
            let form = Array("\(form)".utf8)
            guard rest.starts(with: form) else { return false }
            rest = rest.dropFirst(form.count)
            return true
        }
        let hasDate = take("dddd-dd-dd")
        if hasDate {
            if rest.isEmpty { return true }
            guard take("T") || take("t") || take(" ") else { return false }
        }
        guard take("dd:dd:dd") else { return false }
        if take(".") {
            guard take("d") else { return false }
            while take("d") {}
        }
        return rest.isEmpty || (hasDate && (take("Z") || take("z") || take("+dd:dd") || take("-dd:dd")) && rest.isEmpty)
    }

    private static func prefixedInteger(_ text: String) -> String? {
        let radix = text.hasPrefix("0x") ? 16 : text.hasPrefix("0o") ? 8 : text.hasPrefix("0b") ? 2 : 0
        guard radix > 0, let digits = digits(text.dropFirst(2)[...], radix: radix) else { return nil }
        return Int64(digits, radix: radix).map { String($0) }
    }

    /// An integer or a float, as JSON writes it.
    private static func decimal(_ text: String) -> String? {
        let sign = text.hasPrefix("-") ? "-" : ""
        var rest = text.hasPrefix("-") || text.hasPrefix("+") ? text.dropFirst() : text[...]
        let isFloat = rest.contains { ".eE".contains($0) }
        var number = sign
        guard let whole = digits(part(&rest, until: ".eE"), radix: 10), whole == "0" || !whole.hasPrefix("0") else {
            return nil
        }
        number += whole
        if rest.first == "." {
            rest.removeFirst()
            guard let fraction = digits(part(&rest, until: "eE"), radix: 10) else { return nil }
            number += "." + fraction
        }
        if let mark = rest.popFirst(), mark == "e" || mark == "E" {
            let exponentSign = rest.first == "-" ? "-" : rest.first == "+" ? "+" : ""
            rest = rest.dropFirst(exponentSign.count)
            guard let exponent = digits(rest, radix: 10) else { return nil }
            number += "e" + exponentSign + exponent
        }
        return isFloat || Int64(number) != nil ? number : nil
    }

    private static func part(_ rest: inout Substring, until ends: String) -> Substring {
        let part = rest.prefix { !ends.contains($0) }
        rest = rest[part.endIndex...]
        return part
    }

    /// The digits without their underscores, each of which must stand between two digits.
    private static func digits(_ text: Substring, radix: Int) -> String? {
        var result = ""
        var isAfterDigit = false
        for scalar in text.unicodeScalars {
            if scalar == "_" {
                guard isAfterDigit else { return nil }
                isAfterDigit = false
            } else {
                guard scalar.isASCII, let digit = Character(scalar).hexDigitValue, digit < radix else { return nil }
                result.unicodeScalars.append(scalar)
                isAfterDigit = true
            }
        }
        return isAfterDigit ? result : nil
    }
}
