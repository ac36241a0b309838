import AWSClient
import DynamoDBPatterns
import DynamoDBPatternsTesting
import Testing

@Suite struct PeriodicSimulationTests {
    @Test("In every schedule each member is folded once, and each bucket is finished once, with one value")
    func schedules() async throws {
        try await Simulation.explore(seeds: 0..<1000, timing: PeriodicSimulation.timing) { simulation in
            try await PeriodicSimulation.run(simulation)
        }
    }

    @Test("With a skew of a whole period the same holds for clocks that are wrong by minutes")
    func strictSchedules() async throws {
        try await Simulation.explore(seeds: 10_000..<10_400) { simulation in
            try await PeriodicSimulation.run(simulation, strict: true, clocks: .seconds(150))
        }
    }

    @Test(
        "A bug that is put in on purpose is found",
        arguments: [
            PeriodicBug(name: "checkpoints and marks are not fenced") { $0.condition.contains("fence = ") },
            PeriodicBug(name: "a closed door lets members in") { $0.condition.contains("(closed)") },
            PeriodicBug(name: "what was done is claimed again") { $0.condition.hasPrefix("due <= ") },
            PeriodicBug(name: "the trace of a late member stands in nobody's way", isWaitedFor: true) {
                $0.operation == .putItem && $0.key["movedTo"] != nil
            },
            PeriodicBug(name: "heads are made again") { $0.key["sk"]?.string == "head" && $0.operation == .putItem },
        ])
    func bugs(bug: PeriodicBug) async throws {
        let failure = try await Simulation.firstFailure(seeds: 0..<1000, timing: PeriodicSimulation.timing) {
            try await PeriodicSimulation.run($0) { store, clock in
                SlowCommits(base: WithoutConditions(base: store, where: bug.isBroken), clock: clock)
            }
        }
        // Two members for the door, which are one for the run, are waited for in vain.
        let isInVain = bug.isWaitedFor && failure?.description.contains("not all can be seen yet") == true
        #expect(failure?.violation != nil || isInVain)
    }

    @Test("A run that does not wait for the transactions that let members in is found")
    func impatience() async throws {
        struct Impatient: DynamoDBDecorator {
            let base: any DynamoDBAPI

            func query(_ request: QueryRequest) async throws -> QueryResponse {
                var answer = try await base.query(request)
                if request.select == .count { answer.count = .max }
                return answer
            }
        }
        let failure = try await Simulation.firstFailure(seeds: 0..<1000, timing: PeriodicSimulation.timing) {
            try await PeriodicSimulation.run($0) { store, clock in
                Impatient(base: SlowCommits(base: store, clock: clock, longest: .seconds(2)))
            }
        }
        #expect(failure?.violation != nil)
    }

    @Test("Where clocks are wrong by more than grace and skew, the simulation finds what the audit is for")
    func wrongClocks() async throws {
        let failure = try await Simulation.firstFailure(seeds: 0..<1000) { simulation in
            try await PeriodicSimulation.run(simulation, clocks: .seconds(150))
        }
        #expect(failure?.violation?.description.contains("were missed") == true)
    }
}

/// A condition that is not looked at.
struct PeriodicBug: Sendable, CustomTestStringConvertible {
    var name: String
    var isWaitedFor = false
    var isBroken: @Sendable (WithoutConditions.Write) -> Bool
    var testDescription: String { name }
}
