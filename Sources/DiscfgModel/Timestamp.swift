/// A point in time: milliseconds since 1970-01-01T00:00:00Z.
public struct Timestamp: Sendable, Hashable, Comparable {
    /// Milliseconds since 1970-01-01T00:00:00Z; negative before it.
    public let milliseconds: Int64

    /// A time by its milliseconds since 1970; every number is valid.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Whether a time is before another.
    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

    /// The time later by a duration; saturates, so that no input can overflow it.
    public static func + (moment: Timestamp, duration: Duration) -> Timestamp {
        let (sum, overflow) = moment.milliseconds.addingReportingOverflow(duration.milliseconds)
        return Timestamp(milliseconds: overflow ? (duration < .zero ? .min : .max) : sum)
    }

    /// The time earlier by a duration; saturates.
    public static func - (moment: Timestamp, duration: Duration) -> Timestamp {
        let (difference, overflow) = moment.milliseconds.subtractingReportingOverflow(duration.milliseconds)
        return Timestamp(milliseconds: overflow ? (duration < .zero ? .max : .min) : difference)
    }

    /// The time from one moment to another.
    public static func - (left: Timestamp, right: Timestamp) -> Duration {
        .milliseconds(left.milliseconds.subtractingReportingOverflow(right.milliseconds).partialValue)
    }
}

extension Timestamp: CustomStringConvertible {
    /// RFC 3339 in UTC with milliseconds, such as `2026-01-31T08:15:00.250Z`.
    ///
    /// The calendar is the proleptic Gregorian one, counted from 0000-03-01 so that leap days come last in a year.
    public var description: String {
        let day = milliseconds.flooredDivision(86_400_000)
        let rest = milliseconds - day * 86_400_000
        let (year, month, date) = Self.civil(fromDays: day)
        return "\(year.padded(4))-\(month.padded(2))-\(date.padded(2))T"
            + "\((rest / 3_600_000).padded(2)):\((rest / 60_000 % 60).padded(2)):\((rest / 1000 % 60).padded(2))"
            + ".\((rest % 1000).padded(3))Z"
    }

    private static func civil(fromDays days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = shifted.flooredDivision(146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    /// Parses an RFC 3339 text in UTC as `description` writes it; `nil` for any other text.
    public init?(_ text: String) {
        guard text.utf8.last == UInt8(ascii: "Z") else { return nil }
        let parts = text.dropLast().split(whereSeparator: { "-T:.".contains($0) })
        // Bounded, so that nothing below can overflow.
        guard parts.count >= 6, parts[0].utf8.count <= 6, parts[1...5].allSatisfy({ $0.utf8.count <= 2 }) else {
            return nil
        }
        let numbers = parts.compactMap { Int64($0) }
        guard parts.count <= 7, numbers.count == parts.count, (1...12).contains(numbers[1]) else {
            return nil
        }
        let fraction = parts.count == 7 ? Int64((parts[6] + "00").prefix(3)) ?? 0 : 0
        let year = numbers[1] <= 2 ? numbers[0] - 1 : numbers[0]
        let era = year.flooredDivision(400)
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (numbers[1] > 2 ? numbers[1] - 3 : numbers[1] + 9) + 2) / 5 + numbers[2] - 1
        let days = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
        let seconds = days * 86_400 + numbers[3] * 3600 + numbers[4] * 60 + numbers[5]
        self.init(milliseconds: seconds * 1000 + fraction)
    }
}

extension Duration {
    /// Whole milliseconds, rounded down; saturates.
    public var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        if overflow { return seconds < 0 ? .min : .max }
        let (sum, carried) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        return carried ? (seconds < 0 ? .min : .max) : sum
    }
}

extension Int64 {
    fileprivate func flooredDivision(_ divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }

    fileprivate func padded(_ width: Int) -> String {
        let digits = String(self)
        return String(repeating: "0", count: Swift.max(0, width - digits.utf8.count)) + digits
    }
}
