/// Times as AWS writes them, such as `2026-11-22T10:00:00Z`.
///
/// Source: RFC 3339, and what credential programs write besides: a space for the `T`, no colon in the offset, no offset
/// at all for UTC.
enum ISOTime {
    /// Seconds since 1970; `nil` if the text is not such a time, or before 1970.
    static func seconds(_ text: String) -> Double? { seconds(text, years: 1970...9999) }

    /// Seconds since 1970; `nil` if the text is not such a time, or of another year.
    static func seconds(_ text: String, years: ClosedRange<Int64>) -> Double? {
        var rest = Substring(text)
        guard let date = date(&rest, years), let first = rest.popFirst(), "Tt ".contains(first) else { return nil }
        guard let hour = number(2, 0...23, &rest), skip(":", &rest), let minute = number(2, 0...59, &rest),
            skip(":", &rest), let second = number(2, 0...60, &rest), let fraction = fraction(&rest),
            let offset = offset(&rest), rest.isEmpty
        else { return nil }
        return Double(date * 86_400 + hour * 3_600 + minute * 60 + second - offset) + fraction
    }

    /// A time in UTC with milliseconds, rounded to the nearest; `nil` outside of the years from 1 to 9999.
    static func text(_ seconds: Double) -> String? {
        guard let milliseconds = Int64(exactly: (seconds * 1000).rounded()),
            (-62_135_596_800_000...253_402_300_799_999).contains(milliseconds)
        else { return nil }
        // Counted from the year 1, so that no number is negative.
        let (sinceYearOne, millisecond) = (milliseconds + 62_135_596_800_000).quotientAndRemainder(dividingBy: 1000)
        let (days, second) = sinceYearOne.quotientAndRemainder(dividingBy: 86_400)
        let (year, month, day) = UTCTime.civil(fromDays: days - 719_162)
        let date = [UTCTime.padded(year, 4), UTCTime.padded(month, 2), UTCTime.padded(day, 2)]
        let time = [second / 3600, second / 60 % 60, second % 60].map { UTCTime.padded($0, 2) }
        return date.joined(separator: "-") + "T" + time.joined(separator: ":")
            + "." + UTCTime.padded(millisecond, 3) + "Z"
    }

    /// Days since 1970 of a day of the Gregorian calendar.
    private static func date(_ rest: inout Substring, _ years: ClosedRange<Int64>) -> Int64? {
        guard let year = number(4, years, &rest), skip("-", &rest), let month = number(2, 1...12, &rest),
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
