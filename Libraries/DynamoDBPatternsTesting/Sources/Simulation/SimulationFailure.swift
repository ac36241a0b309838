/// A scenario failed; says with which seed.
public struct SimulationFailure: Error, Sendable, CustomStringConvertible {
    /// The seed that fails again and again.
    public let seed: UInt64
    /// What was wrong: `InvariantViolation`, `ProcessFailure`, `SimulationStuck`, or what the scenario threw.
    public let cause: any Error
    /// All that happened, in order.
    public let steps: [Simulation.Step]

    /// What did not hold; `nil` if the scenario failed for another reason.
    public var violation: InvariantViolation? {
        (cause as? InvariantViolation) ?? (cause as? ProcessFailure)?.cause as? InvariantViolation
    }

    /// The seed, the error, how to repeat the run, and its last steps.
    public var description: String {
        """
        Seed \(seed): \(cause)
        Repeat it with DYNAMODB_PATTERNS_SEED=\(seed) SWIFT_DETERMINISTIC_HASHING=1. The last of \(steps.count) steps:
        \(steps.suffix(60).map(\.description).joined(separator: "\n"))
        """
    }
}

/// A process ended with an error that no fault explains.
public struct ProcessFailure: Error, Sendable, CustomStringConvertible {
    /// The process's name.
    public let process: String
    /// What it threw.
    public let cause: any Error

    /// The process and its error.
    public var description: String { "Process \(process) failed: \(cause)" }
}

/// A run that does not come to its end.
public struct SimulationStuck: Error, Sendable, CustomStringConvertible {
    /// Why the run cannot end, such as the processes that wait and their events.
    public let description: String

    init(_ description: String) { self.description = description }
}
