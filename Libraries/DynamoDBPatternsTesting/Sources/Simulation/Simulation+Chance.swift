import Synchronization

extension Simulation {
    /// How long things take in a simulation.
    public struct Timing: Sendable {
        /// How long a call takes.
        public var call: ClosedRange<Duration> = .milliseconds(1)...(.milliseconds(20))
        /// How many of a hundred calls take much longer, in a run of the usual kind; in others none, or many more.
        public var slowPercent = 5
        /// How long those take at most; longer than the leases, so that their holders come back as zombies.
        public var slowest: Duration = .seconds(120)
        /// After how many steps a run is ended as one that never would.
        public var maximumSteps = 20_000

        /// What fits leases of up to a minute.
        public init() {}
    }

    /// Any 64 bits, as the seed decides.
    public func random() -> UInt64 { state.withLock { $0.generator.next() } }

    /// A number from 0 to `count` - 1, as the seed decides.
    public func choose(_ count: Int) -> Int { state.withLock { $0.generator.choose(count) } }

    /// Whether something happens that happens in so many of a hundred cases.
    public func chance(percent: Int) -> Bool { choose(100) < percent }

    /// A duration within a range, as the seed decides.
    public func duration(in range: ClosedRange<Duration>) -> Duration {
        .microseconds(state.withLock { $0.generator.microseconds(in: range) })
    }

    /// How long the next call, or the way of its answer, takes.
    package func latency() -> Int64 {
        state.withLock { state in
            guard state.generator.choose(100) < state.slowPercent else {
                return state.generator.microseconds(in: timing.call)
            }
            // Short delays as often as long ones: each doubling is as likely as the others.
            let longest = max(timing.slowest.microseconds, timing.call.upperBound.microseconds)
            let doublings =
                Int64.bitWidth
                - max(longest / max(timing.call.upperBound.microseconds, 1), 1)
                .leadingZeroBitCount
            let limit = min(
                timing.call.upperBound.microseconds << Int64(state.generator.choose(doublings) + 1), longest)
            return state.generator.microseconds(in: .microseconds(limit / 2)...(.microseconds(limit)))
        }
    }
}

extension SeededGenerator {
    mutating func choose(_ count: Int) -> Int { Int(next() % UInt64(max(count, 1))) }

    mutating func microseconds(in range: ClosedRange<Duration>) -> Int64 {
        let (low, high) = (range.lowerBound.microseconds, range.upperBound.microseconds)
        return low + Int64(next() % UInt64(high - low + 1))
    }
}
