import AWSClient
import AWSTestSupport
import DynamoDBPatterns
import Testing

@Suite(.enabled(if: Ministack.skipReason == nil, Comment(rawValue: Ministack.skipReason ?? "")))
struct PeriodicMinistackTests {
    @Test("On a DynamoDB that is reached through HTTP: duplicates, stragglers, a takeover, and writes with the mark")
    func wholeWay() async throws {
        let dynamoDB = DynamoDB(try await StandIn.client())
        let name = "periodic-\(UInt64.random(in: 0 ... .max))"
        try await PatternTable.create(name, in: dynamoDB)
        try await StandIn.keepExpiredItems(in: name)
        let time = PeriodicTime()
        let clock = PatternClock(now: { time.now }, sleep: { time.move(by: $0) })
        func aggregator() throws -> PeriodicFixture.Aggregator {
            try PeriodicAggregator(
                "minutes", in: PatternTable(name, in: dynamoDB, clock: clock, duePartitions: 2),
                period: .seconds(60), grace: .seconds(30), shards: 2, pageSize: 3, initial: []
            ) { $0.append($1) }
        }
        let (minutes, other) = (try aggregator(), try aggregator())
        let bucket = try minutes.bucket(of: PeriodicTime.start)
        for id in 0..<10 {
            #expect(
                try await minutes.collect("\(id)", id: "\(id)", at: PeriodicTime.at(Double(id)))
                    == .collected(in: bucket))
        }
        #expect(try await other.collect("3", id: "3", at: PeriodicTime.at(3)) == .duplicate)
        time.move(to: 55)
        #expect(try await other.collect("10", id: "10", at: PeriodicTime.start) == .collected(in: bucket))
        #expect(try await other.collect("10", id: "10", at: PeriodicTime.start) == .duplicate)

        time.move(to: 90)
        let finishes = PeriodicFinishes()
        let effect: @Sendable (ClosedBucket<[String]>) -> [TransactWriteItem] = { closed in
            _ = finishes.finish(closed)
            return [
                .put(
                    .init(
                        tableName: name,
                        item: ["pk": .string(closed.idempotencyKey), "sk": .string("result")],
                        conditionExpression: "attribute_not_exists(pk)"))
            ]
        }
        let finished = try await minutes.runDue { closed in
            time.move(by: .seconds(61))
            let taken = try await other.runDue(finish: effect)
            #expect(taken == [bucket])
            return effect(closed)
        }
        #expect(finished.isEmpty)
        #expect(
            finishes.closed.map { $0.partial.sorted() } == Array(repeating: (0..<11).map { "\($0)" }.sorted(), count: 2)
        )
        #expect(try await minutes.result(of: bucket)?.count == 11)
        #expect(try await minutes.audit(bucket).missed.isEmpty)

        let late = try minutes.bucket(of: time.now)
        #expect(try await minutes.collect("11", id: "11", at: PeriodicTime.start) == .late(into: late))
        #expect(try await other.collect("11", id: "11", at: PeriodicTime.start) == .duplicate)
        time.move(by: .seconds(200))
        #expect(try await other.runDue(finish: effect) == [late])
        #expect(try await minutes.members(of: late).members.map(\.lateFrom) == [PeriodicTime.start])
        let large = String(repeating: "x", count: 410_000)
        let error = await #expect(throws: PatternError.self) {
            try await minutes.collect(large, id: "12", at: time.now)
        }
        #expect(error?.code == .tooLarge)
    }
}
