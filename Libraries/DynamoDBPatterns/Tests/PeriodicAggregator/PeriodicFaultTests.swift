import AWSClient
import DynamoDBPatternsTesting
import Foundation
import Testing

@testable import DynamoDBPatterns

@Suite struct PeriodicFaultTests {
    @Test("Whatever goes wrong with whichever call, each member is folded once, and each bucket is finished once")
    func sweep() async throws {
        let runs = try await FaultSweep.run { run in
            try await Self.scenario(run, members: 5, pageSize: 2)
        }
        #expect(runs > 200)
    }

    @Test("The same with two crashes in one run")
    func sweepOfTwo() async throws {
        let runs = try await FaultSweep.run(
            faults: [.crashAfter], depth: 2, where: \.isWrite
        ) { run in
            try await Self.scenario(run, members: 1, pageSize: 1)
        }
        #expect(runs > 200)
    }

    @Test("A reply of a put is lost, and its second delivery comes after the close: it is a duplicate")
    func lostReplyOfPut() async throws {
        for fault in [Fault.lostReply, .notSent] {
            let fixture = try PeriodicFixture()
            let faulty = FaultyDynamoDB(fixture.store, plan: .at(call: 2, fault))
            await #expect(throws: AWSError.self) {
                try await fixture.aggregator(on: faulty).collect("a", id: "1", at: PeriodicTime.start)
            }
            fixture.time.move(to: 90)
            let minutes = try fixture.aggregator()
            let finishes = PeriodicFinishes()
            try await minutes.runDue(finish: finishes.finish)
            let late = try minutes.bucket(of: PeriodicTime.at(60))
            #expect(
                try await minutes.collect("a", id: "1", at: PeriodicTime.start)
                    == (fault == .lostReply ? .duplicate : .late(into: late)))
            fixture.time.move(to: 1000)
            try await minutes.runDue(finish: finishes.finish)
            #expect(finishes.members == ["a"])
        }
    }

    @Test("A put that was carried out when its deadline passed is told as collected, after a look")
    func cutShort() async throws {
        for fault in [Fault.lostReply, .notSent, .throttled] {
            let fixture = try PeriodicFixture()
            let minutes = try fixture.aggregator(on: FaultyDynamoDB(fixture.store, plan: .at(call: 2, fault)))
            fixture.time.move(to: 45)
            let bucket = try minutes.bucket(of: PeriodicTime.start)
            #expect(try await minutes.collect("a", id: "1", at: PeriodicTime.start) == .collected(in: bucket))
            #expect(try await minutes.members(of: bucket).members.map(\.member) == ["a"])
        }
    }

    @Test("A write that was carried out twice is told as what it was the first time")
    func ownTokens() async throws {
        let fixture = try PeriodicFixture()
        let faulty = FaultyDynamoDB(
            fixture.store, plan: .at([1: .lostReplyThenRetried, 2: .lostReplyThenRetried, 4: .lostReplyThenRetried]))
        let minutes = try fixture.aggregator(on: faulty)
        let bucket = try minutes.bucket(of: PeriodicTime.start)
        #expect(try await minutes.collect("a", id: "1", at: PeriodicTime.start) == .collected(in: bucket))
        fixture.time.move(to: 90)
        // The claim, and the mark that ends it all.
        let finishes = PeriodicFinishes()
        #expect(try await minutes.runDue(finish: finishes.finish) == [bucket])
        #expect(faulty.calls > 4)
        let last = FaultyDynamoDB(
            fixture.store, plan: .at(call: 2, .lostReplyThenRetried).where { $0.operation == .updateItem })
        try await minutes.collect("b", id: "2", at: PeriodicTime.at(60))
        fixture.time.move(to: 1000)
        #expect(try await fixture.aggregator(on: last).runDue(finish: finishes.finish).count == 1)
        #expect(finishes.members == ["a", "b"])
    }

    /// A bucket with members that come in time, in the last moment, twice and too late; processed until all is done.
    private static func scenario(_ run: FaultedRun, members: Int, pageSize: Int) async throws {
        let fixture = try PeriodicFixture()
        let finishes = PeriodicFinishes()
        func collect(_ ids: Range<Int>) async throws {
            for id in ids {
                _ = try await run.deliver(to: fixture.store) { api in
                    try await fixture.aggregator(on: api, pageSize: pageSize)
                        .collect("\(id)", id: "\(id)", at: PeriodicTime.at(1))
                }
            }
        }
        func process() async throws {
            var left = 10
            repeat {
                left -= 1
                let api = run.dynamoDB(fixture.store)
                do {
                    let minutes = try fixture.aggregator(on: api, pageSize: pageSize)
                    if try await minutes.runDue(finish: finishes.mark).isEmpty, !api.hasCrashed,
                        fixture.items("head").allSatisfy({ $0["due"] == nil })
                    {
                        break
                    }
                } catch  where api.hasCrashed || Fault.explains(error) {}
                // Until the lease of who died is over.
                fixture.time.move(by: .seconds(61))
            } while left > 0
            try run.check(left > 0, "It is never done.")
        }
        try await collect(0..<members)
        fixture.time.move(to: 55)
        try await collect(members - 1..<members + 1)
        fixture.time.move(to: 90)
        try await process()
        try await collect(members..<members + 2)
        try await collect(members + 1..<members + 2)
        fixture.time.move(by: .seconds(120))
        try await process()

        let minutes = try fixture.aggregator()
        var folded: [String] = []
        for head in fixture.items("head") {
            let start = try #require(head["pk"]?.string?.split(separator: "#").last.flatMap { Double($0) })
            let bucket = try minutes.bucket(of: Date(timeIntervalSince1970: start / 1000))
            guard let result = try await minutes.result(of: bucket) else {
                throw InvariantViolation("A bucket is not done.")
            }
            folded += result.partial
            try run.check(result.count == result.partial.count, "The count is wrong.")
            let audit = try await minutes.audit(bucket)
            try run.check(audit.missed.isEmpty && audit.folded == result.count, "A member was missed.")
            let finished = finishes.closed.filter { $0.bucket == bucket }
            try run.check(
                finished.allSatisfy { $0.partial == result.partial && $0.count == result.count },
                "It was not finished with the same values each time.")
        }
        try run.check(
            folded.sorted() == (0..<members + 2).map { "\($0)" }.sorted(), "Folded were \(folded.sorted()).")
        let buckets = Set(finishes.closed.map(\.idempotencyKey))
        try run.check(
            fixture.items("effect").map { $0["times"]?.int64 } == buckets.map { _ in 1 },
            "A bucket was not finished once.")
    }
}
