/// A date, a time, or both, read from the forms that YAML and TOML write, and written as RFC 3339 does.
package struct TimestampText: Sendable, Hashable {
    private(set) var date: String?
    private(set) var time: String?
    /// `Z`, or hours and minutes such as `+05:30`.
    private(set) var offset: String?

    var kind: TypedScalar.Kind {
        guard time != nil else { return .localDate }
        guard date != nil else { return .localTime }
        return offset == nil ? .localDateTime : .offsetDateTime
    }

    var text: String { [date, time].compactMap { $0 }.joined(separator: "T") + (offset ?? "") }

    /// Reads a timestamp; `nil` for other text and for what no calendar or clock has, such as 2023-02-29.
    ///
    /// Source: https://yaml.org/type/timestamp.html and TOML 1.0, which allows the narrower forms.
    package init?(_ text: some StringProtocol) {
        var reader = Reader(rest: Array(text.utf8)[...])
        if let date = reader.date() {
            self.date = date.text
            if reader.rest.isEmpty {
                guard date.isCanonical else { return nil }
                return
            }
            guard reader.separator() else { return nil }
        }
        guard let time = reader.time(shortHour: date != nil) else { return nil }
        self.time = time
        if !reader.rest.isEmpty {
            guard date != nil, let offset = reader.offset() else { return nil }
            self.offset = offset
        }
    }

    init(year: Int, month: Int, day: Int) { date = "\(year.padded(4))-\(month.padded(2))-\(day.padded(2))" }

    init(hour: Int, minute: Int, second: Int, nanosecond: Int) {
        time = Self.clock(hour, minute, second, fraction: nanosecond.padded(9)[...])
    }

    init(date: TimestampText, time: TimestampText, offsetMinutes: Int?) {
        self.date = date.date
        self.time = time.time
        self.offset = offsetMinutes.map { Self.offset(minutes: $0) }
    }

    private static func clock(_ hour: Int, _ minute: Int, _ second: Int, fraction: Substring) -> String {
        let digits = fraction.reversed().drop { $0 == "0" }.reversed()
        return "\(hour.padded(2)):\(minute.padded(2)):\(second.padded(2))"
            + (digits.isEmpty ? "" : "." + String(digits))
    }

    private static func offset(minutes: Int) -> String {
        if minutes == 0 { return "Z" }
        return "\(minutes < 0 ? "-" : "+")\((abs(minutes) / 60).padded(2)):\((abs(minutes) % 60).padded(2))"
    }
}

extension TimestampText {
    /// Reads from the front of the text, piece by piece.
    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func date() -> (text: String, isCanonical: Bool)? {
            var reader = self
            guard let year = reader.number(4...4), reader.take("-"), let month = reader.number(1...2), reader.take("-"),
                let day = reader.number(1...2), year > 0, (1...12).contains(month),
                (1...Self.days(in: month, of: year)).contains(day)
            else { return nil }
            let length = rest.count - reader.rest.count
            self = reader
            return ("\(year.padded(4))-\(month.padded(2))-\(day.padded(2))", length == 10)
        }

        mutating func separator() -> Bool {
            if take("T") || take("t") { return true }
            let count = rest.count
            skipBlanks()
            return rest.count < count
        }

        mutating func time(shortHour: Bool) -> String? {
            guard let hour = number(shortHour ? 1...2 : 2...2), hour < 24, take(":"), let minute = number(2...2),
                minute < 60,
                take(":"), let second = number(2...2), second < 60
            else { return nil }
            var fraction: Substring = ""
            if take(".") {
                let digits = rest.prefix { $0 >= 0x30 && $0 <= 0x39 }
                fraction = Substring(decoding: digits, as: UTF8.self)
                rest = rest[digits.endIndex...]
            }
            return TimestampText.clock(hour, minute, second, fraction: fraction)
        }

        mutating func offset() -> String? {
            skipBlanks()
            if take("Z") || take("z") { return rest.isEmpty ? "Z" : nil }
            let isNegative = rest.first == UInt8(ascii: "-")
            guard take("-") || take("+"), let hours = number(1...2), hours < 24 else { return nil }
            var minutes = 0
            if take(":") {
                guard let number = number(2...2), number < 60 else { return nil }
                minutes = number
            }
            return rest.isEmpty ? TimestampText.offset(minutes: (isNegative ? -1 : 1) * (hours * 60 + minutes)) : nil
        }

        mutating func skipBlanks() { rest = rest.drop { $0 == 0x20 || $0 == 0x09 } }

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard rest.first == UInt8(ascii: character) else { return false }
            rest.removeFirst()
            return true
        }

        mutating func number(_ width: ClosedRange<Int>) -> Int? {
            let digits = rest.prefix(width.upperBound).prefix { $0 >= 0x30 && $0 <= 0x39 }
            guard digits.count >= width.lowerBound else { return nil }
            rest = rest[digits.endIndex...]
            return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        }

        static func days(in month: Int, of year: Int) -> Int {
            switch month {
            case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
            case 4, 6, 9, 11: 30
            default: 31
            }
        }
    }
}

extension Int {
    fileprivate func padded(_ width: Int) -> String {
        let digits = String(self)
        return String(repeating: "0", count: Swift.max(0, width - digits.utf8.count)) + digits
    }
}
