import NIOCore

/// The time that a client gives a call, in the field `grpc-timeout`.
enum GRPCTimeout {
    /// Reads the value of the field.
    ///
    /// - Returns: At most a year; `nil` if it is not at most eight digits and a unit.
    static func parse(_ text: String) -> TimeAmount? {
        let digits = text.utf8.dropLast()
        guard let unit = text.utf8.last, (1...8).contains(digits.count),
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        let count = digits.reduce(into: 0 as Int64) { $0 = $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
        let timeout: TimeAmount
        switch unit {
        case UInt8(ascii: "H"): timeout = .hours(count)
        case UInt8(ascii: "M"): timeout = .minutes(count)
        case UInt8(ascii: "S"): timeout = .seconds(count)
        case UInt8(ascii: "m"): timeout = .milliseconds(count)
        case UInt8(ascii: "u"): timeout = .microseconds(count)
        case UInt8(ascii: "n"): timeout = .nanoseconds(count)
        default: return nil
        }
        return min(timeout, .hours(365 * 24))
    }
}
