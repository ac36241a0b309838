import AWSClient
import DynamoDBPatternsTesting
import Foundation
import Testing

@testable import DynamoDBPatterns

/// What others do between two calls.
@Suite struct PeriodicInterleavingTests {
    @Test("Between any two calls of a run a member may come: it is folded, or it is late, and never lost")
    func membersDuringARun() async throws {
        let fixture = try PeriodicFixture()
        let collector = try fixture.aggregator()
        let (folded, late) = (PeriodicLog(), PeriodicLog())
        let calls = PeriodicLog()
        let watched = PeriodicInterruption(base: fixture.store) { _, _ in
            for member in 0..<6 {
                let id = "\(calls.add("call"))-\(member)"
                switch try await collector.collect(id, id: id, at: PeriodicTime.start) {
                case .collected: folded.add(id)
                case .late: late.add(id)
                case .duplicate: Issue.record("\(id) was new.")
                }
            }
        }
        try await collector.collect("0", id: "0", at: PeriodicTime.start)
        folded.add("0")
        fixture.time.move(to: 90)
        let finishes = PeriodicFinishes()
        try await fixture.aggregator(on: watched).runDue(finish: finishes.finish)
        #expect(finishes.members == folded.all.sorted())
        #expect(folded.all.count > 4)
        #expect(late.all.count > 4)
        fixture.time.move(to: 1000)
        try await collector.runDue(finish: finishes.finish)
        #expect(finishes.members == (folded.all + late.all).sorted())
    }

    @Test("Two deliveries of one late member at the same time are one member")
    func lateTwice() async throws {
        let fixture = try PeriodicFixture()
        let minutes = try fixture.aggregator()
        try await minutes.collect("a", id: "1", at: PeriodicTime.start)
        fixture.time.move(to: 90)
        try await minutes.runDue { _ in [] }
        let late = try minutes.bucket(of: PeriodicTime.at(90))
        let interrupted = PeriodicInterruption(base: fixture.store) { call, number in
            // The first transaction was refused at the door, the second one is on its way.
            guard call.operation == .transactWriteItems, number == 2 else { return }
            let first = try await minutes.collect("b", id: "2", at: PeriodicTime.start)
            #expect(first == .late(into: late))
        }
        // A minute later, so that another bucket would take it.
        fixture.time.move(to: 119.9)
        let second = try fixture.aggregator(on: interrupted, behind: .seconds(-60))
        #expect(try await second.collect("b", id: "2", at: PeriodicTime.start) == .duplicate)
        fixture.time.move(to: 1000)
        let finishes = PeriodicFinishes()
        try await minutes.runDue(finish: finishes.finish)
        #expect(finishes.members == ["b"])
    }

    @Test("A bucket is finished with the same values each time, whatever a wrong clock puts into it in between")
    func sameValues() async throws {
        let fixture = try PeriodicFixture()
        let minutes = try fixture.aggregator(pageSize: 2)
        let slow = try fixture.aggregator(behind: .seconds(3600))
        func ids(in shard: Int) -> [String] {
            (0..<40).map { "\($0)" }.filter { BucketKeys.shard(of: $0, among: 2) == shard }
        }
        // The first shard fills a page, the second one is empty.
        for id in ids(in: 0).prefix(2) { try await slow.collect(id, id: id, at: PeriodicTime.start) }
        fixture.time.move(to: 90)
        let finishes = PeriodicFinishes()
        await #expect(throws: CancellationError.self) {
            try await minutes.runDue { closed in
                _ = finishes.finish(closed)
                throw CancellationError()
            }
        }
        let missed = try #require(ids(in: 1).first)
        try await slow.collect(missed, id: missed, at: PeriodicTime.start)
        fixture.time.move(by: .seconds(61))
        try await minutes.runDue(finish: finishes.finish)
        #expect(finishes.closed.map(\.partial) == Array(repeating: Array(ids(in: 0).prefix(2)).sorted(), count: 2))
        #expect(try await minutes.audit(minutes.bucket(of: PeriodicTime.start)).missed.map(\.id) == [missed])
    }

    @Test("A checkpoint at a shard's end leads to the beginning of the next one, whose door is closed there")
    func shardEnds() async throws {
        for crash in 1...9 {
            let fixture = try PeriodicFixture()
            let minutes = try fixture.aggregator(shards: 6, pageSize: 3)
            for id in 0..<25 { try await minutes.collect("\(id)", id: "\(id)", at: PeriodicTime.start) }
            fixture.time.move(to: 90)
            // Each page takes a third of the lease and more, so that there is a checkpoint after each.
            let slow: @Sendable (inout [String], String) -> Void = { all, member in
                all.append(member)
                fixture.time.move(by: .seconds(25))
            }
            let dying = FaultyDynamoDB(
                fixture.store, plan: .at(call: crash, .crashAfter).where { $0.operation == .transactWriteItems })
            _ = try? await fixture.aggregator(on: dying, shards: 6, pageSize: 3, fold: slow).runDue { _ in [] }
            #expect(dying.hasCrashed)
            fixture.time.move(by: .seconds(61))
            let finishes = PeriodicFinishes()
            try await minutes.runDue(finish: finishes.finish)
            #expect(finishes.members == (0..<25).map { "\($0)" }.sorted(), "after the crash at checkpoint \(crash)")
            #expect(Set(fixture.items("!door").compactMap { $0["pk"]?.string }).count == 6)
        }
    }
}
