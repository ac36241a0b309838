import AWSClient
import DynamoDBPatterns
import DynamoDBPatternsTesting
import Foundation
import Testing

@Suite("Results come in time, also in a first short try and from an hourly schedule")
struct PeriodicScheduleTests {
    /// Sums with the settings that nobody chose.
    private static func sums(_ fixture: PeriodicFixture, period: Duration) throws -> PeriodicAggregator<Int, Int> {
        let time = fixture.time
        let clock = PatternClock(now: { time.now }, sleep: { time.move(by: $0) })
        return try PeriodicAggregator(
            "sums", in: PatternTable(PeriodicFixture.table, in: fixture.store, clock: clock), period: period, initial: 0
        ) { $0 += $1 }
    }

    private static func seconds(_ date: Date?) -> Double? { date?.timeIntervalSince(PeriodicTime.start) }

    @Test("A first try with a period of seconds prints its result when it waits three periods")
    func firstTry() async throws {
        for period in [1, 2, 5, 30] {
            let fixture = try PeriodicFixture()
            let sums = try Self.sums(fixture, period: .seconds(period))
            for id in 0..<10 { try await sums.collect(id, id: "\(id)", at: fixture.time.now) }
            let printed = PeriodicLog()
            let buckets = try await sums.runDue(waiting: .seconds(3 * period)) { closed in
                printed.add("\(closed.count): \(closed.partial)")
                return []
            }
            #expect(printed.all == ["10: 45"] && buckets.count == 1)
            #expect(fixture.time.now <= PeriodicTime.at(Double(2 * period)))
        }
    }

    @Test("The loop prints the result of a period of seconds without being told how often to look")
    func firstLoop() async throws {
        let fixture = try PeriodicFixture()
        let sums = try Self.sums(fixture, period: .seconds(5))
        try await sums.collect(7, id: "1", at: fixture.time.now)
        try await sums.run { closed in
            #expect(closed.partial == 7)
            withUnsafeCurrentTask { $0?.cancel() }
            return []
        }
        #expect(fixture.time.now <= PeriodicTime.at(11))
    }

    @Test("A schedule at each full hour that waits has each hour's result a minute later, and misses none")
    func hourly() async throws {
        let fixture = try PeriodicFixture()
        let sums = try Self.sums(fixture, period: .seconds(3600))
        for hour in 0..<5 {
            for part in 0..<6 {
                let second = Double(hour * 3600 + part * 600)
                fixture.time.move(to: second)
                try await sums.collect(1, id: "\(part)", at: PeriodicTime.at(second))
            }
            fixture.time.move(to: Double((hour + 1) * 3600))
            // Without waiting it would find the hour before only, an hour late.
            #expect(try await sums.runDue { _ in [] }.isEmpty)
            #expect(Self.seconds(try await sums.nextDue()) == Double((hour + 1) * 3600 + 60))
            let closed = try await sums.runDue(waiting: .seconds(90)) { closed in
                #expect(closed.partial == 6)
                return []
            }
            #expect(closed.map(\.start) == [PeriodicTime.at(Double(hour * 3600))])
            #expect(fixture.time.now == PeriodicTime.at(Double((hour + 1) * 3600 + 60)))
        }
    }

    @Test("A member that comes in the grace that is waited for is in its own hour")
    func lateMember() async throws {
        let fixture = try PeriodicFixture()
        let sums = try Self.sums(fixture, period: .seconds(3600))
        try await sums.collect(1, id: "1", at: PeriodicTime.start)
        fixture.time.move(to: 3600)
        let clock = PatternClock(
            now: { fixture.time.now },
            sleep: {
                try await sums.collect(10, id: "2", at: PeriodicTime.at(3599))
                fixture.time.move(by: $0)
            })
        let waiting = try PeriodicAggregator<Int, Int>(
            "sums", in: PatternTable(PeriodicFixture.table, in: fixture.store, clock: clock), period: .seconds(3600),
            initial: 0
        ) { $0 += $1 }
        try await waiting.runDue(waiting: .seconds(90)) { closed in
            #expect(closed.partial == 11)
            return []
        }
    }

    @Test(
        "A bucket is due a period after its end, and a minute at most",
        arguments: [(5, 10), (60, 120), (3600, 3660), (86_400, 86_460)])
    func defaultGrace(period: Int, due: Int) async throws {
        let fixture = try PeriodicFixture()
        let sums = try Self.sums(fixture, period: .seconds(period))
        #expect(try await sums.nextDue() == nil)
        try await sums.collect(1, id: "1", at: PeriodicTime.start)
        #expect(Self.seconds(try await sums.nextDue()) == Double(due))
        fixture.time.move(to: Double(due))
        #expect(Self.seconds(try await sums.nextDue()) == Double(due), "It is due already.")
        await #expect(throws: Outage.self) { try await sums.runDue { _ in throw Outage() } }
        #expect(Self.seconds(try await sums.nextDue()) == Double(due + 60), "The lease of the run that failed.")
        fixture.time.move(by: .seconds(60))
        try await sums.runDue { _ in [] }
        #expect(try await sums.nextDue() == nil)
    }

    @Test("Who waits returns when nothing becomes due in time, and does not ask again and again")
    func nothingInTime() async throws {
        let fixture = try PeriodicFixture()
        let sums = try Self.sums(fixture, period: .seconds(3600))
        try await sums.collect(1, id: "1", at: PeriodicTime.start)
        fixture.store.resetUsage()
        #expect(try await sums.runDue(waiting: .seconds(3000)) { _ in [] }.isEmpty)
        #expect(fixture.time.now == PeriodicTime.start)
        let partitions = PatternTable(PeriodicFixture.table, in: fixture.store).duePartitions
        #expect(fixture.store.usage.requests == ["Query": 2 * partitions])
        #expect(fixture.store.usage.readUnits == Double(partitions))
    }

    @Test("With a period up to the skew, each member costs four units, and no clock decides")
    func costOfSeconds() async throws {
        let fixture = try PeriodicFixture()
        let sums = try Self.sums(fixture, period: .seconds(10))
        try await sums.collect(1, id: "1", at: PeriodicTime.start)
        fixture.store.resetUsage()
        try await sums.collect(1, id: "2", at: PeriodicTime.start)
        #expect(fixture.store.usage.writeUnits == 4)
    }
}
