import AWSClient
import DynamoDBPatterns
import DynamoDBPatternsTesting
import Foundation
import InMemoryLogging
import Logging
import Testing

@Suite struct PeriodicFailureTests {
    private struct Failure: Error {}

    @Test("A bucket that fails keeps nobody else's from being done, is told, and taken up again after its lease")
    func failingBucket() async throws {
        let fixture = try PeriodicFixture()
        let minutes = try fixture.aggregator()
        let finishes = PeriodicFinishes()
        for minute in 0..<3 {
            try await minutes.collect("\(minute)", id: "1", at: PeriodicTime.at(60.0 * Double(minute)))
        }
        fixture.time.move(to: 600)
        await #expect(throws: Failure.self) {
            try await minutes.runDue { closed in
                if closed.partial == ["0"] { throw Failure() }
                return finishes.finish(closed)
            }
        }
        #expect(finishes.members == ["1", "2"])
        #expect(try await minutes.runDue(finish: finishes.finish).isEmpty)
        fixture.time.move(by: .seconds(61))
        #expect(try await minutes.runDue(finish: finishes.finish).map(\.start) == [PeriodicTime.start])
        #expect(finishes.members == ["0", "1", "2"])
    }

    @Test("A member that cannot be folded fails its bucket, of which nothing is marked")
    func failingFold() async throws {
        let fixture = try PeriodicFixture()
        let minutes = try fixture.aggregator { _, _ in throw Failure() }
        try await minutes.collect("a", id: "1", at: PeriodicTime.start)
        fixture.time.move(to: 90)
        await #expect(throws: Failure.self) { try await minutes.runDue { _ in [] } }
        fixture.time.move(by: .seconds(61))
        let finishes = PeriodicFinishes()
        try await fixture.aggregator().runDue(finish: finishes.finish)
        #expect(finishes.members == ["a"])
    }

    @Test("A member of another type is told as corrupt, without its content")
    func corruptMember() async throws {
        let fixture = try PeriodicFixture()
        let table = PatternTable(
            PeriodicFixture.table, in: fixture.store, clock: PatternClock(now: { fixture.time.now }))
        let numbers = try PeriodicAggregator<Int, Int>("minutes", in: table, period: .seconds(60), initial: 0) {
            $0 += $1
        }
        try await fixture.aggregator().collect("secret", id: "1", at: PeriodicTime.start)
        fixture.time.move(to: 90)
        let error = await #expect(throws: PatternError.self) { try await numbers.runDue { _ in [] } }
        #expect(error?.code == .corrupt)
        #expect(try !"\(#require(error)) \(#require(error?.cause))".contains("secret"))
    }

    @Test("A write of the finish that is refused leaves the bucket undone, and none of the others is carried out")
    func refusedWrite() async throws {
        let fixture = try PeriodicFixture()
        let minutes = try fixture.aggregator()
        let finishes = PeriodicFinishes()
        try await minutes.collect("a", id: "1", at: PeriodicTime.start)
        fixture.time.move(to: 90)
        let error = await #expect(throws: PatternError.self) {
            try await minutes.runDue { closed in
                let refused = TransactWriteItem.put(
                    .init(
                        tableName: PeriodicFixture.table, item: ["pk": .string("x"), "sk": .string("x")],
                        conditionExpression: "attribute_exists(pk)"))
                return finishes.mark(closed) + [refused]
            }
        }
        #expect(error?.code == .conflict)
        #expect(fixture.items("effect").isEmpty)
        fixture.time.move(by: .seconds(61))
        #expect(try await minutes.runDue(finish: finishes.mark).count == 1)
        #expect(fixture.items("effect").map { $0["times"]?.int64 } == [1])
    }

    @Test("More writes than a transaction takes are refused by name")
    func tooManyWrites() async throws {
        let fixture = try PeriodicFixture()
        let minutes = try fixture.aggregator()
        let finishes = PeriodicFinishes()
        try await minutes.collect("a", id: "1", at: PeriodicTime.start)
        fixture.time.move(to: 90)
        let error = await #expect(throws: PatternError.self) {
            try await minutes.runDue { Array(repeating: finishes.mark($0)[0], count: 100) }
        }
        #expect(error?.code == .invalidArgument)
    }

    @Test("A collector that dies before its first member leaves a bucket that is done without being finished")
    func emptyBucket() async throws {
        let fixture = try PeriodicFixture()
        let dying = FaultyDynamoDB(fixture.store, plan: .at(call: 2, .crashBefore))
        await #expect(throws: SimulatedCrash.self) {
            try await fixture.aggregator(on: dying).collect("a", id: "1", at: PeriodicTime.start)
        }
        fixture.time.move(to: 90)
        let finishes = PeriodicFinishes()
        let minutes = try fixture.aggregator()
        #expect(try await minutes.runDue(finish: finishes.finish).count == 1)
        #expect(finishes.closed.isEmpty)
        #expect(try await minutes.result(of: minutes.bucket(of: PeriodicTime.start))?.count == 0)
    }

    @Test("The loop pauses when nothing is due, and outlives failures, which it logs without what they say")
    func loop() async throws {
        let fixture = try PeriodicFixture()
        let minutes = try fixture.aggregator()
        let log = InMemoryLogHandler()
        let tries = PeriodicLog()
        try await minutes.collect("a", id: "1", at: PeriodicTime.start)
        try await minutes.run(every: .seconds(20), logger: Logger(label: "test") { _ in log }) { _ in
            if tries.add("try") == 3 { withUnsafeCurrentTask { $0?.cancel() } }
            throw PatternError(.poison, "Not for logs.")
        }
        // Due after 90 s, and again after each lease of 60 s; a pause is from 10 s to 20 s, and one more at the end.
        #expect((220...290).contains(fixture.time.now.timeIntervalSince(PeriodicTime.start)))
        #expect(log.entries.map { $0.metadata["error.code"] } == ["poison", "poison", "poison"])
        #expect(!"\(log.entries)".contains("Not for logs"))
    }
}
