#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The wall clock, pauses and chance, which tests replace.
///
/// Times are stored in whole milliseconds since 1970. Clocks of several machines differ: no pattern is wrong because of
/// it, since whoever was taken over is fenced; a clock that is wrong by a minute makes things a minute early or late.
public struct PatternClock: Sendable {
    public var now: @Sendable () -> Date
    public var sleep: @Sendable (Duration) async throws -> Void
    /// Any 64 bits.
    public var random: @Sendable () -> UInt64

    public init(
        now: @escaping @Sendable () -> Date = { Date() },
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        random: @escaping @Sendable () -> UInt64 = { .random(in: 0 ... .max) }
    ) {
        self.now = now
        self.sleep = sleep
        self.random = random
    }
}

extension PatternClock {
    /// Milliseconds since 1970.
    var milliseconds: Int64 { now().milliseconds }

    /// 16 hexadecimal digits that nobody else has.
    func token() -> String {
        let digits = String(random(), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

extension Date {
    /// Milliseconds since 1970, rounded down; dates beyond what fits become the nearest that does.
    var milliseconds: Int64 {
        let value = (timeIntervalSince1970 * 1000).rounded(.down)
        return Int64(exactly: min(max(value, -9e15), 9e15)) ?? 0
    }

    init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }
}

extension Duration {
    /// Whole milliseconds, rounded towards zero; what is beyond the range of `Date.milliseconds` becomes its end.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return min(max(seconds, -9_000_000_000_000), 9_000_000_000_000) * 1000 + attoseconds / 1_000_000_000_000_000
    }
}
