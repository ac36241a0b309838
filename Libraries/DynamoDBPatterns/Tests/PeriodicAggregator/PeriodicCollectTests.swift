import AWSClient
import DynamoDBPatternsTesting
import Foundation
import Testing

@testable import DynamoDBPatterns

@Suite struct PeriodicCollectTests {
    @Test("A member is in the bucket of its time, and its second delivery is a duplicate")
    func duplicates() async throws {
        let fixture = try PeriodicFixture()
        let minutes = try fixture.aggregator()
        let bucket = try minutes.bucket(of: PeriodicTime.at(59.999))
        #expect(bucket.start == PeriodicTime.start)
        #expect(bucket.end == PeriodicTime.at(60))
        #expect(try minutes.bucket(of: PeriodicTime.at(60)) > bucket)
        #expect(try await minutes.collect("a", id: "1", at: PeriodicTime.at(59.999)) == .collected(in: bucket))
        #expect(try await minutes.collect("a", id: "1", at: PeriodicTime.at(59.999)) == .duplicate)
        #expect(try await minutes.members(of: bucket).members.map(\.member) == ["a"])
    }

    @Test("Shortly before the end of its bucket, and until that is closed, a member is collected after a check")
    func dangerZone() async throws {
        let fixture = try PeriodicFixture()
        let minutes = try fixture.aggregator()
        let bucket = try minutes.bucket(of: PeriodicTime.start)
        try await minutes.collect("a", id: "1", at: PeriodicTime.start)
        #expect(fixture.store.usage.requests["TransactWriteItems"] == nil)
        fixture.time.move(to: 50)
        #expect(try await minutes.collect("b", id: "2", at: PeriodicTime.start) == .collected(in: bucket))
        #expect(fixture.store.usage.requests["TransactWriteItems"] == 1)
        fixture.time.move(to: 1000)
        #expect(try await minutes.collect("c", id: "3", at: PeriodicTime.start) == .collected(in: bucket))
        #expect(try await minutes.collect("b", id: "2", at: PeriodicTime.start) == .duplicate)
    }

    @Test("Stragglers after the close go into the bucket of the moment, and their second delivery is a duplicate")
    func stragglers() async throws {
        let fixture = try PeriodicFixture()
        let minutes = try fixture.aggregator()
        let finishes = PeriodicFinishes()
        try await minutes.collect("a", id: "1", at: PeriodicTime.at(1))
        fixture.time.move(to: 100)
        try await minutes.runDue(finish: finishes.finish)

        let next = try minutes.bucket(of: PeriodicTime.at(100))
        #expect(try await minutes.collect("b", id: "2", at: PeriodicTime.at(2)) == .late(into: next))
        #expect(try await minutes.collect("b", id: "2", at: PeriodicTime.at(2)) == .duplicate)
        #expect(try await minutes.collect("a", id: "1", at: PeriodicTime.at(1)) == .duplicate)
        let late = try #require(try await minutes.members(of: next).members.first)
        #expect(
            late
                == CollectedMember(
                    id: "2", time: PeriodicTime.at(2), member: "b", lateFrom: PeriodicTime.start))

