import AWSClient
import DynamoDBPatterns
import DynamoDBPatternsTesting
import Foundation
import Testing

@Suite struct PeriodicRunTests {
    @Test("A bucket is processed once, when its grace is over")
    func once() async throws {
        let fixture = try PeriodicFixture()
        let minutes = try fixture.aggregator()
        let finishes = PeriodicFinishes()
        for number in 0..<5 { try await minutes.collect("\(number)", id: "\(number)", at: PeriodicTime.at(3)) }
        let bucket = try minutes.bucket(of: PeriodicTime.start)
        fixture.time.move(to: 89.999)
        #expect(try await minutes.runDue(finish: finishes.finish).isEmpty)
        #expect(try await minutes.result(of: bucket) == nil)
        fixture.time.move(to: 90)
        #expect(try await minutes.runDue(finish: finishes.finish) == [bucket])
        #expect(try await minutes.runDue(finish: finishes.finish).isEmpty)
        fixture.time.move(to: 100_000)
        #expect(try await minutes.runDue(finish: finishes.finish).isEmpty)
        #expect(finishes.members == ["0", "1", "2", "3", "4"])
        #expect(finishes.closed.map(\.count) == [5])
        #expect(finishes.closed.map(\.bucket) == [bucket])
        let result = try #require(try await minutes.result(of: bucket))
        #expect(result.partial.sorted() == finishes.members)
        #expect(result.idempotencyKey == finishes.closed[0].idempotencyKey)
    }

    @Test("A schedule that was down for days finds all that was left, and pays nothing for the time between")
    func idleStretches() async throws {
        let fixture = try PeriodicFixture()
        let minutes = try fixture.aggregator(duePartitions: 3)
        let finishes = PeriodicFinishes()
        for second in [0.0, 7200, 300_000] {
            fixture.time.move(to: second)
            try await minutes.collect("\(second)", id: "1", at: PeriodicTime.at(second))
        }
        fixture.time.move(to: 600_000)
        let before = fixture.store.usage
        #expect(try await minutes.runDue(finish: finishes.finish).count == 3)
        #expect(fixture.store.usage.requests["Query"] == (before.requests["Query"] ?? 0) + 3 + 3 * 2)
        #expect(finishes.members == ["0.0", "300000.0", "7200.0"])
    }

