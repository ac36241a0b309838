/// Durations as people write them: `30s`, `15m`, `12h`, `90d`, `1h30m`, `250ms`, or a bare number of seconds.
public enum DurationText {
    private static let units: [(suffix: String, milliseconds: Int64)] = [
        ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000), ("w", 604_800_000),
    ]

    /// The duration that the text names.
    ///
    /// - Throws: `DiscfgError` with code `invalidRequest` for any other text, a negative one, or one beyond 100 years.
    public static func parse(_ text: some StringProtocol) throws(DiscfgError) -> Duration {
        let problem = DiscfgError.invalid(
            "“\(text)” is not a duration.",
            hint: "Write it as 250ms, 30s, 15m, 12h, 90d, 2w or 1h30m; a bare number is seconds.")
        var total: Int64 = 0
        var rest = Substring(text)
        if rest.isEmpty { throw problem }
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            let suffix = rest.dropFirst(digits.count).prefix { $0.isLetter }
            guard let number = Int64(digits),
                let unit = suffix.isEmpty && total == 0
                    ? units[1] : units.first(where: { $0.suffix == suffix })
            else { throw problem }
            let (part, overflow) = number.multipliedReportingOverflow(by: unit.milliseconds)
            guard !overflow, part <= 3_155_760_000_000 - total else { throw problem }
            total += part
            rest = rest.dropFirst(digits.count + suffix.count)
        }
        return .milliseconds(total)
    }

    /// Such a text for a duration, rounded down to so many units: two are enough for people, and all of them lose nothing.
    public static func format(_ duration: Duration, units most: Int = 2) -> String {
        var rest = max(0, duration.milliseconds)
        var parts: [String] = []
        for unit in units.reversed() where unit.suffix != "w" && rest >= unit.milliseconds && parts.count < most {
            parts.append("\(rest / unit.milliseconds)\(unit.suffix)")
            rest %= unit.milliseconds
        }
        return parts.isEmpty ? "0s" : parts.joined()
    }
}
