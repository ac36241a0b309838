import DiscfgCore
import DiscfgSimulation
import DynamoDBPatternsTesting
import Testing

/// What is promised holds in every schedule. One after the other, so that a busy machine only makes it slower.
@Suite(.serialized) struct SimulationTests {
    @Test("A little of everything, by two servers on one store")
    func general() async throws {
        try await Scenario().explore(schedules: 300)
    }

    @Test("Many writers of few keys, by three servers")
    func contention() async throws {
        var scenario = Scenario()
        scenario.servers = 3
        scenario.weights = Step.contention
        try await scenario.explore(schedules: 200)
    }

    @Test("A little of everything on a store far away, whose eventual reads are behind")
    func remote() async throws {
        var scenario = Scenario()
        scenario.store.isRemote = true
        try await scenario.explore(schedules: 300)
    }

    @Test("Leases and locks")
    func coordination() async throws {
        var scenario = Scenario()
        scenario.weights = Step.coordination
        try await scenario.explore(schedules: 300)
    }

    @Test("Leases and locks, by servers whose clocks are off by up to half a minute")
    func skewedCoordination() async throws {
        var scenario = Scenario()
        scenario.weights = Step.coordination
        scenario.skew = .seconds(30)
        try await scenario.explore(schedules: 100)
    }

    @Test("A config that is deleted and created again")
    func configs() async throws {
        var scenario = Scenario()
        scenario.weights = Step.configs
        scenario.watchersPerServer = 0
        try await scenario.explore(schedules: 300)
    }

    @Test("The same seed gives the same schedule, step by step", arguments: 0..<10 as Range<UInt64>)
    func replay(seed: UInt64) async throws {
        func steps() async throws -> [Simulation.Step] {
            var scenario = Scenario()
            scenario.store.isRemote = seed % 2 == 1
            let simulation = Simulation(seed: seed, timing: scenario.timing)
            _ = try await scenario.run(in: simulation, on: MemoryEngine())
            return simulation.steps
        }
        let first = try await steps()
        #expect(first.count > 50)
        #expect(try await steps() == first)
    }
}

/// The same on DynamoDB's engine, each process with an engine of its own on one table.
@Suite(.serialized) struct DynamoDBSimulationTests {
    @Test("A little of everything on DynamoDB, while a transaction is one step")
    func general() async throws {
        try await Scenario().explore(schedules: 100) { simulation, scenario in
            try await scenario.runOnDynamoDB(in: simulation, itemByItem: false).check()
        }
    }

    @Test("Much contention on DynamoDB, while transactions become visible item by item")
    func itemByItem() async throws {
        var contention = Scenario()
        contention.weights = Step.contention
        let scenario = contention
        try await scenario.explore(schedules: 300) { simulation, scenario in
            try await scenario.runOnDynamoDB(in: simulation, itemByItem: true).check()
        }
    }
}
