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
        case .ignoresRenewal, .losesRenewal, .leavesLeasedKeys, .attachesToEndedLease:
            scenario.weights = Step.coordination
        case .trimsTooMuch: scenario.weights += [(.compact, 8), (.getAt, 8), (.listAt, 8)]
        default: scenario.weights = Step.contention
        }
        return scenario
    }

    @Test("The simulation finds a planted defect of the store", arguments: DefectiveEngine.Defect.allCases)
    func finds(_ defect: DefectiveEngine.Defect) async throws {
        let failure = try await scenario(for: defect).firstFailure(seeds: 0..<300) { simulation, scenario in
            let run = try await scenario.run(in: simulation, on: MemoryEngine()) {
                DefectiveEngine(engine: $0, defect: defect, simulation: simulation)
            }
            try run.check()
        }
        let found = try #require(failure, "300 schedules did not find it.")
        let cause = (found.cause as? ProcessFailure)?.cause ?? found.cause
        #expect(cause is InvariantViolation || cause is SimulationStuck || cause is DiscfgError, "\(found)")
        print("\(defect.rawValue): seed \(found.seed): \("\(cause)".prefix(300))")
    }
}
