import DiscfgCore
import Logging
import Metrics
import Synchronization

/// Compares this machine's clock with the dates of AWS's answers: shows the difference as a gauge, and replaces the clock if it is too
/// large.
///
/// An answer bounds the difference from both sides, so an answer that took long changes nothing that was known better before.
final class ClockCheck: Sendable {
    /// The greatest difference, in seconds, that docs/operations.md allows between the clocks of processes that use one table.
    static let tolerance: Double = 30
    /// The difference below which a clock that was replaced is trusted again: less, so that it is not used now and then.
    static let agreement: Double = 5

    private struct State {
        /// By how many seconds the clock was ahead of AWS's at the last answer.
        var offset = 0.0
        var isReplaced = false
        /// When the last answer came, by the clock and by one that nobody sets.
        var wall: Timestamp
        var instant: ContinuousClock.Instant

        /// By how many seconds the clock has been set since the last answer.
        func step(_ now: Timestamp, _ instant: ContinuousClock.Instant) -> Double {
            ((now - wall) - (instant - self.instant)) / .seconds(1)
        }
    }

    private let gauge: Meter
    private let logger: Logger
    private let clock: TimeSource
    private let state: Mutex<State>

    init(metrics: any MetricsFactory, logger: Logger, clock: TimeSource = .system) {
        gauge = Meter(label: "discfg_clock_offset_seconds", dimensions: [], factory: metrics)
        self.logger = logger
        self.clock = clock
        state = Mutex(State(wall: clock.now(), instant: clock.instant()))
    }

    /// The clock's time; AWS's as of its last answer, and what has passed since, if the clock differs from it by too much.
    var time: TimeSource {
        var time = clock
        time.now = { [self] in
            let (now, instant) = (clock.now(), clock.instant())
            return state.withLock { state in
                guard state.isReplaced else { return now }
                return now - .seconds(state.offset + state.step(now, instant))
            }
        }
        return time
    }

    /// Notes by how many seconds the clock is ahead, at least and at most; warns when it becomes too many, and not again until it was right.
    func note(_ bounds: ClosedRange<Double>) {
        let (now, instant) = (clock.now(), clock.instant())
        let (offset, becameWrong) = state.withLock { state in
            let expected = state.offset + state.step(now, instant)
            state.offset = min(max(expected, bounds.lowerBound), bounds.upperBound)
            (state.wall, state.instant) = (now, instant)
            let wasReplaced = state.isReplaced
            state.isReplaced = abs(state.offset) > (wasReplaced ? Self.agreement : Self.tolerance)
            return (state.offset, state.isReplaced && !wasReplaced)
        }
        gauge.set(offset)
        guard becameWrong else { return }
        logger.warning(
            "the clock of this machine differs from that of AWS: set it by NTP",
            metadata: ["clock.offset.seconds": "\(offset.rounded())"])
    }
}
