import AWSClient
import DynamoDBPatternsTesting
import Foundation
import Testing

@testable import DynamoDBPatterns

@Suite struct PeriodicEdgeTests {
    @Test("A time that is more than a year ahead is none, and no bucket of the far future hides those of today")
    func farFuture() async throws {
        let fixture = try PeriodicFixture()
        let minutes = try fixture.aggregator()
        let error = await #expect(throws: PatternError.self) {
            try await minutes.collect("a", id: "1", at: PeriodicTime.at(PeriodicTime.start.timeIntervalSince1970 * 999))
        }
        #expect(error?.code == .invalidArgument)
        #expect(fixture.store.items(in: PeriodicFixture.table).isEmpty)

        for day in 1...70 { try await minutes.collect("a", id: "1", at: PeriodicTime.at(Double(day) * 86_400)) }
        try await minutes.collect("a", id: "1", at: PeriodicTime.start)
        fixture.store.resetUsage()
        try await minutes.collect("a", id: "2", at: PeriodicTime.start)
        #expect(fixture.store.usage.requests.values.reduce(0, +) == 1, "its bucket is still known")
    }

    @Test("A run that waits for members to be seen, for longer than its lease, keeps its bucket")
    func longWait() async throws {
        /// Counts what is not seen yet for a while, slowly.
        struct Slow: DynamoDBDecorator {
            let base: any DynamoDBAPI
            let looks = PeriodicLog()
            let meanwhile: @Sendable () async throws -> Void

            func query(_ request: QueryRequest) async throws -> QueryResponse {
                var answer = try await base.query(request)
                guard request.select == .count, looks.add("look") <= 6 else { return answer }
                answer.count = 0
                try await meanwhile()
                return answer
            }
        }
        let fixture = try PeriodicFixture()
        let other = try fixture.aggregator()
        fixture.time.move(to: 55)
        try await other.collect("a", id: "1", at: PeriodicTime.at(55))
        fixture.time.move(to: 90)
        let slow = Slow(base: fixture.store) {
            fixture.time.move(by: .seconds(25))
            let taken = try await other.runDue { _ in [] }
            #expect(taken == [])
        }
        let finishes = PeriodicFinishes()
        #expect(try await fixture.aggregator(on: slow).runDue(finish: finishes.finish).count == 1)
        #expect(finishes.members == ["a"] && slow.looks.all.count == 7)
    }

    @Test("What a run cannot see yet it waits for, and what was deleted by hand it does not wait for for ever")
    func unseen() async throws {
        let fixture = try PeriodicFixture()
        let minutes = try fixture.aggregator()
        fixture.time.move(to: 55)
        for id in ["1", "2"] { try await minutes.collect(id, id: id, at: PeriodicTime.at(55)) }
        let gone = try #require(fixture.items("m#1").first)
        _ = try await fixture.store.deleteItem(
            DeleteItemRequest(tableName: PeriodicFixture.table, key: gone.filter { ["pk", "sk"].contains($0.key) }))
        fixture.time.move(to: 90)
        let finishes = PeriodicFinishes()
        for _ in 1...5 {
            let error = await #expect(throws: PatternError.self) {
                try await minutes.runDue(finish: finishes.finish)
            }
            #expect(error?.code == .contention)
            fixture.time.move(by: .seconds(61))
        }
        try await minutes.runDue(finish: finishes.finish)
        #expect(finishes.members == ["2"])
    }

    @Test(
        "Whatever an identity begins with, and whatever it has in it, its member is folded, early or late",
        arguments: ["\u{301}x", "\u{FE0F}", "\u{200D}#", "a#b#é", "#", "##"])
    func identities(id: String) async throws {
        let fixture = try PeriodicFixture()
        let minutes = try fixture.aggregator()
        let finishes = PeriodicFinishes()
        try await minutes.collect("a", id: id, at: PeriodicTime.start)
        try await minutes.collect("first", id: "1", at: PeriodicTime.at(60))
        fixture.time.move(to: 150)
        try await minutes.runDue(finish: finishes.finish)
        #expect(try await minutes.collect("a", id: id, at: PeriodicTime.start) == .duplicate)
        let bucket = try minutes.bucket(of: PeriodicTime.at(150))
        #expect(try await minutes.collect("b", id: id, at: PeriodicTime.at(60)) == .late(into: bucket))
        #expect(try await minutes.members(of: bucket).members.map(\.id) == [id])
        fixture.time.move(to: 1000)
        try await minutes.runDue(finish: finishes.finish)
        #expect(finishes.members == ["a", "b", "first"])
    }

    @Test("Canonically equal identities are two members")
    func canonicallyEqual() async throws {
        let fixture = try PeriodicFixture()
        let minutes = try fixture.aggregator()
        let bucket = try minutes.bucket(of: PeriodicTime.start)
        #expect(try await minutes.collect("a", id: "\u{E9}", at: PeriodicTime.start) == .collected(in: bucket))
        #expect(try await minutes.collect("b", id: "e\u{301}", at: PeriodicTime.start) == .collected(in: bucket))
        #expect(try await minutes.members(of: bucket).members.count == 2)
    }

    @Test("Durations that no number of milliseconds holds are refused, and do not end the program")
    func hugeDurations() throws {
        let fixture = try PeriodicFixture()
        for duration in [Duration.seconds(Int64.max), .seconds(Int64.min)] {
            #expect(throws: PatternError.self) { try fixture.aggregator(period: duration) }
            #expect(throws: PatternError.self) { try fixture.aggregator(skew: duration) }
        }
        #expect(Duration.seconds(Int64.max).milliseconds == 9_000_000_000_000_000)
        #expect(Duration.seconds(Int64.min).milliseconds == -9_000_000_000_000_000)
        #expect(Duration.milliseconds(-1500).milliseconds == -1500)
        let minutes = try fixture.aggregator()
        _ = try minutes.bucket(of: .distantFuture).end
        _ = try minutes.bucket(of: Date(timeIntervalSince1970: .infinity)).end
    }

    @Test("A clock that is half an hour behind counts nothing again when what was processed begins to expire")
    func expiringMembers() async throws {
        let fixture = try PeriodicFixture()
        let minutes = try fixture.aggregator()
        let finishes = PeriodicFinishes()
        try await minutes.collect("a", id: "1", at: PeriodicTime.start)
        fixture.time.move(to: 90)
        try await minutes.runDue(finish: finishes.finish)
        try await minutes.collect("b", id: "2", at: PeriodicTime.start)
        fixture.time.move(to: 90 + 14 * 86_400 + 900)
        fixture.store.expireItems(in: PeriodicFixture.table)
        let slow = try fixture.aggregator(behind: .seconds(1800))
        for id in ["1", "2"] {
            let collected = try await slow.collect("again", id: id, at: PeriodicTime.start)
            #expect(collected == .duplicate)
        }
    }

    @Test("A bucket whose items expire is not audited: nothing is reported that was merely forgotten in part")
    func expiringAudit() async throws {
        let fixture = try PeriodicFixture()
        let minutes = try fixture.aggregator()
        let bucket = try minutes.bucket(of: PeriodicTime.start)
        try await minutes.collect("a", id: "1", at: PeriodicTime.start)
        fixture.time.move(to: 90)
        try await minutes.runDue { _ in [] }
        fixture.time.move(to: 90 + 15 * 86_400)
        // DynamoDB deletes what has expired in any order.
        let record = try #require(fixture.items("fold#").first)
        _ = try await fixture.store.deleteItem(
            .init(
                tableName: PeriodicFixture.table,
                key: ["pk": try #require(record["pk"]), "sk": try #require(record["sk"])]
            ))
        let error = await #expect(throws: PatternError.self) { try await minutes.audit(bucket) }
        #expect(error?.code == .notFound)
    }

    @Test("A claim or a mark whose answer was lost, and whose repetition met a transaction first, is one's own")
    func lostAnswerThenConflict() async throws {
        for call in 1...8 {
            let fixture = try PeriodicFixture()
            try await fixture.aggregator(shards: 1).collect("a", id: "1", at: PeriodicTime.start)
            fixture.time.move(to: 90)
            let unlucky = LostThenConflict(base: fixture.store, call: call)
            let finishes = PeriodicFinishes()
            let done = try await fixture.aggregator(on: unlucky, shards: 1).runDue(finish: finishes.finish)
            #expect(done.count == 1 && finishes.members == ["a"], "call \(call)")
        }
    }
}

/// One write is carried out, its answer is lost, and when it is made again a transaction is in the way.
private struct LostThenConflict: DynamoDBDecorator {
    let base: any DynamoDBAPI
    let call: Int
    private let calls = PeriodicLog()

    init(base: any DynamoDBAPI, call: Int) {
        self.base = base
        self.call = call
    }

    func around<Answer: Sendable>(
        _ call: DynamoDBCall, _ carryOut: () async throws -> Answer
    ) async throws -> Answer {
        let answer = try await carryOut()
        guard [.putItem, .updateItem].contains(call.operation), calls.add("write") == self.call else { return answer }
        throw AWSError(.transactionConflict, "A transaction is in the way.", status: 400, mayHaveTakenEffect: true)
    }
}
