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
    /// The wall clock, for times that are stored and compared between machines.
    public var now: @Sendable () -> Date
    /// Suspends the task for this long; throws `CancellationError` if the task is cancelled.
    public var sleep: @Sendable (Duration) async throws -> Void
    /// Any 64 bits.
    public var random: @Sendable () -> UInt64
    /// The time since a moment of this machine's own choice; it runs on while the machine sleeps, and nobody sets it.
    ///
    /// Leases are measured by it.
    public var monotonic: @Sendable () -> Duration

    /// A clock.
    ///
    /// - Parameters:
    ///   - now: The wall clock; `nil` for the system's.
    ///   - sleep: Pauses.
    ///   - random: Any 64 bits.
    ///   - monotonic: The time since some moment; `nil` for the system's, or for what `now` says if that is given.
    public init(
        now: (@Sendable () -> Date)? = nil,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        random: @escaping @Sendable () -> UInt64 = { .random(in: 0 ... .max) },
        monotonic: (@Sendable () -> Duration)? = nil
    ) {
        self.now = now ?? { Date() }
        self.sleep = sleep
        self.random = random
        if let monotonic {
            self.monotonic = monotonic
        } else if let now {
            self.monotonic = { .milliseconds(now().milliseconds) }
        } else {
            self.monotonic = { Self.start.duration(to: .now) }
        }
    }

    private static let start = ContinuousClock.now
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
