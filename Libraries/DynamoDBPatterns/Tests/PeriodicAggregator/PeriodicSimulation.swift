import AWSClient
import DynamoDBPatternsTesting
import Foundation
import Synchronization

@testable import DynamoDBPatterns

/// Several collectors and runs of one aggregator at the same time, with wrong clocks, slow calls, faults and crashes.
enum PeriodicSimulation {
    /// Calls may take half a minute: longer than a lease, and shorter than grace and skew together.
    static var timing: Simulation.Timing {
        var timing = Simulation.Timing()
        timing.slowest = .seconds(30)
        return timing
    }

    /// What the processes of a simulation have seen.
    private struct Seen {
        var finished: [String: Set<[String]>] = [:]
        /// Members of which a collector was told that they are collected, now or before.
        var collected: Set<String> = []
    }

    /// One run; the invariants are checked at the end.
    ///
    /// - Parameters:
    ///   - simulation: Decides what happens when.
    ///   - strict: Whether each collecting checks, so that clocks may be as wrong as they like.
    ///   - skew: By how much clocks are wrong at most.
    ///   - reached: How the processes reach the table; puts a bug in, where one is wanted.
    static func run(
        _ simulation: Simulation, strict: Bool = false, clocks skew: Duration = .seconds(5),
        reached: (MemoryDynamoDB, PatternClock) -> any DynamoDBAPI & StreamsAPI = {
            SlowCommits(base: $0, clock: $1, longest: .milliseconds(300))
        }
    ) async throws {
        let store = MemoryDynamoDB(clock: simulation.clock.now, seed: simulation.random())
        store.indexLag = simulation.choose(4)
        try store.createPatternTable("patterns")
        let api = reached(store, simulation.clock)
        let seen = Mutex(Seen())
        let start = simulation.clock.now()
        let shards = 1 + simulation.choose(3)
        let pageSize = 1 + simulation.choose(3)

        @Sendable func aggregator(_ table: PatternTable) throws -> PeriodicAggregator<String, [String]> {
            try PeriodicAggregator(
                "minutes", in: table, period: .seconds(60), grace: .seconds(60), skew: .seconds(strict ? 60 : 20),
                shards: shards, lease: .seconds(8), pageSize: pageSize, initial: []
            ) { $0.append($1) }
        }

        for number in 0..<3 {
            // Each event is delivered to two of the three, mostly soon, sometimes very late.
            let events = (0..<8).filter { $0 % 3 != number }.map { id in
                (
                    id: id, time: Double(id * 17),
                    wait: Double(simulation.chance(percent: 20) ? simulation.choose(300) : 2)
                )
            }
            simulation.spawn("collector \(number)", skew: simulation.duration(in: .zero - skew...skew)) { process in
                let table = PatternTable(
                    "patterns", in: process.dynamoDB(api, faults: .random(percent: 5)), clock: process.clock)
                let minutes = try aggregator(table)
                for event in events {
                    let due = start.addingTimeInterval(event.time + event.wait)
                    let pause = due.timeIntervalSince(simulation.clock.now())
                    if pause > 0 { try await process.clock.sleep(.seconds(pause)) }
                    let time = start.addingTimeInterval(event.time)
                    try await minutes.collect("\(event.id)", id: "\(event.id)", at: time)
                    if !process.hasCrashed { seen.withLock { _ = $0.collected.insert("\(event.id)") } }
                }
            }
        }
        for number in 0..<2 {
            simulation.spawn("run \(number)", skew: simulation.duration(in: .zero - skew...skew)) { process in
                let table = PatternTable(
                    "patterns", in: process.dynamoDB(api, faults: .random(percent: 5)), clock: process.clock)
                let minutes = try aggregator(table)
                while simulation.clock.now() < start.addingTimeInterval(400) {
                    try await minutes.runDue { closed in
                        seen.withLock { _ = $0.finished[closed.idempotencyKey, default: []].insert(closed.partial) }
                        return [PatternWorld.effect(closed.idempotencyKey)]
                    }
                    try await process.clock.sleep(.seconds(5))
                }
            }
        }
        try await simulation.run()

        // What is left, by one who comes when all is quiet.
        store.indexLag = 0
        let minutes = try aggregator(PatternTable("patterns", in: api, clock: simulation.clock))
        simulation.advance(by: .seconds(100_000))
        while try await !minutes.runDue(finish: { closed in
            seen.withLock { _ = $0.finished[closed.idempotencyKey, default: []].insert(closed.partial) }
            return [PatternWorld.effect(closed.idempotencyKey)]
        }).isEmpty {}
        // An audit is for some time later: by then all transactions can be seen.
        simulation.advance(by: .seconds(1))
        try await check(simulation, store, minutes, seen.withLock { $0 })
    }

    private static func check(
        _ simulation: Simulation, _ store: MemoryDynamoDB, _ minutes: PeriodicAggregator<String, [String]>, _ seen: Seen
    ) async throws {
        let items = store.items(in: "patterns")
        var folded: [String] = []
        for head in items where head["sk"] == .string("head") {
            try simulation.check(head["state"] == .string("DONE"), "A bucket is left undone.")
            let start = head["pk"]?.string?.split(separator: "#").last.flatMap { Int64($0) } ?? 0
            let bucket = TimeBucket(of: start, period: 60_000)
            let result = try await minutes.result(of: bucket)
            folded += result?.partial ?? []
            let audit = try await minutes.audit(bucket)
            try simulation.check(audit.missed.isEmpty, "\(audit.missed.map(\.id)) were missed.")
            try simulation.check(audit.folded == result?.partial.count, "The count is wrong.")
            let finished = seen.finished["minutes/\(bucket.text)"] ?? []
            try simulation.check(
                finished.allSatisfy { $0 == result?.partial }, "A bucket was finished with several values: \(finished)")
            let marks = items.first {
                $0["sk"] == .string("effect") && $0["pk"]?.string?.hasSuffix(bucket.text) == true
            }
            try simulation.check(
                marks?["times"]?.int64 == (finished.isEmpty ? nil : 1),
                "A bucket was marked \(marks?["times"] as Any) times.")
        }
        try simulation.check(
            folded.sorted() == seen.collected.sorted(),
            "Collected: \(seen.collected.sorted()), folded: \(folded.sorted())")
        try simulation.check(seen.collected.count == 8, "A collector never came to its end.")
    }
}