        fixture.time.move(to: 1000)
        try await minutes.runDue(finish: finishes.finish)
        #expect(try await fixture.aggregator().collect("b", id: "2", at: PeriodicTime.at(2)) == .duplicate)
        fixture.time.move(to: 2000)
        try await minutes.runDue(finish: finishes.finish)
        #expect(finishes.members == ["a", "b"])
    }

    @Test("Late members of several buckets with the same identity are members of their own")
    func lateIdentities() async throws {
        let fixture = try PeriodicFixture()
        let minutes = try fixture.aggregator()
        for second in [0.0, 60] { try await minutes.collect("early", id: "0", at: PeriodicTime.at(second)) }
        fixture.time.move(to: 200)
        try await minutes.runDue { _ in [] }
        for second in [0.0, 60, 200] { try await minutes.collect("m\(second)", id: "1", at: PeriodicTime.at(second)) }
        let members = try await minutes.members(of: minutes.bucket(of: PeriodicTime.at(200))).members
        #expect(members.map(\.member).sorted() == ["m0.0", "m200.0", "m60.0"])
    }

    @Test("Where late members are refused, nothing is kept of them")
    func refusal() async throws {
        let fixture = try PeriodicFixture()
        let minutes = try fixture.aggregator(late: .refuse)
        try await minutes.collect("a", id: "1", at: PeriodicTime.start)
        fixture.time.move(to: 100)
        try await minutes.runDue { _ in [] }
        let items = fixture.store.items(in: PeriodicFixture.table).count
        #expect(try await minutes.collect("b", id: "2", at: PeriodicTime.start) == .late(into: nil))
        #expect(try await minutes.collect("a", id: "1", at: PeriodicTime.start) == .duplicate)
        #expect(fixture.store.items(in: PeriodicFixture.table).count == items)
    }

    @Test("What is older than the retention is not kept: nobody knows any more whether it was there")
    func retention() async throws {
        let fixture = try PeriodicFixture()
        let minutes = try fixture.aggregator()
        fixture.time.move(by: .seconds(15 * 86_400))
        #expect(try await minutes.collect("a", id: "1", at: PeriodicTime.start) == .late(into: nil))
        #expect(fixture.store.items(in: PeriodicFixture.table).isEmpty)
    }

    @Test("What keeps a bucket closed is kept longer than anybody may come late")
    func expiry() async throws {
        let fixture = try PeriodicFixture()
        let minutes = try fixture.aggregator()
        try await minutes.collect("a", id: "1", at: PeriodicTime.start)
        #expect(fixture.items("head").first?["ttl"] == nil)
        fixture.time.move(to: 100)
        try await minutes.runDue { _ in [] }
        let end = Int64(PeriodicTime.start.timeIntervalSince1970) + 90 + 14 * 86_400
        for item in fixture.items("m#") { #expect(try #require(item["ttl"]?.int64) > end) }
        let closing = fixture.items("head") + fixture.items("!door") + fixture.items("fold#")
        #expect(closing.count == 4)
        for item in closing { #expect(try #require(item["ttl"]?.int64) >= end + 86_400) }
    }

    @Test("Hot bucket: members are spread over the shards, which are partitions of their own")
    func hotBucket() async throws {
        let fixture = try PeriodicFixture()
        let minutes = try fixture.aggregator(shards: 4)
        for number in 0..<400 { try await minutes.collect("m", id: "event-\(number)", at: PeriodicTime.start) }
        let shards = Dictionary(grouping: fixture.items("m#")) { $0["pk"]?.string ?? "" }
        #expect(shards.count == 4)
        for shard in shards.values { #expect(shard.count > 60) }
    }

    @Test("A bucket keeps the shards and the end that it began with, whatever others are set up with")
    func changedLayout() async throws {
        let fixture = try PeriodicFixture()
        let before = try fixture.aggregator(shards: 1)
        let after = try fixture.aggregator(period: .seconds(120), shards: 8)
        let finishes = PeriodicFinishes()
        let bucket = try before.bucket(of: PeriodicTime.start)
        for number in 0..<20 { try await before.collect("\(number)", id: "\(number)", at: PeriodicTime.start) }
        for number in 10..<30 {
            let collected = try await after.collect("\(number)", id: "\(number)", at: PeriodicTime.start)
            #expect(collected == (number < 20 ? .duplicate : .collected(in: bucket)))
        }
        fixture.time.move(to: 95)
        try await after.runDue(finish: finishes.finish)
        #expect(finishes.members == (0..<30).map { "\($0)" }.sorted())
        // A time that belongs to this bucket by the new period only.
        let late = try await after.collect("late", id: "late", at: PeriodicTime.at(70))
        guard case .late(.some(let bucket)) = late else {
            Issue.record("It came after the close, and was \(late).")
            return
        }
        fixture.time.move(to: 1000)
        #expect(try await before.runDue(finish: finishes.finish) == [bucket])
        #expect(finishes.members.contains("late"))
    }

    @Test("A member that outgrows an item is refused by name, as are identities and times that cannot be")
    func refusedArguments() async throws {
        let fixture = try PeriodicFixture()
        let minutes = try fixture.aggregator()
        let large = String(repeating: "x", count: 410_000)
        for second in [0.0, 55] {
            fixture.time.move(to: second)
            let error = await #expect(throws: PatternError.self) {
                try await minutes.collect(large, id: "1", at: PeriodicTime.start)
            }
            #expect(error?.code == .tooLarge)
        }
        for (id, time) in [("", 0.0), (String(repeating: "x", count: 513), 0), ("1", -1e10)] {
            let error = await #expect(throws: PatternError.self) {
                try await minutes.collect("a", id: id, at: PeriodicTime.at(time))
            }
            #expect(error?.code == .invalidArgument)
        }
        for settings in [(0, 1), (60, 0), (60, 1001)] {
            #expect(throws: PatternError.self) {
                try fixture.aggregator(period: .seconds(settings.0), shards: settings.1)
            }
        }
        #expect(throws: PatternError.self) { try fixture.aggregator(name: "a#b") }
    }
}
