@testable import DiscfgCore
import Synchronization
import Testing

@Suite("Follower")
struct FollowerTests {
    @Test("A revision that was announced and is not there wakes a waiter once, not for ever")
    func staleAnnouncement() async throws {
        let follower = LogFollower(interval: .milliseconds(1), time: .system) { 1 }
        follower.announce(100)
        try await follower.wait(beyond: 1, atMost: .seconds(60))
        let start = ContinuousClock.now
        try await follower.wait(beyond: 1, atMost: .milliseconds(50))
        #expect(ContinuousClock.now - start >= .milliseconds(50))
    }

    @Test("A waiter whose task is cancelled ends")
    func cancelled() async throws {
        let follower = LogFollower(interval: .seconds(60), time: .system) { 1 }
        let waiter = Task { try await follower.wait(beyond: 1, atMost: .seconds(600)) }
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
    }

    @Test("A store that fails is reported to all who wait")
    func failure() async throws {
        let follower = LogFollower(interval: .milliseconds(1), time: .system) {
            throw DiscfgError(.storeUnavailable, "It is away.")
        }
        let error = await #expect(throws: DiscfgError.self) {
            try await follower.wait(beyond: 1, atMost: .seconds(600))
        }
        #expect(error?.code == .storeUnavailable)
    }
}
