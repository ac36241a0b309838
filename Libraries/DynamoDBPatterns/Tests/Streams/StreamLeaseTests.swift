import AWSClient
import DynamoDBPatternsTesting
import Testing

@testable import DynamoDBPatterns

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Leases that change while somebody looks at them.
@Suite struct StreamLeaseTests {
    private func leases(_ fixture: StreamFixture, _ worker: String, ahead seconds: Double = 0) -> LeaseStore {
        var clock = fixture.clock
        let now = clock.now
        clock.now = { now().addingTimeInterval(seconds) }
        return LeaseStore(
            table: PatternTable("leases", in: fixture.store, clock: clock), name: "notes", stream: fixture.arn,
            worker: worker, options: .init())
    }

    @Test("A lease that was renewed since it was looked at is not taken, nor is that of a shard that is done")
    func renewed() async throws {
        let fixture = try StreamFixture()
        let (owner, other) = (leases(fixture, "owner"), leases(fixture, "other"))
        var lease = try #require(try await owner.take("s", seen: nil))
        try await fixture.clock.sleep(.seconds(31))
        let seen = try #require(try await other.snapshot().leases["s"])
        try await owner.save(lease, .kept(until: fixture.clock.milliseconds + 30_000))
        #expect(try await other.take("s", seen: seen) == nil)
        lease.checkpoint = "7"
        try await owner.save(lease, .ended)
        #expect(try await other.take("s", seen: seen) == nil)
    }

    @Test("A lease that was given up since it was looked at is taken with the checkpoint as it is now")
    func givenUp() async throws {
        let fixture = try StreamFixture()
        let (owner, other) = (leases(fixture, "owner"), leases(fixture, "other"))
        var lease = try #require(try await owner.take("s", seen: nil))
        let seen = try #require(try await other.snapshot().leases["s"])
        lease.checkpoint = "7"
        try await owner.save(lease, .givenUp)
        let taken = try #require(try await other.take("s", seen: seen))
        #expect(taken.checkpoint == "7" && taken.fence == lease.fence + 1 && taken.owner == "other")
    }

    @Test("A worker that learns from the leases that it was taken over, by a clock that is ahead, hands nothing over")
    func takenOver() async throws {
        let fixture = try StreamFixture()
        let ledger = StreamLedger()
        let consumer = try fixture.consumer("w", ledger)
        try await consumer.step()
        let shard = try #require(await consumer.shardIDs.first)
        let hasty = leases(fixture, "hasty", ahead: 60)
        #expect(try await hasty.take(shard, seen: try await hasty.snapshot().leases[shard]) != nil)
        try await fixture.write("a", 1...2)
        try await fixture.clock.sleep(.seconds(11))
        #expect(try await consumer.step() == 0)
        #expect(ledger.notes.isEmpty)
        #expect(await consumer.shardIDs.isEmpty)
    }
}
