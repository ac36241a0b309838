#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The time, and waiting for it to pass: the system's, or a test's; with what else a simulation has to decide.
public struct TimeSource: Sendable {
    /// The time of day.
    public var now: @Sendable () -> Timestamp
    /// Waits; throws `CancellationError` when the task is cancelled.
    public var sleep: @Sendable (Duration) async throws -> Void
    /// A clock that never runs backwards, for measuring how long something takes.
    public var instant: @Sendable () -> ContinuousClock.Instant
    /// A random number.
    public var random: @Sendable () -> UInt64
    /// Runs the tasks that the service starts by itself; `nil` for the default executor.
    public var executor: (any TaskExecutor)?

    /// A source of time; the clock for durations, the random numbers and the executor are the system's unless given.
    public init(
        now: @escaping @Sendable () -> Timestamp, sleep: @escaping @Sendable (Duration) async throws -> Void,
        instant: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        random: @escaping @Sendable () -> UInt64 = { .random(in: .min ... .max) },
        executor: (any TaskExecutor)? = nil
    ) {
        self.now = now
        self.sleep = sleep
        self.instant = instant
        self.random = random
        self.executor = executor
    }

    /// A random number within a range.
    package func random<Number: FixedWidthInteger>(in range: ClosedRange<Number>) -> Number {
        var generator = Generator(random: random)
        return Number.random(in: range, using: &generator)
    }

    private struct Generator: RandomNumberGenerator {
        let random: @Sendable () -> UInt64

        func next() -> UInt64 { random() }
    }

    /// The system's clock.
    public static let system = TimeSource(
        now: { Timestamp(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down))) },
        sleep: { try await Task.sleep(for: $0) })
}
