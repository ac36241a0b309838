import AWSClient
import DynamoDBPatternsTesting
import Testing

@testable import DynamoDBPatterns

/// Writers that are delivered the same members in other orders, workers that act, and sweeps, with crashes, lost
/// answers, slow calls and wrong clocks.
struct AggregatorSimulation<Value: Codable & Sendable>: Sendable {
    static var needed: Int { 4 }
    var make: @Sendable (PatternTable) throws -> Aggregator<Click, Value>
    /// Whether a value is what so many different members come to.
    var isRight: @Sendable (Value, Int) -> Bool = { _, _ in true }
    /// Puts a bug in.
    var broken: @Sendable (MemoryDynamoDB) -> any DynamoDBAPI & StreamsAPI = { $0 }

    private let sets = ["s", "t"]

    func run(_ simulation: Simulation) async throws {
        let store = MemoryDynamoDB(clock: simulation.clock.now, seed: simulation.seed)
        try store.createPatternTable(PatternWorld.tableName)
        store.indexLag = simulation.choose(4)
        let committing = SlowCommits(base: broken(store), clock: simulation.clock)
        let added = Journal()
        let completed = Journal()
        let keys = Journal()
        // As many as complete a set, and some that are late; or too few, so that it times out.
        let members = simulation.chance(percent: 80) ? Self.needed + simulation.choose(3) : Self.needed - 1
        for writer in 1...3 {
            let deliveries = deliveries(of: members, by: simulation)
            let skew = simulation.duration(in: .seconds(-2)...(.seconds(2)))
            simulation.spawn("writer \(writer)", skew: skew) { process in
                let aggregator = try aggregator(of: process, on: committing)
                for (set, id) in deliveries {
                    let answer = try await aggregator.add(Click(page: id), id: id, to: set)
                    if answer == .added { added.write("\(set)/\(id)") }
                    guard answer == .completed else { continue }
                    completed.write("\(set)/\(id)")
                    try await act(on: set, aggregator, process, keys)
                }
            }
        }
        simulation.spawn("worker") { process in
            let aggregator = try aggregator(of: process, on: committing)
            for _ in 1...6 {
                for set in sets { try await act(on: set, aggregator, process, keys) }
                try await process.clock.sleep(.seconds(3))
            }
        }
        simulation.spawn("sweep", skew: simulation.duration(in: .seconds(-2)...(.seconds(2)))) { process in
            let aggregator = try aggregator(of: process, on: committing)
            while !sets.allSatisfy({ Aggregators.head($0, of: aggregator.name, in: store)?["state"] == .string("DONE") }
            ) {
                try await aggregator.sweep { set in try await action(set, aggregator, process, keys) }
                try await process.clock.sleep(.seconds(10))
            }
        }
        try await simulation.run()
        for set in sets {
            try await check(set, simulation, store, added: added, completed: completed, keys: keys)
        }
    }

    /// Every member of every set at least once over all writers, in any order, by a deck of each writer's own.
    private func deliveries(of members: Int, by simulation: Simulation) -> [(String, String)] {
        var deck = sets.flatMap { set in (1...members).map { (set, "m\($0)") } }
        for index in deck.indices.dropFirst() { deck.swapAt(index, simulation.choose(index + 1)) }
        return deck
    }

    private func aggregator(
        of process: SimulatedProcess, on committing: SlowCommits
    ) throws -> Aggregator<Click, Value> {
        let api = process.dynamoDB(committing, faults: .random(percent: 4))
        return try make(PatternTable(PatternWorld.tableName, in: api, clock: process.clock))
    }

    private func act(
        on set: String, _ aggregator: Aggregator<Click, Value>, _ process: SimulatedProcess, _ keys: Journal
    ) async throws {
        do {
            try await aggregator.act(on: set) { try await action($0, aggregator, process, keys) }
        } catch let error as PatternError where error.code == .fenced {}
    }

    private func action(
        _ set: Aggregate<Click, Value>, _ aggregator: Aggregator<Click, Value>, _ process: SimulatedProcess,
        _ keys: Journal
    ) async throws -> [TransactWriteItem] {
        keys.write(set.idempotencyKey)
        if aggregator.storage == .asItems {
            let seen = try await aggregator.members(of: set.key).members.count
            guard seen == set.count else {
                throw InvariantViolation("An action saw \(seen) of \(set.count) members.")
            }
        }
        try await process.clock.sleep(.milliseconds(50))
        return [PatternWorld.effect(set.key)]
    }

    private func check(
        _ set: String, _ simulation: Simulation, _ store: MemoryDynamoDB, added: Journal, completed: Journal,
        keys: Journal
    ) async throws {
        let aggregator = try make(PatternTable(PatternWorld.tableName, in: store, clock: simulation.clock))
        guard let head = Aggregators.head(set, of: aggregator.name, in: store),
            let found = try await aggregator.read(set)
        else { throw InvariantViolation("The set \(set) is gone.") }
        try simulation.check(found.state == .done, "\(set) is \(found.state.rawValue).")
        let effects = PatternWorld.effects(set, in: store)
        try simulation.check(effects == 1, "The effect of \(set) was written \(effects) times.")
        try simulation.check(
            found.isTimedOut ? found.count < Self.needed : found.count == Self.needed,
            "\(set) ended with \(found.count) members.")
        try simulation.check(isRight(found.value, found.count), "The value of \(set) is not what its members come to.")
        let own = keys.entries.filter { $0.hasPrefix("\(aggregator.name)/\(set)/") }
        try simulation.check(Set(own).count == 1, "The attempts at \(set) had \(Set(own).count) keys.")
        let ofSet = added.entries.filter { $0.hasPrefix("\(set)/") }
        try simulation.check(Set(ofSet).count == ofSet.count, "A member was added twice: \(ofSet).")
        let ids = try await ids(in: set, head, aggregator)
        try simulation.check(ids.count == found.count, "\(set) counts \(found.count) members and has \(ids.count).")
        try simulation.check(
            ofSet.allSatisfy { ids.contains(String($0.dropFirst(set.count + 1))) }, "A member was lost.")
        let completing = Set(completed.entries.filter { $0.hasPrefix("\(set)/") })
        try simulation.check(completing.count <= 1, "Several members completed the set: \(completing).")
        let waking = try await Aggregators.records(of: store).filter {
            $0.change?.newImage?["pk"] == head["pk"] && $0.change?.newImage?["state"]?.string == "READY"
        }
        try simulation.check(
            waking.count == (found.isTimedOut ? 0 : 1), "\(waking.count) records of \(set) wake a function.")
    }

    private func ids(
        in set: String, _ head: [String: AttributeValue], _ aggregator: Aggregator<Click, Value>
    ) async throws -> [String] {
        guard aggregator.storage == .asItems else {
            return head.keys.filter { $0.hasPrefix("m#") }.map { String($0.dropFirst(2)) }
        }
        return try await aggregator.members(of: set).members.map(\.id)
    }
}
