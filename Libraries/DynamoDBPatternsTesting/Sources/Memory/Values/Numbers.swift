import AWSClient

/// Arithmetic with the texts of numbers; whole numbers that fit take the short way.
enum Numbers {
    /// The one way to write a number, by which equal numbers have equal texts.
    static func canonical(_ text: String) throws(AWSError) -> String {
        if let whole = Int64(text) { return String(whole) }
        return try DecimalNumber(text).text
    }

    static func sum(_ first: String, _ second: String) throws(AWSError) -> String {
        if let first = Int64(first), let second = Int64(second) {
            let (sum, overflow) = first.addingReportingOverflow(second)
            if !overflow { return String(sum) }
        }
        return try (DecimalNumber(first) + DecimalNumber(second)).text
    }

    static func difference(_ first: String, _ second: String) throws(AWSError) -> String {
        if let first = Int64(first), let second = Int64(second) {
            let (difference, overflow) = first.subtractingReportingOverflow(second)
            if !overflow { return String(difference) }
        }
        return try (DecimalNumber(first) + -DecimalNumber(second)).text
    }

    /// A text whose order is that of the numbers; `text` is a number.
    static func sortable(_ text: String) -> String {
        if let whole = UInt64(text), whole > 0 {
            // As `DecimalNumber` writes it, without the detour.
            var digits = String(whole)
            let text = "2\(500 + digits.utf8.count)"
            while digits.utf8.last == UInt8(ascii: "0") { digits.removeLast() }
            return text + digits
        }
        return (try? DecimalNumber(text))?.sortableText ?? ""
    }

    static func isLess(_ first: String, _ second: String) -> Bool {
        if let first = Int64(first), let second = Int64(second) { return first < second }
        return sortable(first) < sortable(second)
    }
}
