import DiscfgCore
import Logging
import Metrics
import Synchronization

/// Compares this machine's clock with the dates of AWS's answers: shows the difference as a gauge, and corrects it if it is too large.
final class ClockCheck: Sendable {
    /// The greatest difference, in seconds, that docs/operations.md allows between the clocks of processes that use one table.
    static let tolerance: Double = 30

    private let gauge: Meter
    private let logger: Logger
    private let last = Mutex(0.0)

    init(metrics: any MetricsFactory, logger: Logger) {
        gauge = Meter(label: "discfg_clock_offset_seconds", dimensions: [], factory: metrics)
        self.logger = logger
    }

    /// The system's time; AWS's as of its last answer, if the system's clock differs from it by too much.
    var time: TimeSource {
        var time = TimeSource.system
        time.now = { [self] in TimeSource.system.now() - correction }
        return time
    }

    /// By how much the time of the system's clock is corrected.
    var correction: Duration {
        let offset = last.withLock { $0 }
        return abs(offset) > Self.tolerance ? .milliseconds(Int64(offset * 1000)) : .zero
    }

    /// Notes by how many seconds the clock was ahead; warns when it becomes too many, and not again until it was right.
    func note(_ offset: Double) {
        gauge.set(offset)
        let becameWrong = last.withLock { last in
            defer { last = offset }
            return abs(offset) > Self.tolerance && abs(last) <= Self.tolerance
        }
        guard becameWrong else { return }
        logger.warning(
            "the clock of this machine differs from that of AWS: set it by NTP",
            metadata: ["clock.offset.seconds": "\(offset.rounded())"])
    }
}
