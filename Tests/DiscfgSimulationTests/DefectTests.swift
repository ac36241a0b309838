import DiscfgCore
import DiscfgSimulation
import DynamoDBPatternsTesting
import Testing

/// A simulation that finds nothing proves nothing: each defect that is planted must be found.
@Suite(.serialized) struct DefectTests {
    private func scenario(for defect: DefectiveEngine.Defect) -> Scenario {
        var scenario = Scenario()
        switch defect {
        case .weakensReads, .weakensTail: scenario.store.isRemote = true
        case .ignoresIncarnation:
            scenario.weights = Step.configs
            scenario.stepsPerClient = 12
        case .ignoresRenewal, .losesRenewal:
            // Long enough for leases that are renewed again and again to be observed for more than their time to live.
            scenario.servers = 1
            scenario.weights = [(.grant, 1), (.leasedSet, 4), (.renew, 8)]
            scenario.stepsPerClient = 400
        case .leavesLeasedKeys, .attachesToEndedLease:
            scenario.weights = Step.coordination
        case .endsLeasesByWallClock:
            scenario.weights = Step.coordination
            scenario.skew = .seconds(30)
        case .trimsTooMuch: scenario.weights += [(.compact, 8), (.getAt, 8), (.listAt, 8)]
        default: scenario.weights = Step.contention
        }
        return scenario
    }

    @Test("The simulation finds a planted defect of an engine", arguments: DefectiveEngine.Defect.allCases)
    func finds(_ defect: DefectiveEngine.Defect) async throws {
        let failure = try await scenario(for: defect).firstFailure(seeds: 0..<500) { simulation, scenario in
            let run = try await scenario.run(in: simulation, on: MemoryEngine()) {
                DefectiveEngine(engine: $0, defect: defect, simulation: simulation)
            }
            try run.check()
        }
        let found = try #require(failure, "500 schedules did not find it.")
        #expect(found.isViolation, "\(found)")
    }

    @Test("The simulation finds a DynamoDB that does not look at the conditions of writes")
    func findsMissingConditions() async throws {
        var scenario = Scenario()
        scenario.weights = Step.contention
        let failure = try await scenario.firstFailure(seeds: 0..<100) { simulation, scenario in
            let run = try await scenario.runOnDynamoDB(in: simulation, itemByItem: false) {
                WithoutConditions(base: $0)
            }
            try run.check()
        }
        #expect(try #require(failure, "100 schedules did not find it.").isViolation)
    }
}

extension ScheduleFailure {
    /// Whether something did not hold, or never ended; not merely an error that a client did not expect.
    fileprivate var isViolation: Bool { cause is InvariantViolation || cause is SimulationStuck }
}