    @Test("No more buckets are processed than are asked for, the longest overdue first")
    func limit() async throws {
        let fixture = try PeriodicFixture()
        let minutes = try fixture.aggregator()
        for minute in [2.0, 0, 1] { try await minutes.collect("m", id: "1", at: PeriodicTime.at(60 * minute)) }
        fixture.time.move(to: 600)
        #expect(
            try await minutes.runDue(limit: 2) { _ in [] }.map(\.start) == [PeriodicTime.start, PeriodicTime.at(60)])
        #expect(try await minutes.runDue(limit: 2) { _ in [] }.map(\.start) == [PeriodicTime.at(120)])
    }

    @Test("Overlapping runs: while one has a bucket, the other leaves it alone")
    func overlappingRuns() async throws {
        let fixture = try PeriodicFixture()
        let (one, other) = (try fixture.aggregator(), try fixture.aggregator())
        let finishes = PeriodicFinishes()
        try await one.collect("a", id: "1", at: PeriodicTime.start)
        fixture.time.move(to: 90)
        try await one.runDue { closed in
            fixture.time.move(by: .seconds(59))
            let taken = try await other.runDue(finish: finishes.finish)
            #expect(taken.isEmpty)
            return finishes.finish(closed)
        }
        #expect(finishes.members == ["a"])
    }

    @Test("Zombie finish: a run whose lease ran out neither marks nor writes anything")
    func zombieFinish() async throws {
        let fixture = try PeriodicFixture()
        let (zombie, other) = (try fixture.aggregator(), try fixture.aggregator())
        let finishes = PeriodicFinishes()
        try await zombie.collect("a", id: "1", at: PeriodicTime.start)
        fixture.time.move(to: 90)
        let finished = try await zombie.runDue { closed in
            fixture.time.move(by: .seconds(61))
            let taken = try await other.runDue(finish: finishes.mark)
            #expect(taken == [closed.bucket])
            return finishes.mark(closed)
        }
        #expect(finished.isEmpty)
        #expect(fixture.items("effect").map { $0["times"]?.int64 } == [1])
        #expect(Set(finishes.closed.map(\.idempotencyKey)).count == 1)
        #expect(finishes.closed.map(\.partial) == [["a"], ["a"]])
    }

    @Test("Zombie checkpoint: a run that was taken over in the middle changes nothing of what the other folds")
    func zombieCheckpoint() async throws {
        let fixture = try PeriodicFixture()
        let finishes = PeriodicFinishes()
        let other = try fixture.aggregator(shards: 1, pageSize: 2)
        for number in 0..<7 { try await other.collect("\(number)", id: "\(number)", at: PeriodicTime.start) }
        fixture.time.move(to: 90)
        let interrupted = PeriodicInterruption(base: fixture.store) { call, number in
            // The zombie's third checkpoint: by now the other one has done it all.
            guard call.operation == .transactWriteItems, number == 3 else { return }
            let taken = try await other.runDue(finish: finishes.mark)
            #expect(taken.count == 1)
        }
        let slow = try fixture.aggregator(on: interrupted, shards: 1, pageSize: 2) { all, member in
            all.append(member)
            if member == "4" { fixture.time.move(by: .seconds(61)) }
        }
        #expect(try await slow.runDue(finish: finishes.mark).isEmpty)
        #expect(finishes.closed.map(\.partial) == [["0", "1", "2", "3", "4", "5", "6"]])
        #expect(try await other.result(of: other.bucket(of: PeriodicTime.start))?.count == 7)
        #expect(try await other.audit(other.bucket(of: PeriodicTime.start)).missed.isEmpty)
        #expect(fixture.items("effect").map { $0["times"]?.int64 } == [1])
    }

    @Test("Crash in the middle of a bucket: it is resumed after the last checkpoint, and nothing is folded twice")
    func crashInTheMiddle() async throws {
        let fixture = try PeriodicFixture()
        let finishes = PeriodicFinishes()
        let minutes = try fixture.aggregator(shards: 3, pageSize: 5)
        for number in 0..<40 { try await minutes.collect("\(number)", id: "\(number)", at: PeriodicTime.start) }
        fixture.time.move(to: 90)
        let dying = FaultyDynamoDB(
            fixture.store, plan: .at(call: 4, .crashAfter).where { $0.operation == .transactWriteItems })
        await #expect(throws: SimulatedCrash.self) {
            try await fixture.aggregator(on: dying, shards: 3, pageSize: 5).runDue { _ in [] }
        }
        let stored = try #require(fixture.items("head").first?["count"]?.int)
        #expect((20..<40).contains(stored))
        #expect(try await minutes.runDue(finish: finishes.finish).isEmpty)

        fixture.time.move(by: .seconds(61))
        let folds = PeriodicLog()
        let resumed = try fixture.aggregator(shards: 3, pageSize: 5) { all, member in
            all.append(member)
            folds.add(member)
        }
        try await resumed.runDue(finish: finishes.finish)
        #expect(folds.all.count == 40 - stored)
        #expect(finishes.members == (0..<40).map { "\($0)" }.sorted())
        #expect(finishes.closed.map(\.count) == [40])
    }

    @Test("More than a page: a bucket of 3 MB in one shard is folded to the end")
    func moreThanAPage() async throws {
        let fixture = try PeriodicFixture()
        let minutes = try fixture.aggregator(shards: 1) { $0.append(String($1.prefix(2))) }
        let text = String(repeating: "x", count: 100_000)
        for number in 10..<40 { try await minutes.collect("\(number)" + text, id: "\(number)", at: PeriodicTime.start) }
        fixture.time.move(to: 90)
        let finishes = PeriodicFinishes()
        let queries = fixture.store.usage.requests["Query"] ?? 0
        try await minutes.runDue(finish: finishes.finish)
        #expect(finishes.members == (10..<40).map { "\($0)" })
        #expect((fixture.store.usage.requests["Query"] ?? 0) - queries >= 4)
    }

    @Test("More than one item: what outgrows one is refused by name, and the members can still be read by pages")
    func moreThanAnItem() async throws {
        let fixture = try PeriodicFixture()
        let minutes = try fixture.aggregator()
        let text = String(repeating: "x", count: 100_000)
        for number in 0..<6 { try await minutes.collect("\(number)" + text, id: "\(number)", at: PeriodicTime.start) }
        fixture.time.move(to: 90)
        let error = await #expect(throws: PatternError.self) { try await minutes.runDue { _ in [] } }
        #expect(error?.code == .tooLarge)

        fixture.time.move(by: .seconds(61))
        let lean = try fixture.aggregator { all, _ in all.append("+") }
        let read = PeriodicLog()
        try await lean.runDue { closed in
            var cursor: MemberCursor?
            repeat {
                let page = try await lean.members(of: closed.bucket, after: cursor, limit: 2)
                #expect(page.members.count <= 2)
                for member in page.members { read.add(member.id) }
                cursor = page.next
            } while cursor != nil
            return []
        }
        #expect(read.all.sorted() == ["0", "1", "2", "3", "4", "5"])
    }
}
