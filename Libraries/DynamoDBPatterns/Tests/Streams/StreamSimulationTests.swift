import AWSClient
import DynamoDBPatternsTesting
import Synchronization
import Testing

@testable import DynamoDBPatterns

/// Several workers, splits, crashes, zombies, and clocks that are wrong, by hundreds of seeds in CI.
@Suite struct StreamSimulationTests {
    /// What the simulated workers see of DynamoDB: as it is, or with a bug that is put in on purpose.
    typealias Bug = @Sendable (any DynamoDBAPI & StreamsAPI) -> any DynamoDBAPI & StreamsAPI

    private static let items = 4
    private static let versions = 6

    private static func scenario(_ simulation: Simulation, bug: @escaping Bug = { $0 }) async throws {
        let fixture = try StreamFixture(shards: 2, simulation: simulation)
        let ledger = StreamLedger()
        let arn = fixture.arn
        simulation.spawn("writer") { process in
            for number in 1...versions {
                for id in 0..<items { try await fixture.write("item\(id)", number...number) }
                try await process.clock.sleep(simulation.duration(in: .zero...(.seconds(20))))
                if simulation.chance(percent: 30) { fixture.store.splitShards(of: "notes") }
            }
        }
        for worker in ["w1", "w2", "w3"] {
            let skew = simulation.duration(in: .seconds(-15)...(.seconds(15)))
            simulation.spawn(worker, skew: skew) { process in
                let api = bug(process.dynamoDB(fixture.store, faults: .random(percent: 2)))
                let processor = try StreamProcessor<Note>(
                    "notes", clock: process.clock, logger: StreamFixture.silent
                ) { change in
                    if simulation.chance(percent: 3) { throw StreamLedger.Hiccup() }
                    try ledger.handle(change, by: worker)
                    if simulation.chance(percent: 10) {
                        try await process.clock.sleep(simulation.duration(in: .zero...(.seconds(60))))
                    }
                }
                var options = StreamConsumer.Options()
                options.batchSize = 3
                options.longestRetryInterval = .seconds(5)
                options.worker = "\(worker)-\(process.start)"
                let consumer = StreamConsumer(
                    processor, of: arn, in: api,
                    leases: PatternTable("leases", in: api, clock: process.clock), options: options)
                while ledger.first.count < items * versions {
                    if try await consumer.step() == 0 { try await process.clock.sleep(.seconds(2)) }
                }
                await consumer.release()
            }
        }
        try await simulation.run()
        try simulation.check(ledger.first.count == items * versions, "Some were lost.")
        try simulation.check(ledger.isInOrder, "Out of order: \(ledger.notes)")
        try await CheckpointHistory(of: fixture.store, table: "leases").check(simulation.check)
    }

    @Test("Whatever happens to the workers, nothing is lost, each item keeps its order, and zombies move nothing")
    func holds() async throws {
        try await Simulation.explore(seeds: 0..<300) { try await Self.scenario($0) }
    }

    @Test("A checkpoint without its fence would be found")
    func withoutFence() async throws {
        let failure = try await Simulation.firstFailure(seeds: 0..<1000) { simulation in
            try await Self.scenario(simulation) { api in
                WithoutConditions(base: api) { $0.condition.contains("fence = ") && !$0.update.contains("token") }
            }
        }
        #expect(failure?.violation != nil)
    }

    @Test("Leases that are taken without looking at their fence would be found")
    func withoutCondition() async throws {
        let failure = try await Simulation.firstFailure(seeds: 0..<1000) { simulation in
            try await Self.scenario(simulation) { api in
                WithoutConditions(base: api) { $0.update.contains("token") }
            }
        }
        #expect(failure?.violation != nil)
    }

    @Test("Children that are read before their parents would be found")
    func withoutParents() async throws {
        let failure = try await Simulation.firstFailure(seeds: 0..<1000) { simulation in
            try await Self.scenario(simulation) { WithoutParents(base: $0) }
        }
        #expect(failure?.violation?.description.contains("Out of order") == true)
    }
}

/// A stream whose shards do not say where they come from.
private struct WithoutParents: DynamoDBDecorator {
    let base: any DynamoDBAPI

    func describeStream(_ request: DescribeStreamRequest) async throws -> DescribeStreamResponse {
        guard let streams else { return DescribeStreamResponse() }
        var answer = try await streams.describeStream(request)
        for index in answer.streamDescription?.shards?.indices ?? 0..<0 {
            answer.streamDescription?.shards?[index].parentShardId = nil
        }
        return answer
    }
}
