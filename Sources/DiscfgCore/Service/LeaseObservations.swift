import Synchronization

/// How long the leases of a config have been unchanged, by this process's monotonic clock.
///
/// A renewal raises the lease's version. So a lease whose version has been the same for its time to live was not renewed in
/// that time, whatever the wall clocks of the processes show.
final class LeaseObservations: Sendable {
    /// Maximum number of leases granted or renewed here that are remembered; the others are observed once they are overdue.
    private static let maximumOwn = 100_000
    /// How long such a lease is remembered after its time to live, so that a look that was slow or behind finds it all the same.
    private static let grace: Duration = .seconds(60)

    private struct Observation {
        let lease: Lease
        /// A moment at which the store held the lease like this, or had held it.
        let since: ContinuousClock.Instant

        func isOver(at instant: ContinuousClock.Instant, for grace: Duration = .zero) -> Bool {
            instant - since >= lease.ttl + grace
        }
    }

    private struct State {
        /// Leases that this process granted or renewed.
        var own: [Int64: Observation] = [:]
        /// Leases that were overdue by this process's wall clock at the last look.
        var overdue: [Int64: Observation] = [:]

        func observation(of lease: Lease) -> Observation? {
            [own[lease.id], overdue[lease.id]].lazy.compactMap(\.self).first { $0.lease == lease }
        }
    }

    private let state = Mutex(State())

    /// Notes a lease that this process has granted or renewed, at a moment after the store's answer.
    func note(_ lease: Lease, at instant: ContinuousClock.Instant) {
        state.withLock { state in
            guard state.own[lease.id] != nil || state.own.count < Self.maximumOwn else { return }
            state.own[lease.id] = Observation(lease: lease, since: instant)
        }
    }

    /// Forgets a lease that is ending.
    func forget(_ id: Int64) {
        state.withLock { state in
            state.own[id] = nil
            state.overdue[id] = nil
        }
    }

    /// Notes all leases that are overdue by this process's wall clock, at a moment after the store's answer.
    ///
    /// - Returns: Those that are ending, and those that have been unchanged for their time to live.
    func look(at overdue: [Lease], at instant: ContinuousClock.Instant) -> [Lease] {
        state.withLock { state in
            let live = overdue.filter { !$0.isEnding }
            let observations = live.map { state.observation(of: $0) ?? Observation(lease: $0, since: instant) }
            state.overdue = Dictionary(observations.map { ($0.lease.id, $0) }) { $1 }
            // These ended in another process, or were renewed there.
            state.own = state.own.filter { !$0.value.isOver(at: instant, for: Self.grace) }
            return overdue.filter { $0.isEnding || state.overdue[$0.id]?.isOver(at: instant) == true }
        }
    }
}
