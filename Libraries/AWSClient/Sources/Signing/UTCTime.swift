#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Dates and times of day in UTC, as signatures and HTTP write them.
public enum UTCTime {
    /// Seconds since 1970, now.
    public static var now: Double { Date().timeIntervalSince1970 }

    /// A time as signatures name it, such as `20260102T030405Z`, and its date alone; times before 1970 and after 9999
    /// become those.
    static func signatureText(_ seconds: Double) -> (timestamp: String, date: String) {
        let whole = Int64(min(max(seconds.rounded(.down), 0), 253_402_300_799))
        let (days, second) = whole.quotientAndRemainder(dividingBy: 86_400)
        let (year, month, day) = civil(fromDays: days)
        let date = padded(year, 4) + padded(month, 2) + padded(day, 2)
        return (
            date + "T" + padded(second / 3600, 2) + padded(second / 60 % 60, 2) + padded(second % 60, 2) + "Z", date
        )
    }

    /// Seconds since 1970 of a `Date` header, such as `Sun, 06 Nov 1994 08:49:37 GMT`; `nil` for what is none.
    static func seconds(httpDate text: String) -> Double? {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT", let day = Int64(parts[1]), (1...31).contains(day),
            let month = months.firstIndex(of: String(parts[2])), let year = Int64(parts[3]),
            (1970...9999).contains(year), let days = days(year: year, month: Int64(month) + 1, day: day)
        else { return nil }
        let clock = parts[4].split(separator: ":").map { Int64($0) ?? -1 }
        guard clock.count == 3, (0..<24).contains(clock[0]), (0..<60).contains(clock[1]), (0...60).contains(clock[2])
        else { return nil }
        return Double(days * 86_400 + clock[0] * 3600 + clock[1] * 60 + clock[2])
    }

    static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(width - digits.count, 0)) + digits
    }

    // Both after Howard Hinnant, “chrono-Compatible Low-Level Date Algorithms”; years begin in March.

    /// The day of a number of days since 1970, from the year 1 on.
    static func civil(fromDays days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let (era, dayOfEra) = shifted.quotientAndRemainder(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let calendarMonth = month < 10 ? month + 3 : month - 9
        return (
            yearOfEra + era * 400 + (calendarMonth <= 2 ? 1 : 0), calendarMonth, dayOfYear - (153 * month + 2) / 5 + 1
        )
    }

    /// Days since 1970 of a day from the year 1 to 9999, in a month from 1 to 12; `nil` for one that the month does not have.
    static func days(year: Int64, month: Int64, day: Int64) -> Int64? {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let length: Int64 = month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
        guard (1...length).contains(day) else { return nil }
        let year = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = year.quotientAndRemainder(dividingBy: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
