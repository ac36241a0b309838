import Synchronization

/// A clock that stands until it is set.
final class ManualClock: Sendable {
    private let time: Mutex<Double>

    init(_ time: Double = 1_800_000_000) { self.time = Mutex(time) }

    var now: @Sendable () -> Double { { self.time.withLock { $0 } } }

    func advance(by seconds: Double) { time.withLock { $0 += seconds } }
}
