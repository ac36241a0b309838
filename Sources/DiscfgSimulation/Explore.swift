import DiscfgCore
package import DynamoDBPatternsTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A schedule that fails; says with which seed.
package struct ScheduleFailure: Error, CustomStringConvertible {
    package let seed: UInt64
    package let cause: any Error
    package let steps: [Simulation.Step]

    package var description: String {
        """
        Seed \(seed): \(cause)
        Repeat it with DISCFG_SIMULATION_SEED=\(seed). The last of \(steps.count) steps:
        \(steps.suffix(60).map(\.description).joined(separator: "\n"))
        """
    }
}

extension Scenario {
    /// Runs and checks schedules until one fails, one after the other on one thread.
    ///
    /// `DISCFG_SIMULATION_SEED` in the environment repeats one seed; `DISCFG_SIMULATION_SCHEDULES` is the number of schedules to
    /// run instead.
    package func explore(
        schedules: Int, from first: UInt64 = 0,
        _ schedule: @Sendable (Simulation, Scenario) async throws -> Void = Self.schedule
    ) async throws {
        let environment = ProcessInfo.processInfo.environment
        let seeds = Self.seeds(schedules, from: first, environment: environment)
        if let failure = try await firstFailure(seeds: seeds, schedule) { throw failure }
    }

    /// Which seeds are run.
    package static func seeds(
        _ schedules: Int, from first: UInt64, environment: [String: String]
    ) -> Range<UInt64> {
        if let seed = environment["DISCFG_SIMULATION_SEED"].flatMap({ UInt64($0) }), seed < .max {
            return seed..<seed + 1
        }
        let count = environment["DISCFG_SIMULATION_SCHEDULES"].flatMap { UInt64($0) } ?? UInt64(schedules)
        return first..<first + min(count, .max - first)
    }

    /// The first schedule that fails; `nil` if all pass.
    ///
    /// The environment changes nothing.
    package func firstFailure(
        seeds: Range<UInt64>, _ schedule: @Sendable (Simulation, Scenario) async throws -> Void = Self.schedule
    ) async throws -> ScheduleFailure? {
        for seed in seeds {
            try Task.checkCancellation()
            let simulation = Simulation(seed: seed, timing: timing)
            do {
                try await schedule(simulation, self)
            } catch {
                try Task.checkCancellation()
                return ScheduleFailure(seed: seed, cause: error, steps: simulation.steps)
            }
        }
        return nil
    }

    /// One schedule on an engine in memory, with all checks.
    package static func schedule(_ simulation: Simulation, _ scenario: Scenario) async throws {
        try await scenario.run(in: simulation, on: MemoryEngine()).check()
    }
}
