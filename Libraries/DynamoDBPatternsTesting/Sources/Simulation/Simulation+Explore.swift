#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Simulation {
    /// Runs a scenario with many seeds, until one fails.
    ///
    /// `DYNAMODB_PATTERNS_SEED` in the environment repeats one seed; `DYNAMODB_PATTERNS_SCHEDULES` says how many are run
    /// instead. Where the code under test goes through dictionaries or sets, whose order differs from process to process,
    /// `SWIFT_DETERMINISTIC_HASHING=1` is needed as well to repeat a failure.
    ///
    /// - Parameters:
    ///   - seeds: The seeds.
    ///   - timing: How long things take.
    ///   - scenario: Makes a store, spawns processes, runs them, and checks what has to hold with `check`.
    /// - Throws: `SimulationFailure`, which names the seed.
    public static func explore(
        seeds: Range<UInt64> = 0..<1000, timing: Timing = Timing(),
        _ scenario: @Sendable (Simulation) async throws -> Void
    ) async throws {
        let seeds = Self.seeds(seeds, environment: ProcessInfo.processInfo.environment)
        if let failure = try await firstFailure(seeds: seeds, timing: timing, scenario) { throw failure }
    }

    /// Which seeds are run, where the environment has a say.
    static func seeds(_ seeds: Range<UInt64>, environment: [String: String]) -> Range<UInt64> {
        if let seed = environment["DYNAMODB_PATTERNS_SEED"].flatMap({ UInt64($0) }), seed < .max {
            return seed..<seed + 1
        }
        guard let count = environment["DYNAMODB_PATTERNS_SCHEDULES"].flatMap({ UInt64($0) }),
            count < .max - seeds.lowerBound
        else { return seeds }
        return seeds.lowerBound..<seeds.lowerBound + count
    }

    /// The first failure of a scenario, for tests which show that a bug would be found; the environment changes nothing.
    ///
    /// - Parameters:
    ///   - seeds: The seeds.
    ///   - timing: How long things take.
    ///   - scenario: Makes a store, spawns processes, runs them, and checks what has to hold with `check`.
    /// - Returns: The failure; `nil` if all seeds pass.
    /// - Throws: `CancellationError`.
    public static func firstFailure(
        seeds: Range<UInt64> = 0..<1000, timing: Timing = Timing(),
        _ scenario: @Sendable (Simulation) async throws -> Void
    ) async throws -> SimulationFailure? {
        for seed in seeds {
            try Task.checkCancellation()
            let simulation = Simulation(seed: seed, timing: timing)
            do {
                try await scenario(simulation)
            } catch {
                try Task.checkCancellation()
                return SimulationFailure(seed: seed, cause: error, steps: simulation.steps)
            }
        }
        return nil
    }
}
