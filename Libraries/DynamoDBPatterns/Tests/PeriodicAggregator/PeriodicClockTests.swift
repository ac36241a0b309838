import AWSClient
import DynamoDBPatterns
import DynamoDBPatternsTesting
import Foundation
import Testing

@Suite struct PeriodicClockTests {
    @Test("Clock skew within grace and skew: a member that is collected without a check is never missed")
    func smallSkew() async throws {
        let fixture = try PeriodicFixture()
        // Grace and skew are 40 s together.
        let slow = try fixture.aggregator(behind: .seconds(40))
        let minutes = try fixture.aggregator()
        let finishes = PeriodicFinishes()
        try await slow.collect("a", id: "1", at: PeriodicTime.at(1))
        fixture.time.move(to: 89.999)
        #expect(try await slow.collect("b", id: "2", at: PeriodicTime.at(2)) != .duplicate)
        #expect(fixture.store.usage.requests["TransactWriteItems"] == nil)
        fixture.time.move(to: 90)
        try await minutes.runDue(finish: finishes.finish)
        #expect(finishes.members == ["a", "b"])
        let late = try await slow.collect("c", id: "3", at: PeriodicTime.at(3))
        #expect(late == .late(into: try minutes.bucket(of: PeriodicTime.at(60))))
        #expect(try await minutes.audit(minutes.bucket(of: PeriodicTime.start)).missed.isEmpty)
    }

    @Test("Clock skew beyond grace and skew: what was missed is found by the audit, and named")
    func largeSkew() async throws {
        let fixture = try PeriodicFixture()
        let slow = try fixture.aggregator(behind: .seconds(300))
        let minutes = try fixture.aggregator()
        let bucket = try minutes.bucket(of: PeriodicTime.start)
        for number in 0..<20 { try await slow.collect("\(number)", id: "\(number)", at: PeriodicTime.start) }
        await #expect(throws: PatternError.self) { try await minutes.audit(bucket) }
        fixture.time.move(to: 90)
        try await minutes.runDue { _ in [] }
        #expect(try await minutes.audit(bucket).missed.isEmpty)
        for number in 20..<23 { try await slow.collect("\(number)", id: "\(number)", at: PeriodicTime.start) }
        let audit = try await minutes.audit(bucket)
        #expect(audit.folded == 20)
        #expect(audit.missed.map(\.id).sorted() == ["20", "21", "22"])
        #expect(try await minutes.audit(bucket, limit: 2).missed.count == 2)
    }

    @Test("A process whose clock is far behind, and that comes to a bucket when it is closed, sees that it is")
    func closedHead() async throws {
        let fixture = try PeriodicFixture()
        let minutes = try fixture.aggregator()
        try await minutes.collect("a", id: "1", at: PeriodicTime.start)
        fixture.time.move(to: 90)
        try await minutes.runDue { _ in [] }
        let slow = try fixture.aggregator(behind: .seconds(3600))
        let collected = try await slow.collect("b", id: "2", at: PeriodicTime.start)
        #expect(collected == .late(into: try minutes.bucket(of: PeriodicTime.at(60))))
        #expect(try await minutes.audit(minutes.bucket(of: PeriodicTime.start)).missed.isEmpty)
    }

    @Test("With a skew of a whole period nothing rests on clocks, however wrong they are")
    func strict() async throws {
        let fixture = try PeriodicFixture()
        let slow = try fixture.aggregator(behind: .seconds(3600), skew: .seconds(60))
        let minutes = try fixture.aggregator()
        try await slow.collect("a", id: "1", at: PeriodicTime.start)
        fixture.time.move(to: 90)
        try await minutes.runDue { _ in [] }
        let collected = try await slow.collect("b", id: "2", at: PeriodicTime.start)
        #expect(collected == .late(into: try minutes.bucket(of: PeriodicTime.at(60))))
        #expect(try await minutes.audit(minutes.bucket(of: PeriodicTime.start)).missed.isEmpty)
    }

    @Test("A late member whose collector's clock is far behind finds a bucket that is open, or is told that none is")
    func farBehind() async throws {
        let fixture = try PeriodicFixture()
        let minutes = try fixture.aggregator()
        for minute in 0..<20 { try await minutes.collect("m", id: "1", at: PeriodicTime.at(60.0 * Double(minute))) }
        fixture.time.move(to: 100_000)
        while try await !minutes.runDue(finish: { _ in [] }).isEmpty {}
        let slow = try fixture.aggregator(behind: .seconds(100_000), skew: .seconds(60))
        guard case .late(.some(let bucket)) = try await slow.collect("b", id: "2", at: PeriodicTime.start) else {
            Issue.record("It was to go into a later bucket.")
            return
        }
        #expect(bucket.start >= PeriodicTime.at(1200))
        let finishes = PeriodicFinishes()
        fixture.time.move(by: .seconds(100_000))
        try await minutes.runDue(finish: finishes.finish)
        #expect(finishes.members == ["b"])
    }

    @Test("The request that needs no check is bounded by a deadline: no try begins when the bucket may be closed")
    func deadline() async throws {
        let fixture = try PeriodicFixture()
        let left = PeriodicLog()
        let watched = PeriodicInterruption(base: fixture.store) { call, _ in
            guard let deadline = AWSClient.deadline else { return }
            left.add("\(call.operation.rawValue) \(Int(((deadline - .now) / .seconds(1)).rounded()))")
        }
        let minutes = try fixture.aggregator(on: watched)
        fixture.time.move(to: 20)
        try await minutes.collect("a", id: "1", at: PeriodicTime.start)
        try await AWSClient.$deadline.withValue(.now + .seconds(15)) {
            _ = try await minutes.collect("b", id: "2", at: PeriodicTime.start)
        }
        #expect(left.all == ["PutItem 30", "PutItem 15"])
    }
}
