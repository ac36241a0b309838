/// Times as AWS writes them, such as `2026-11-22T10:00:00Z`.
///
/// Source: RFC 3339, and what credential programs write besides: a space for the `T`, no colon in the offset, no offset
/// at all for UTC.
enum ISOTime {
    /// Seconds since 1970; `nil` where the text is not such a time.
    static func seconds(_ text: String) -> Double? {
        var rest = Substring(text)
        guard let date = date(&rest), let first = rest.popFirst(), "Tt ".contains(first) else { return nil }
        guard let hour = number(2, 0...23, &rest), skip(":", &rest), let minute = number(2, 0...59, &rest),
            skip(":", &rest), let second = number(2, 0...60, &rest), let fraction = fraction(&rest),
            let offset = offset(&rest), rest.isEmpty
        else { return nil }
        return Double(date * 86_400 + hour * 3_600 + minute * 60 + second - offset) + fraction
    }

    /// Days since 1970 of a day of the Gregorian calendar.
    private static func date(_ rest: inout Substring) -> Int64? {
        guard let year = number(4, 1970...9999, &rest), skip("-", &rest), let month = number(2, 1...12, &rest),
            skip("-", &rest), let day = number(2, 1...31, &rest)
        else { return nil }
        return UTCTime.days(year: year, month: month, day: day)
    }

    private static func fraction(_ rest: inout Substring) -> Double? {
        guard skip(".", &rest) else { return 0 }
        let digits = rest.prefix { ("0"..."9").contains($0) }
        rest = rest[digits.endIndex...]
        return (1...18).contains(digits.utf8.count) ? Double("0.\(digits)") : nil
    }

    /// Seconds east of Greenwich.
    private static func offset(_ rest: inout Substring) -> Int64? {
        if rest.isEmpty { return 0 }
        guard let sign = rest.popFirst() else { return nil }
        if sign == "Z" || sign == "z" { return 0 }
        guard sign == "+" || sign == "-", let hours = number(2, 0...23, &rest) else { return nil }
        _ = skip(":", &rest)
        guard let minutes = number(2, 0...59, &rest) else { return nil }
        return (hours * 3_600 + minutes * 60) * (sign == "+" ? 1 : -1)
    }

    private static func skip(_ character: Character, _ rest: inout Substring) -> Bool {
        guard rest.first == character else { return false }
        rest.removeFirst()
        return true
    }

    private static func number(_ count: Int, _ range: ClosedRange<Int64>, _ rest: inout Substring) -> Int64? {
        let digits = rest.prefix(count)
        guard digits.utf8.count == count, digits.utf8.allSatisfy(\.isDigit),
            let number = Int64(digits), range.contains(number)
        else { return nil }
        rest = rest[digits.endIndex...]
        return number
    }
}
