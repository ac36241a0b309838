#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A stretch of time whose members are processed together: from its start up to, and not including, its end.
///
/// Buckets are counted from 1970 in UTC: a period of a day begins at midnight there.
public struct TimeBucket: Sendable, Hashable, Comparable {
    /// Milliseconds since 1970.
    let startMilliseconds: Int64
    /// Milliseconds since 1970.
    let endMilliseconds: Int64

    /// The first moment.
    public var start: Date { Date(milliseconds: startMilliseconds) }
    /// The first moment that does not belong to it.
    public var end: Date { Date(milliseconds: endMilliseconds) }

    /// Whether a bucket starts before another, or ends before it if both start at the same time.
    public static func < (one: TimeBucket, other: TimeBucket) -> Bool {
        (one.startMilliseconds, one.endMilliseconds) < (other.startMilliseconds, other.endMilliseconds)
    }
}

extension TimeBucket {
    /// The bucket of a moment, all in milliseconds.
    init(of moment: Int64, period: Int64) {
        startMilliseconds = moment - moment % period
        endMilliseconds = startMilliseconds + period
    }

    /// The bucket a number of periods later.
    func advanced(by periods: Int64) -> TimeBucket {
        let distance = (endMilliseconds - startMilliseconds) * periods
        return TimeBucket(
            startMilliseconds: startMilliseconds + distance, endMilliseconds: endMilliseconds + distance)
    }

    /// The start with 16 digits, so that keys sort as times do.
    var text: String { Self.text(ofStart: startMilliseconds) }

    static func text(ofStart start: Int64) -> String {
        let digits = String(start)
        return String(repeating: "0", count: max(16 - digits.count, 0)) + digits
    }
}
