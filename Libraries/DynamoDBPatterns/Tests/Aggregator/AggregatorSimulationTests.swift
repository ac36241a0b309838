import AWSClient
import DynamoDBPatternsTesting
import Testing

@testable import DynamoDBPatterns

@Suite struct AggregatorSimulationTests {
    private static let timeout: Duration = .seconds(90)

    private static func counting(_ storage: AggregateStorage) -> AggregatorSimulation<NoValue> {
        AggregatorSimulation { table in
            try Aggregator(
                "clicks", in: table, rule: .count(AggregatorSimulation<NoValue>.needed), timeout: timeout,
                lease: .seconds(10), storage: storage)
        }
    }

    private static func merging(_ storage: AggregateStorage) -> AggregatorSimulation<Visit> {
        AggregatorSimulation { table in
            try Aggregator(
                "visits", in: table,
                rule: .merging(
                    into: Visit(), { $0.pages.append($1.page) },
                    until: { _, count in count == AggregatorSimulation<Visit>.needed }),
                timeout: timeout, lease: .seconds(10), storage: storage)
        } isRight: { visit, count in
            visit.pages.count == count && Set(visit.pages).count == count
        }
    }

    @Test("Counted sets, in hundreds of schedules of each kind", arguments: AddingTests.storages)
    func counted(storage: AggregateStorage) async throws {
        let simulation = Self.counting(storage)
        try await Simulation.explore(seeds: 0..<350) { try await simulation.run($0) }
    }

    @Test("Merged sets, in hundreds of schedules of each kind", arguments: AddingTests.storages)
    func merged(storage: AggregateStorage) async throws {
        let simulation = Self.merging(storage)
        try await Simulation.explore(seeds: 0..<350) { try await simulation.run($0) }
    }

    /// A write whose condition is left out: of its update, what it names and what it does not.
    struct Bug: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var names: String
        var namesNot = "nothing"

        static let all = [
            Bug(testDescription: "adding a member", names: "begun", namesNot: "completedBy"),
            Bug(testDescription: "completing a set", names: "completedBy"),
            Bug(testDescription: "claiming a set", names: "attempt"),
            Bug(testDescription: "marking a set as done", names: "ttl"),
        ]
    }

    @Test("A bug that is put in on purpose is found", arguments: Bug.all)
    func bugs(bug: Bug) async throws {
        // Of items that exist only: a head that is made by nobody's member would be found too easily.
        let broken: @Sendable (MemoryDynamoDB) -> any DynamoDBAPI & StreamsAPI = { store in
            WithoutConditions(base: store) { write in
                write.update.contains(bug.names) && !write.update.contains(bug.namesNot)
                    && store.items(in: PatternWorld.tableName).contains { $0["pk"] == write.key["pk"] }
            }
        }
        var counting = Self.counting(.inHead)
        counting.broken = broken
        let counted = try await Simulation.firstFailure(seeds: 0..<300) { [counting] in try await counting.run($0) }
        #expect(counted?.violation != nil, "\(counted.map { "\($0.cause)" } ?? "Nothing was found.")")
        var merging = Self.merging(.inHead)
        merging.broken = broken
        let merged = try await Simulation.firstFailure(seeds: 0..<300) { [merging] in try await merging.run($0) }
        #expect(merged?.violation != nil, "\(merged.map { "\($0.cause)" } ?? "Nothing was found.")")
    }
}
