public import DynamoDBPatterns
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Several processes, interleaved as a seed decides.
///
/// A process goes on alone until it waits: for an answer of DynamoDB, or in a pause of its clock. When all wait, the
/// time moves to the moment at which the first of them goes on. How long calls take is chance, and chance is decided by
/// the seed: the same seed gives the same run, step by step, and thousands of seeds thousands of different ones.
///
/// ```swift
/// try await Simulation.explore { simulation in
///     let store = MemoryDynamoDB(clock: simulation.clock.now)
///     try store.createPatternTable("patterns")
///     for name in ["a", "b"] {
///         simulation.spawn(name, skew: simulation.duration(in: .seconds(-2)...(.seconds(2)))) { process in
///             let api = process.dynamoDB(store, faults: .random(percent: 5))
///             let table = PatternTable("patterns", in: api, clock: process.clock)
///             …
///         }
///     }
///     try await simulation.run()
///     try simulation.check(store.items(in: "patterns").count == 1, "It was done twice.")
/// }
/// ```
///
/// A process is started again after a crash, and after an error that a fault explains, as a service is by its
/// supervisor and a function by Lambda. Its code waits for nothing but `process.dynamoDB(…)` and `process.clock`: what
/// waits for a real clock, a network or another thread ends the run with an error. Child tasks are fine, `Task {}` is
/// not.
public final class Simulation: Sendable {
    /// What decides everything.
    public let seed: UInt64
    /// How long things take.
    public let timing: Timing
    /// Runs the tasks of the processes, also those that a process starts with this as their preference.
    package let executor = SimulationExecutor()
    let state: Mutex<State>

    struct State {
        var generator: SeededGenerator
        /// How many of a hundred calls are slow in this run.
        var slowPercent: Int
        /// Microseconds since 1970.
        var now: Int64 = 1_767_225_600_000_000
        var nextWaiter = 0
        var waiters: [Waiter] = []
        var specifications: [ProcessSpecification] = []
        var steps: [Step] = []
        /// Where this run begins among the steps.
        var firstStep = 0
        /// Who has not ended, by name.
        var unfinished: [String] = []
        /// How many of those the run waits for.
        var foreground = 0
        var isRunning = false
        /// Whether those are being cancelled for which the run does not wait.
        var isEnding = false
        var failure: (any Error)?
    }

    /// A simulation at the beginning of 2026.
    ///
    /// - Parameters:
    ///   - seed: What decides everything.
    ///   - timing: How long things take.
    public init(seed: UInt64, timing: Timing = Timing()) {
        self.seed = seed
        self.timing = timing
        var generator = SeededGenerator(seed: seed)
        let slowPercent = timing.slowPercent * [0, 1, 1, 4][generator.choose(4)]
        state = Mutex(State(generator: generator, slowPercent: slowPercent))
    }

    /// The right time, for what is outside of the processes; a pause of it is over at once, and the time has moved.
    public var clock: PatternClock {
        PatternClock(
            now: { self.date(skew: .zero) },
            sleep: { try await self.pause($0, by: nil) },
            random: { self.random() })
    }

    /// What happened so far, in order.
    public var steps: [Step] { state.withLock { $0.steps } }

    /// The right time, in microseconds since 1970.
    package var microseconds: Int64 { state.withLock { $0.now } }

    /// Moves the time.
    public func advance(by duration: Duration) { state.withLock { $0.now += max(duration.microseconds, 0) } }

    /// Fails the scenario unless something holds.
    ///
    /// - Parameters:
    ///   - condition: What has to hold.
    ///   - message: What is wrong where it does not.
    /// - Throws: `InvariantViolation`.
    public func check(_ condition: Bool, _ message: @autoclosure () -> String) throws(InvariantViolation) {
        if !condition { throw InvariantViolation(message()) }
    }

    func date(skew: Duration) -> Date {
        Date(timeIntervalSince1970: Double(state.withLock { $0.now } + skew.microseconds) / 1_000_000)
    }
}

/// What has to hold does not.
public struct InvariantViolation: Error, Sendable, CustomStringConvertible {
    /// What is wrong.
    public let description: String

    /// A violation; the text says what is wrong.
    public init(_ description: String) { self.description = description }
}

extension Duration {
    /// Whole microseconds, rounded down.
    package var microseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }
}
