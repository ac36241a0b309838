public import DiscfgCore
import Synchronization

/// A clock that stands still until a test advances it.
public final class TestClock: Sendable {
    private struct Sleeper {
        var deadline: Timestamp
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now: Timestamp
        var sleepers: [Int: Sleeper] = [:]
        var nextID = 0
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state: Mutex<State>
    private let start: (time: Timestamp, instant: ContinuousClock.Instant)

    /// A clock that shows the given moment; by default one in the year 2026.
    public init(now: Timestamp = Timestamp(milliseconds: 1_767_225_600_000)) {
        state = Mutex(State(now: now))
        start = (now, .now)
    }

    /// The time that the clock shows.
    public var now: Timestamp { state.withLock { $0.now } }

    /// The moment of a monotonic clock that moves only when a test advances this clock.
    public var instant: ContinuousClock.Instant { start.instant + (now - start.time) }

    /// Moves the clock, and wakes those whose time has come.
    public func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.now = state.now + duration
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.values.map(\.continuation)
        }
        for continuation in woken { continuation.resume() }
    }

    /// Waits until at least that many tasks sleep on the clock, so that a test advances it neither too early nor in vain.
    public func waitForSleepers(_ count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.sleepers.count >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    /// A time source whose time and sleep are the clock's.
    public var source: TimeSource { TimeSource(now: { self.now }, sleep: { try await self.sleep($0) }) }

    /// A time source that shows the clock's time, but sleeps in real time: for services whose retries are to go on by themselves.
    ///
    /// Its monotonic clock goes on by what the test advances the clock, and by the real time as well.
    public var steadySource: TimeSource {
        TimeSource(
            now: { self.now }, sleep: { try await Task.sleep(for: $0) },
            instant: { .now + (self.now - self.start.time) })
    }

    private func sleep(_ duration: Duration) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let (ends, watchers) = state.withLock { state -> (Bool, [CheckedContinuation<Void, Never>]) in
                    if duration <= .zero || Task.isCancelled { return (true, []) }
                    state.sleepers[id] = Sleeper(deadline: state.now + duration, continuation: continuation)
                    let satisfied = state.watchers.filter { $0.count <= state.sleepers.count }
                    state.watchers.removeAll { $0.count <= state.sleepers.count }
                    return (false, satisfied.map(\.continuation))
                }
                if ends { continuation.resume() }
                for watcher in watchers { watcher.resume() }
            }
        } onCancel: {
            let sleeper = state.withLock { $0.sleepers.removeValue(forKey: id) }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
        try Task.checkCancellation()
    }
}
