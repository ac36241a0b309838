import AWSClient
import DynamoDBPatternsTesting
import Testing

@testable import DynamoDBPatterns

/// Processes with wrong clocks that work under a lease, some of them longer than it lasts.
@Suite struct LeaseManagerSimulationTests {
    typealias Store = DynamoDBAPI & StreamsAPI

    private static let entry: [String: AttributeValue] = ["pk": .string("log"), "sk": .string("log")]

    /// Three processes append the next number under the lease: read under it, written with its check.
    @Sendable private static func counting(
        _ simulation: Simulation, through: @escaping @Sendable (MemoryDynamoDB) -> any Store
    ) async throws {
        let store = MemoryDynamoDB(clock: simulation.clock.now, seed: simulation.seed)
        try store.createPatternTable(PatternWorld.tableName)
        let broken = through(store)
        let fences = Journal()
        for name in ["a", "b", "c"] {
            // Hours: no lease rests on a wall clock.
            let skew = simulation.duration(in: .seconds(-7200)...(.seconds(7200)))
            simulation.spawn(name, skew: skew) { process in
                let api = process.dynamoDB(broken, faults: .random(percent: 4))
                let table = PatternTable(PatternWorld.tableName, in: api, clock: process.clock)
                let leases = try LeaseManager(
                    "jobs", in: table, duration: .seconds(10), owner: name, logger: ProcessorWorld.logger)
                var done = 0
                while done < 2 {
                    do {
                        if process.clock.random() % 2 == 0 {
                            try await leases.withLease("x", waiting: .seconds(60)) { lease in
                                fences.write("\(lease.fence)")
                                try await Self.count(lease, api, process)
                            }
                        } else {
                            // Without a heartbeat: it may go on when its lease is over.
                            guard let lease = try await leases.acquire("x", waiting: .seconds(60)) else { continue }
                            fences.write("\(lease.fence)")
                            try await Self.count(lease, api, process)
                            try await leases.release(lease)
                        }
                        done += 1
                    } catch let error as PatternError where [.busy, .leaseLost].contains(error.code) {
                    } catch let error as CancellationError {
                        if process.hasCrashed { throw error }
                    } catch let error as AWSError where error.code == .transactionCanceled {}
                }
            }
        }
        try await simulation.run()
        let item = store.items(in: PatternWorld.tableName).first { $0["pk"] == entry["pk"] }
        let log = item?["numbers"]?.list?.compactMap(\.int) ?? []
        try simulation.check(log == Array(1...max(log.count, 1)), "The numbers are \(log).")
        try simulation.check(log.count >= 6, "Only \(log.count) numbers were written.")
        let taken = fences.entries
        try simulation.check(Set(taken).count == taken.count, "A fence was given twice: \(taken).")
    }

    private static func count(_ lease: HeldLease, _ api: any DynamoDBAPI, _ process: SimulatedProcess) async throws {
        let request = GetItemRequest(tableName: PatternWorld.tableName, key: entry, consistentRead: true)
        let next = (try await api.getItem(request).item?["n"]?.int ?? 0) + 1
        // Now and then longer than the lease.
        if process.clock.random() % 4 == 0 { try await process.clock.sleep(.seconds(25)) }
        let write = TransactWriteItem.update(
            .init(
                tableName: PatternWorld.tableName, key: entry,
                updateExpression: "SET n = :n, numbers = list_append(if_not_exists(numbers, :none), :entry)",
                expressionAttributeValues: [
                    ":n": .integer(next), ":none": .list([]), ":entry": .list([.integer(next)]),
                ]))
        _ = try await api.transactWriteItems(
            .init(transactItems: [lease.check(), write], clientRequestToken: process.clock.token()),
            retryingContention: true)
    }

    @Test("No number is written twice or left out, in hundreds of schedules")
    func counted() async throws {
        try await Simulation.explore(seeds: 0..<500) { try await Self.counting($0) { $0 } }
    }

    @Test("Broken on purpose: without the check of the fence, a holder that was taken over writes")
    func withoutCheck() async throws {
        let failure = try await Simulation.firstFailure(seeds: 0..<500) {
            try await Self.counting($0) { WithoutConditions(base: $0) { $0.operation == nil } }
        }
        #expect(failure?.violation != nil, "\(failure?.description ?? "nothing was found")")
    }

    @Test("Broken on purpose: two processes that take a lease at one time both get it")
    func withoutTake() async throws {
        let failure = try await Simulation.firstFailure(seeds: 0..<500) {
            try await Self.counting($0) { WithoutConditions(base: $0) { $0.update.contains("fence = ") } }
        }
        #expect(failure?.violation != nil, "\(failure?.description ?? "nothing was found")")
    }

    /// One process holds the lease for long, and others try to take it: no two bodies run at one time.
    @Sendable private static func exclusive(_ simulation: Simulation, duration: Duration) async throws {
        let store = MemoryDynamoDB(clock: simulation.clock.now, seed: simulation.seed)
        try store.createPatternTable(PatternWorld.tableName)
        let inside = Journal()
        for name in ["a", "b", "c"] {
            let skew = simulation.duration(in: .seconds(-7200)...(.seconds(7200)))
            simulation.spawn(name, skew: skew) { process in
                // Without crashes, after which a process of the simulation goes on for a moment.
                let api = process.dynamoDB(
                    store, faults: .random(percent: 10, faults: [.lostReply, .notSent, .throttled]))
                let table = PatternTable(PatternWorld.tableName, in: api, clock: process.clock)
                let leases = try LeaseManager(
                    "jobs", in: table, duration: duration, owner: name, logger: ProcessorWorld.logger)
                do {
                    try await leases.withLease("x", waiting: .seconds(600)) { lease in
                        for _ in 1...20 {
                            try Task.checkCancellation()
                            guard lease.isHeld else { continue }
                            inside.write("\(lease.fence)")
                            try await process.clock.sleep(.seconds(2))
                        }
                    }
                } catch let error as PatternError where [.busy, .leaseLost].contains(error.code) {}
            }
        }
        try await simulation.run()
        // What one holder did comes before all that the next one did.
        let fences = inside.entries.compactMap { Int64($0) }
        try simulation.check(fences == fences.sorted(), "The bodies were mixed: \(fences).")
    }

    @Test("A body that looks at its lease before each step is never mixed with the next holder's")
    func exclusion() async throws {
        try await Simulation.explore(seeds: 0..<300) { try await Self.exclusive($0, duration: .seconds(10)) }
    }
}
